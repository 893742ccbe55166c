"""Where somebody left a film: the step that its slider stands at, told once it has rested there. It
comes from a browser and is checked.
"""

from collections.abc import Callable, Sequence

import streamlit as st

_JS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, rest: null })
  own.data = data
  own.send = (value) => setTriggerValue("rested", value)
  const moved = (event) => {
    clearTimeout(own.rest)
    const step = Number(event?.step?.value)
    own.rest = setTimeout(() => { if (step !== own.data.step) own.send({ step }) }, 1500)  // while it plays it never rests
  }
  const attach = () => {
    const chart = document.querySelector(".st-key-" + own.data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    chart.on("plotly_sliderchange", moved)
  }
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); clearTimeout(own.rest); own.timer = null }
}
"""


def follow_slider(chart: str, steps: Sequence[int], step: int, act: Callable[[int], None]) -> None:
    """Listen to the film of that key; ``act`` gets the step at which it came to rest, if that is
    another than ``step``.
    """
    key = f"{chart}_steps"

    def rested() -> None:
        found = st.session_state[key].get("rested")
        at = found.get("step") if isinstance(found, dict) else None
        if isinstance(at, int | float) and at in steps and at != step:
            act(int(at))

    _listener()(key=key, data={"chart": chart, "step": step}, on_rested_change=rested, height=1)


@st.cache_resource(show_spinner=False)
def _listener():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_film_steps", js=_JS)
