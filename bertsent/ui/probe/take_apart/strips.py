"""How the parts of the way draw vectors: strips of colour, the sentence that they show, downloads
and the method.
"""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from bertsent.figures.vector_strips import ROW, Strip, vector_strips
from bertsent.ui.shared import UNSEEN_BAR, downloads_and_help, escape_markdown, plotly_chart


def show_strips(
    title: str,
    strips: Sequence[Strip],
    key: str,
    sentence: str,
    method: str,
    *,
    table: Callable[[], pd.DataFrame] | None = None,
    row: int = ROW,
    columns: bool = False,
    chosen: int | None = None,
) -> None:
    """Draw ``strips`` as ``vector_strips`` does.

    Args:
        title: what they are, above them.
        strips: from top to bottom.
        key: of the chart on this page, and the name of its files.
        sentence: what they show.
        method: the help text of Probe on how they are computed.
        table: their numbers; those of the strips, one row a number, without it.
    """
    st.markdown(f"**{escape_markdown(title)}**")
    figure = vector_strips(strips, row=row, columns=columns, chosen=chosen)
    plotly_chart(figure, key=key, config=UNSEEN_BAR, alt=sentence)
    st.caption(escape_markdown(sentence))
    tables = {"Numbers": table or (lambda: _numbers(strips))}
    downloads_and_help(key, figure, key.replace("_", "-"), ("probe", method), tables=tables)


def _numbers(strips: Sequence[Strip]) -> pd.DataFrame:
    columns = {strip.name: pd.Series(strip.values) for strip in strips}
    numbers = pd.DataFrame(columns)
    numbers.insert(0, "number", range(1, len(numbers) + 1))
    return numbers
