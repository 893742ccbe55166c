"""How the tabs of Attention draw their heatmaps: clicks on a tile, downloads, and the method.

Streamlit does not report clicks on heatmaps, so a small component beside the chart listens to the
chart's own click event. What it sends comes from a browser and is checked; without it the pickers
above the chart still choose.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.ui.shared.components import browser_component
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.help_texts import show_help

if TYPE_CHECKING:
    import plotly.graph_objects as go

LARGEST = 1000  # no model has so many layers or heads
NOT_AN_EXPLANATION = (
    "Attention shows where a head takes information from, not why the answer came out as it did: "
    "it is not an explanation."
)


def show_heatmap(
    figure: "go.Figure", key: str, alt: str, act: Callable[[int, int], None] | None = None
) -> None:
    """Draw a heatmap; ``act`` gets layer and head, both from 1, of a tile or cell that is clicked,
    before the page runs again.
    """
    st.plotly_chart(figure, key=key, config=UNSEEN_BAR, alt=alt)
    if act is None:
        return
    clicks = f"{key}_clicks"

    def picked() -> None:
        tile = tile_of(st.session_state[clicks].get("picked"))
        if tile:
            act(*tile)

    browser_component(__file__)(key=clicks, data={"chart": key}, on_picked_change=picked, height=1)


def show_downloads(
    key: str,
    table: Callable[[], pd.DataFrame],
    figure: "go.Figure",
    *,
    file: str,
    method: str = "",
    size: int = 0,
) -> None:
    """Draw the downloads of the heatmap of that key and of its numbers, and beside them how they
    are computed.
    """
    with st.container(horizontal=True, gap="small"):
        download_menu(key, figure, file, tables={"Numbers": table})
        if method:
            show_help("attention", method, size=size)


def tile_of(sent: object) -> tuple[int, int] | None:
    """Layer and head as a browser sent them, None when it sent anything else."""
    found = [sent.get(name) if isinstance(sent, dict) else None for name in ("layer", "head")]
    layer, head = (n if isinstance(n, int) and 0 < n < LARGEST else None for n in found)
    return None if layer is None or head is None else (layer, head)
