"""Clicks on the dots of a flat figure with several panels: the id of the dot, and what part of each panel is looked at.

Streamlit's own selection of a Plotly chart knows no zoom and is taken back when the figure changes, which a review that is marked in
every panel makes it do. Here a small component beside the chart listens to the chart's own event, and the page decides what is
marked. What it sends comes from a browser and is checked.
"""

import math
import re
from collections.abc import Callable

import streamlit as st

_JS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, armed: false })
  own.send = (value) => setTriggerValue("picked", value)
  const pick = (id) => {
    if (id == null || !own.armed) return  // a tap is told twice, as a touch and as a mouse, and pointed at once
    own.armed = false
    own.send({ id: String(id), ranges: zoomed() })
  }
  const zoomed = () => Object.fromEntries(Object.entries(own.chart._fullLayout)
    .filter(([name, axis]) => /^[xy]axis[0-9]*$/.test(name) && axis?.autorange === false)
    .map(([name, axis]) => [name, [...axis.range]]))
  const attach = () => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    chart.addEventListener("pointerdown", () => { own.armed = true }, true)
    chart.on("plotly_click", (event) => pick(event.points[0]?.customdata))
  }
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); own.timer = null }
}
"""
_AXIS = re.compile(r"[xy]axis[2-9]?")
Ranges = dict[str, tuple[float, float]]


def clicks_in_panels(chart: str, act: Callable[[str, Ranges], None]) -> None:
    """Listen to the clicks on the Plotly chart of that key; ``act`` gets the ``customdata`` of the dot and the zoomed axes' ranges."""
    key = f"{chart}_clicks"

    def picked() -> None:
        found = st.session_state[key].get("picked")
        if isinstance(found, dict) and isinstance(found.get("id"), str):
            act(found["id"], checked_ranges(found.get("ranges")))

    _listener()(key=key, data={"chart": chart}, on_picked_change=picked, height=1)


def checked_ranges(sent: object) -> Ranges:
    """The ranges of known axes that are two different finite numbers; the rest is left out."""
    if not isinstance(sent, dict):
        return {}
    found = {str(name): ends for name, ends in sent.items() if _AXIS.fullmatch(str(name)) and _two_numbers(ends)}
    return {name: (float(ends[0]), float(ends[1])) for name, ends in found.items()}


@st.cache_resource(show_spinner=False)
def _listener():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_panel_clicks", js=_JS)


def _two_numbers(ends: object) -> bool:
    numbers = isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, int | float) and math.isfinite(end) for end in ends)
    return numbers and ends[0] != ends[1]
