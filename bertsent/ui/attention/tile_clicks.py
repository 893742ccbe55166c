"""Clicks on the tiles of the grid of heads, which Streamlit does not report of heatmaps: the layer
and the head.

A small component beside the chart listens to the chart's own click event. What it sends comes from
a browser and is checked;
without it the grid is only to be looked at, and the pickers above it choose.
"""

from collections.abc import Callable

import streamlit as st

LARGEST = 1000  # no model has so many layers or heads
_JS = r"""
export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.picked = (tile) => setTriggerValue("picked", tile)
  const number = (name, words) => Number(new RegExp("^" + name + " (\\d+) ").exec(words)?.[1])
  const attach = () => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === parentElement.heard) return
    parentElement.heard = chart
    chart.on("plotly_click", (event) => {
      const cell = event.points[0]
      if (cell) parentElement.picked({ layer: number("Layer", cell.y), head: number("Head", cell.x) })
    })
  }
  if (!parentElement.timer) parentElement.timer = setInterval(attach, 300)
  return () => { clearInterval(parentElement.timer); parentElement.timer = null }
}
"""


def clicks_on_tiles(chart: str, act: Callable[[int, int], None]) -> None:
    """Listen to the clicks on the ``head_grid`` of that key; ``act`` gets layer and head, both from
    1, before the page runs again.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        tile = tile_of(st.session_state[key].get("picked"))
        if tile:
            act(*tile)

    _listener()(key=key, data={"chart": chart}, on_picked_change=picked, height=1)


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


@st.cache_resource(show_spinner=False)
def _listener():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_tiles", js=_JS)
