"""Clicks on the tiles of the grid of heads, which Streamlit does not report of heatmaps: the layer
and the head.

A small component beside the chart listens to the chart's own click event. What it sends comes from
a browser and is checked;
without it the grid is only to be looked at, and the pickers above it choose.
"""

from collections.abc import Callable

import streamlit as st

from bertsent.ui.shared.components import browser_component

LARGEST = 1000  # no model has so many layers or heads


def clicks_on_tiles(chart: str, act: Callable[[int, int], None]) -> None:
    """Listen to the clicks on the ``head_grid`` of that key; ``act`` gets layer and head, both from
    1, before the page runs again.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        tile = tile_of(st.session_state[key].get("picked"))
        if tile:
            act(*tile)

    browser_component(__file__)(key=key, data={"chart": chart}, on_picked_change=picked, height=1)


def tile_of(sent: object) -> tuple[int, int] | None:
    """Layer and head as a browser sent them, None when it sent anything else."""
    layer, head = (sent.get("layer"), sent.get("head")) if isinstance(sent, dict) else (None, None)
    sound = (
        isinstance(layer, int)
        and isinstance(head, int)
        and 0 < layer < LARGEST
        and 0 < head < LARGEST
    )
    return (layer, head) if sound else None
