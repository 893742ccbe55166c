"""Clicks on the dots of a three-dimensional figure, which Streamlit's own selections leave out: the
id of the dot and the view.

A small component beside the chart listens to the chart's own click event. What it sends comes from
a browser and is checked.
"""

import math
from collections.abc import Callable

import streamlit as st

_JS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, press: null })
  own.send = (value) => setTriggerValue("picked", value)
  const finish = () => {
    if (!own.press || own.press.down || own.press.far || own.press.id === null) return
    own.send({ id: own.press.id, camera: own.chart._fullLayout?.scene?.camera ?? null })
    own.press = null
  }
  const attach = () => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    const begin = (event) => { own.press = { x: event.clientX, y: event.clientY, down: true, far: false, id: null } }
    const end = (event) => {
      if (!own.press) return
      own.press.down = false  // a drag turns the map and chooses nothing
      own.press.far = Math.hypot(event.clientX - own.press.x, event.clientY - own.press.y) > 4
      finish()
    }
    chart.addEventListener("pointerdown", begin, true)
    chart.addEventListener("pointerup", end, true)
    chart.on("plotly_click", (event) => {  // told as soon as the button is down on a dot
      const id = event.points[0]?.customdata
      if (own.press && id != null) { own.press.id = String(id); finish() }
    })
  }
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); own.timer = null }
}
"""
Camera = dict[str, dict[str, float]]


def clicks_in_space(chart: str, act: Callable[[str, Camera | None], None]) -> None:
    """Listen to the clicks on the Plotly chart of that key; ``act`` gets the ``customdata`` of the
    dot and the camera.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        found = st.session_state[key].get("picked")
        if isinstance(found, dict) and isinstance(found.get("id"), str):
            act(found["id"], _camera(found.get("camera")))

    _listener()(key=key, data={"chart": chart}, on_picked_change=picked, height=1)


@st.cache_resource(show_spinner=False)
def _listener():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_clicks", js=_JS)


def _camera(sent: object) -> Camera | None:
    """A camera of finite numbers, or none."""
    found: Camera = {}
    for name in ("eye", "center", "up"):
        vector = sent.get(name) if isinstance(sent, dict) else None
        if not isinstance(vector, dict) or not all(_finite(vector.get(axis)) for axis in "xyz"):
            return None
        found[name] = {axis: float(vector[axis]) for axis in "xyz"}
    return found


def _finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)
