"""Ids → input vectors: the rows of the tables that are added up for each token, and their sum
before and after normalising.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.figures.vector_strips import Strip
from bertsent.probing.forward_pass.comparison import compare, worst
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.sentences import PARTS, input_sentence, norm_sentence
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.strips import show_strips
from bertsent.ui.shared import escape_markdown, number_columns, result
from bertsent.ui.shared.head_pickers import short_select
from bertsent.ui.shared.review_numbers import computed_own, computed_pass

TOKEN_HELP = "Whose input vector is taken apart."
NUMBERS = 250  # pixels of the table of all numbers


def input_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    tokens = len(model.tokens(text))
    return f"{tokens} ids become {tokens} vectors of {model.width} numbers"


def show_input(model: LoadedModel, text: str, answer: Prediction) -> None:
    """Draw the input vector of one token as a sum, number by number.

    Raises:
        NotAvailable: the model is of a family that is not worked out here.
    """
    found, own = computed_pass(model, text), computed_own(model, text)
    place = _choose_token(found.inputs.pieces)
    with result("input_sum"):
        _sum(found, place)
        show_check(
            worst(
                f"All {len(found.inputs)} input vectors",
                [
                    compare("sum", found.summed, own.summed),
                    compare("normalised", found.normalised, own.hidden[0]),
                ],
            )
        )
    with result("input_numbers"):
        st.markdown("**LayerNorm, number by number**")
        st.caption(escape_markdown(norm_sentence(found, place)))
        table = _table(found, place)
        st.dataframe(
            table,
            hide_index=True,
            height=NUMBERS,
            key="input_table",
            column_config=number_columns(dict.fromkeys(table.columns[1:], "%.4f")),
        )


def _choose_token(pieces: tuple[str, ...]) -> int:
    """Draw the picker; at first the token in the middle, which the sentence above names, too."""
    options = {position: f"{position} {piece}" for position, piece in enumerate(pieces, start=1)}
    usual = len(pieces) // 2 + 1
    names = {0: f"the middle: {pieces[usual - 1]}", **options}
    return (short_select("Token", names, "token", width=190, help=TOKEN_HELP) or usual) - 1


def _sum(found: ForwardPass, place: int) -> None:
    show_strips(
        f"{_sum_of(found)}: “{found.inputs.pieces[place]}” at position {place + 1}",
        [
            Strip(name, row, "" if name == "after LayerNorm" else "added")
            for name, row in _rows(found, place).items()
        ],
        "input_strips",
        input_sentence(found, place),
        "take_apart_input",
        table=lambda: _table(found, place),
        columns=True,
    )


def _sum_of(found: ForwardPass) -> str:
    """Which vectors are added, in words."""
    return " + ".join(PARTS[name] for name in found.parts).capitalize()


def _rows(found: ForwardPass, place: int) -> Mapping[str, np.ndarray]:
    parts = {PARTS[name]: rows[place] for name, rows in found.parts.items()}
    return {**parts, "sum": found.summed[place], "after LayerNorm": found.normalised[place]}


def _table(found: ForwardPass, place: int) -> pd.DataFrame:
    """One row a number of the vector."""
    rows = dict(_rows(found, place))
    last, norm = rows.pop("after LayerNorm"), found.weights.norm
    return pd.DataFrame(
        {
            "number": range(1, len(last) + 1),
            **rows,
            "(sum − μ) / √(σ² + ε)": norm.standardised(found.summed[place]),
            "gain": norm.gain,
            "shift": norm.shift,
            "after LayerNorm": last,
        }
    )
