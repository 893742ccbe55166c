"""How the parts from the logits on draw a figure: what it shows, its downloads, the method, and
whether its numbers are the model's own.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.shared import (
    UNSEEN_BAR,
    Table,
    download_menu,
    escape_markdown,
    plotly_chart,
    show_help,
)
from bertsent.ui.shared.presenter import presenting

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 56  # pixels of a strip; its name and its scale at the left stay apart on a projector


def show_checked(
    figure: "go.Figure",
    key: str,
    sentence: str,
    method: str,
    comparison: Comparison | None,
    *,
    tables: Mapping[str, Table] | None = None,
) -> None:
    """Draw a figure of a part.

    Args:
        figure: of Plotly.
        key: of the chart on this page, and the name of its files.
        sentence: what it shows.
        method: the help text of Probe on how it is computed.
        comparison: with the model's own numbers; None where this is said elsewhere.
        tables: its numbers, by what they hold.
    """
    plotly_chart(figure, key=key, config=UNSEEN_BAR, alt=sentence)
    st.caption(escape_markdown(sentence))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if not presenting():  # what is hidden then would still take its room
            download_menu(key, figure, key.replace("_", "-"), tables=tables)
            show_help("probe", method)
        if comparison is not None:
            show_check(comparison)
