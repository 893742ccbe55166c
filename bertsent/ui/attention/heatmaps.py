"""How the tabs of Attention draw their heatmaps: clicks on a tile, downloads, and the method.

Streamlit does not report clicks on heatmaps, so a small component beside the chart listens to the
chart's own click event. What it sends comes from a browser and is checked; without it the pickers
above the chart still choose.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from bertsent.ui.heads.carry import carry
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
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)
    if act is None:
        return
    clicks = f"{key}_clicks"

    def picked() -> None:
        tile = tile_of(st.session_state[clicks].get("picked"))
        if tile:
            act(*tile)

    _listener()(key=clicks, data={"chart": key}, on_picked_change=picked, height=1)


def show_downloads(
    name: str,
    table: Callable[[], pd.DataFrame],
    figure: "go.Figure",
    *,
    file: str,
    method: str = "",
    **values: object,
) -> None:
    """Draw the downloads of a heatmap and its numbers, and beside them how they are computed."""
    with st.container(horizontal=True, gap="small"):
        carry(name, table, lambda: figure, file=file)
        if method:
            show_help("attention", method, **values)


def tile_of(sent: object) -> tuple[int, int] | None:
    """Layer and head as a browser sent them, None when it sent anything else."""
    found = [sent.get(name) if isinstance(sent, dict) else None for name in ("layer", "head")]
    layer, head = (n if isinstance(n, int) and 0 < n < LARGEST else None for n in found)
    return None if layer is None or head is None else (layer, head)


@st.cache_resource(show_spinner=False)
def _listener() -> Any:  # noqa: ANN401 - Streamlit names no type for what it mounts
    script = Path(__file__).with_name("tile_clicks.js").read_text(encoding="utf-8")
    return st.components.v2.component("bertsent_tiles", js=script)
