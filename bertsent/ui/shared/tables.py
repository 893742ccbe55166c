"""Tables in which a row can be chosen, and tables for the projector."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.presenter import presenting
from bertsent.ui.shared.review_bar import ask_about

T = TypeVar("T")


def choosing_table(
    table: pd.DataFrame,
    key: str,
    values: Sequence[T],
    act: Callable[[T], None],
    **layout: Any,  # as st.dataframe takes it
) -> None:
    """Draw a table with one value for each row; ``act`` gets that of a row that is chosen, before
    the page runs again.
    """

    def chosen() -> None:
        rows = st.session_state[key].selection.rows
        if rows and rows[0] < len(values):
            act(values[rows[0]])

    st.dataframe(
        table, hide_index=True, key=key, on_select=chosen, selection_mode="single-row", **layout
    )


def asking_table(
    table: pd.DataFrame,
    key: str,
    **layout: Any,  # as st.dataframe takes it
) -> None:
    """Draw a table; the text of a row that is chosen is shown below it and can become the
    review.
    """
    rows = st.dataframe(
        table, hide_index=True, key=key, on_select="rerun", selection_mode="single-row", **layout
    ).selection.rows
    if rows and rows[0] < len(table):
        text = str(table["text"].iloc[rows[0]])
        st.text(text)
        ask_about(text, f"{key}_ask")


def number_columns(formats: Mapping[str, str]) -> dict[str, Any]:
    """The columns of a table that have a format of their own."""
    return {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}


def presented_table(
    table: pd.DataFrame, formats: Mapping[str, str] | None = None, *, missing: str = ""
) -> None:
    """Draw a table that can be sorted; in presenter mode one whose type grows with the page.

    Args:
        table: what is drawn, without its index.
        formats: of its columns of numbers, such as ``%.2f``.
        missing: what stands where there is no number.
    """
    columns = number_columns(formats or {})
    if presenting():
        written_table(table, columns, missing=missing)
    else:
        st.dataframe(table, hide_index=True, column_config=columns, placeholder=missing or None)


def written_table(
    table: pd.DataFrame,
    columns: Mapping[str, Any],
    *,
    missing: str = "",
    most: int | None = None,
) -> None:
    """Draw a table as text, whose type grows with the page. One that can be sorted is painted, in
    the size that type had when it came: where a page begins to be presented, it stays small.

    Args:
        table: what is drawn, without its index.
        columns: their labels and formats, as ``st.dataframe`` takes them.
        missing: what stands where there is nothing.
        most: rows, for nobody scrolls on a projector; below them stands how many there are.
    """
    shown = table.head(most or len(table))
    labels = {name: columns.get(name, {}).get("label") for name in table}
    written = {
        name if labels[name] is None else labels[name]: _written(shown[name], columns, missing)
        for name in table
    }
    st.table(pd.DataFrame(written).set_index(next(iter(written))))
    if len(shown) < len(table):
        st.caption(f"The first {len(shown):,} of {len(table):,}.")


def _written(values: pd.Series, columns: Mapping[str, Any], missing: str) -> list[str]:
    form = columns.get(str(values.name), {}).get("type_config", {}).get("format") or "%s"
    return [missing if pd.isna(value) else escape_markdown(form % value) for value in values]
