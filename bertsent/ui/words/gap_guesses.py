"""The likeliest words for each gap, from both sides and from the left alone, with the loss of the
true word.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from bertsent.figures.guessed_words import guess_bars
from bertsent.models.language_model_head import has_language_model
from bertsent.probing.fill_mask import LEFT_ONLY, FilledGap
from bertsent.probing.shipped_word_scores import guesses_sentence
from bertsent.text.masked_sentence import MASK
from bertsent.ui.probe.take_apart.lecture import show_example
from bertsent.ui.shared import (
    escape_markdown,
    number_columns,
    result,
    show_figure,
)
from bertsent.ui.words.gap_text import GapText, choose_gap
from bertsent.ui.words.slips import show_slip
from bertsent.worked_examples.masked_word import MASKED_WORD


def show_gap_guesses(asked: GapText, folder: Path) -> None:
    """Draw both readings side by side, what the right side is worth, all gaps in a table, and the
    worked example.

    Raises:
        BadInput: as ``GapText.filled`` says.
    """
    both, left = (asked.filled(folder, left_only=only) for only in (False, True))
    shown = choose_gap([gap.truth or MASK for gap in both])
    with result("fill_in"):
        _show_sides(both[shown], left[shown])
    if len(both) > 1:
        st.dataframe(
            _table(both),
            hide_index=True,
            key="mask_gaps",
            column_config=number_columns(
                {"p": "percent", "p of the true word": "percent", "loss": "%.2f"}
            ),
        )
    st.caption(escape_markdown(LEFT_ONLY))
    if has_language_model(folder) and (said := guesses_sentence(folder)):
        st.caption(escape_markdown(said))
    show_example(MASKED_WORD)
    show_slip("E-11")


def _show_sides(both: FilledGap, left: FilledGap) -> None:
    reach = max(p for gap in (both, left) for p in (gap.words[0][1], gap.p_truth or 0.0))
    columns = st.columns(2, gap="medium")
    for column, gap, title, key in zip(
        columns,
        (both, left),
        ("Both sides", "Left only"),
        ("fill_in_chart", "fill_in_left_chart"),
        strict=True,
    ):
        with column:
            st.markdown(f"**{title}**")
            show_figure(
                guess_bars(gap.words, truth=_truth(gap), reach=reach),
                key,
                f"bertsent-guesses-{'left' if gap is left else 'both'}",
                gap.sentence(),
                tables={"Words": pd.DataFrame(gap.words, columns=["word", "probability"])},
            )
    if said := _worth(both, left):
        st.markdown(escape_markdown(said))


def _truth(gap: FilledGap) -> tuple[str, float, int] | None:
    if gap.p_truth is None or gap.rank is None:
        return None
    return gap.truth, gap.p_truth, gap.rank


def _worth(both: FilledGap, left: FilledGap) -> str:
    """What the right side is worth at this gap, in the loss."""
    if both.loss is None or left.loss is None:
        same = both.words[0][0] == left.words[0][0]
        return (
            f"Without the right side the likeliest word is {'the same' if same else 'another one'}."
        )
    gain = left.loss - both.loss
    change = "lowers" if gain >= 0 else "raises"
    return (
        f"What stands to the right {change} the loss of “{both.truth}” by {abs(gain):.2f}, from "
        f"{left.loss:.2f} to {both.loss:.2f}."
    )


def _table(gaps: Sequence[FilledGap]) -> pd.DataFrame:
    rows = [
        (gap.words[0][0], gap.words[0][1], gap.truth, gap.p_truth, gap.rank, gap.loss)
        for gap in gaps
    ]
    table = pd.DataFrame(
        rows, columns=["likeliest", "p", "true word", "p of the true word", "rank", "loss"]
    )
    table.insert(0, "gap", range(1, len(table) + 1))
    return table
