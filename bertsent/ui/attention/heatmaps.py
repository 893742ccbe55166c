"""How the tabs of Attention draw their heatmaps: clicks on a tile, downloads, and the method.

Streamlit does not report clicks on heatmaps, so a small component beside the chart listens to the
chart's own click event. What it sends comes from a browser and is checked; without it the pickers
below the chart still choose.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.ui.shared import (
    UNSEEN_BAR,
    download_menu,
    escape_markdown,
    plotly_chart,
    result,
    show_help,
)
from bertsent.ui.shared.components import listen

if TYPE_CHECKING:
    import plotly.graph_objects as go

LARGEST = 1000  # no model has so many layers or heads
NOT_AN_EXPLANATION = (
    "Attention shows where a head takes information from, not why the answer came out as it did: "
    "it is not an explanation."
)


def show_heatmap(
    figure: "go.Figure",
    key: str,
    alt: str,
    *,
    table: Callable[[], pd.DataFrame],
    file: str,
    caption: str = "",
    act: Callable[[int, int], None] | None = None,
    method: str = "",
    size: int = 0,
    below: DeltaGenerator | None = None,
) -> None:
    """Draw a heatmap, its caption, and the downloads of it and its numbers.

    Args:
        act: gets layer and head, both from 1, of a tile or cell that is clicked, before the page
            runs again.
        method: the help text on how it is computed; empty for none.
        size: what ``{size}`` stands for in that text.
        below: where the downloads and the method are drawn; directly below the caption without.
    """
    plotly_chart(figure, key=key, config=UNSEEN_BAR, alt=alt)
    if caption:
        st.caption(escape_markdown(caption))
    with below or st.container(horizontal=True, gap="small"):
        download_menu(key, figure, file, tables={"Numbers": table})
        if method:
            show_help("attention", method, size=size)
        if act is not None:
            listen(__file__, key, tile_of, lambda tile: act(*tile))


def side_by_side(name: str) -> Sequence[DeltaGenerator]:
    """The result of a grid and, beside it, of one head large."""
    with result(name):
        return st.columns([11, 9], gap="medium")


def tile_of(sent: object) -> tuple[int, int] | None:
    """Layer and head as a browser sent them, None when it sent anything else."""
    found = [sent.get(name) if isinstance(sent, dict) else None for name in ("layer", "head")]
    layer, head = (n if isinstance(n, int) and 0 < n < LARGEST else None for n in found)
    return None if layer is None or head is None else (layer, head)
