"""Pointing at dots of a flat figure: clicks, what a lasso or a box encloses, and rings that follow
a review through every panel.

Streamlit's own selection of a Plotly chart knows no zoom, hears no click while the lasso is in
hand, and is taken back when the
figure changes. Here a small component beside the chart listens to the chart's own events; it draws
a ring around the review that is
open, and around the one that is pointed at in every other panel, without the figure being sent
anew. What it sends comes from a browser
and is checked.
"""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

import streamlit as st

_JS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, armed: false, rings: {}, over: null })
  own.send = (value) => setTriggerValue("picked", value)
  own.data = data
  const full = () => own.chart?._fullLayout
  const zoomed = () => Object.fromEntries(Object.entries(full())
    .filter(([name, axis]) => /^[xy]axis[0-9]*$/.test(name) && axis?.autorange === false)
    .map(([name, axis]) => [name, [...axis.range]]))
  const places = (id) => {  // the dots of a review, one in each panel; looked up once a figure
    if (own.known !== own.chart.data) {
      own.known = own.chart.data
      own.index = new Map()
      own.chart.data.forEach((trace, i) => trace.customdata?.forEach?.((name, j) => {
        if (!own.index.has(name)) own.index.set(name, [])
        own.index.get(name).push([i, j])
      }))
    }
    return own.index.get(id) ?? []
  }
  const pixel = ([i, j]) => {
    const trace = own.chart._fullData[i]
    if (!trace || trace.visible !== true) return null
    const name = (axis) => axis[0] + "axis" + axis.slice(1)
    const x = full()[name(trace.xaxis)], y = full()[name(trace.yaxis)]
    const at = [x.d2p(trace.x[j]), y.d2p(trace.y[j])]
    if (!(at[0] >= 0 && at[0] <= x._length && at[1] >= 0 && at[1] <= y._length)) return null
    return [x._offset + at[0], y._offset + at[1]]
  }
  const ring = (kind, id, skip, look) => {
    (own.rings[kind] ?? []).forEach((element) => element.remove())
    own.rings[kind] = []
    const room = own.chart?.querySelector(".svg-container")
    if (id == null || !room || !full()) return
    for (const place of places(id)) {
      const at = place[0] === skip ? null : pixel(place)
      if (!at) continue
      const element = document.createElement("div")
      element.className = "bertsent-ring-" + kind
      element.style.cssText = "position:absolute;pointer-events:none;border-radius:50%;box-sizing:border-box;width:22px;height:22px;"
        + "left:" + (at[0] - 11) + "px;top:" + (at[1] - 11) + "px;" + look
      room.appendChild(element)
      own.rings[kind].push(element)
    }
  }
  const draw = () => {
    if (!own.chart?.isConnected) return
    ring("open", own.data.marked, -1, "border:3px solid #E69F00;box-shadow:0 0 0 1px #0008, inset 0 0 0 1px #0008;")
    ring("over", own.over?.id, own.over?.trace, "border:2px solid currentColor;box-shadow:0 0 0 1px #fffa, inset 0 0 0 1px #fffa;")
  }
  const soon = () => { own.frame ??= requestAnimationFrame(() => { own.frame = null; draw() }) }
  const choosing = () => ["lasso", "select"].includes(full()?.dragmode)
  const attach = () => {
    const chart = document.querySelector(".st-key-" + own.data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    own.known = null
    chart.addEventListener("pointerdown", () => { own.armed = true }, true)
    chart.on("plotly_click", (event) => {
      const id = event.points[0]?.customdata
      if (id == null || !own.armed || (own.data.clicks === "choosing" && !choosing())) return
      own.armed = false  // a tap is told twice, as a touch and as a mouse, and pointed at once
      own.send({ id: String(id), ranges: zoomed() })
    })
    if (own.data.regions) {
      chart.on("plotly_selected", (event) => {
        if (!event || !choosing() || !(event.range || event.lassoPoints)) return
        const ids = [...new Set(event.points.map((point) => point.customdata).filter((id) => id != null).map(String))]
        own.send({ ids, ranges: zoomed() })
      })
      chart.on("plotly_deselect", () => own.send({ ids: [], ranges: zoomed() }))
    }
    chart.on("plotly_hover", (event) => {
      const point = event.points[0]
      own.over = point?.customdata == null ? null : { id: point.customdata, trace: point.curveNumber }
      soon()
    })
    chart.on("plotly_unhover", () => { own.over = null; soon() })
    for (const name of ["plotly_afterplot", "plotly_relayouting", "plotly_relayout", "plotly_restyle"]) chart.on(name, soon)
    soon()
  }
  attach()
  soon()
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); own.timer = null; own.over = null }
}
"""
_AXIS = re.compile(r"[xy]axis[2-9]?")
_THROUGH = (
    "<style>.st-key-{chart} .selectionlayer path {{pointer-events: none "
    "!important}}</style>"
)  # dots in a lasso can be clicked
MOST_IDS = 50_000
Ranges = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class DotEvent:
    """What happened in the browser: one dot was clicked (``id``), or many were enclosed (``ids``,
    none: taken back).
    """

    id: str | None
    ids: tuple[str, ...]
    ranges: Ranges  # of the axes that are zoomed


def watch_dots(
    chart: str,
    act: Callable[[DotEvent], None],
    *,
    marked: str | None = None,
    regions: bool = True,
    clicks: str = "always",
) -> None:
    """Listen to the Plotly chart of that key, and ring the dots of a review in it.

    Args:
        act: gets what happened, before the page runs again.
        marked: the id of the review to ring.
        regions: whether to tell what a lasso or a box encloses; False where Streamlit itself tells
            it.
        clicks: ``always``, or ``choosing``: only while the lasso or the box is in hand, where
            Streamlit hears no click.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        found = checked_event(st.session_state[key].get("picked"))
        if found is not None:
            act(found)

    st.html(_THROUGH.format(chart=chart))
    data = {"chart": chart, "marked": marked, "regions": regions, "clicks": clicks}
    _listener()(key=key, data=data, on_picked_change=picked, height=1)


def checked_event(sent: object) -> DotEvent | None:
    """What a browser sent, None where it is neither a click nor a region."""
    if not isinstance(sent, dict):
        return None
    ranges, one, many = checked_ranges(sent.get("ranges")), sent.get("id"), sent.get("ids")
    if isinstance(one, str):
        return DotEvent(one, (), ranges)
    if (
        isinstance(many, list)
        and len(many) <= MOST_IDS
        and all(isinstance(ident, str) for ident in many)
    ):
        return DotEvent(None, tuple(many), ranges)
    return None


def checked_ranges(sent: object) -> Ranges:
    """The ranges of known axes that are two different finite numbers; the rest is left out."""
    if not isinstance(sent, dict):
        return {}
    found = {
        str(name): ends
        for name, ends in sent.items()
        if _AXIS.fullmatch(str(name)) and _two_numbers(ends)
    }
    return {name: (float(ends[0]), float(ends[1])) for name, ends in found.items()}


def known(ids: Collection[str], there: Collection[str]) -> tuple[str, ...]:
    """Those of ``ids`` that are ``there``, in the order of ``there``."""
    wanted = set(ids)
    return tuple(ident for ident in there if ident in wanted)


@st.cache_resource(show_spinner=False)
def _listener():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_pointing", js=_JS)


def _two_numbers(ends: object) -> bool:
    numbers = (
        isinstance(ends, list)
        and len(ends) == 2
        and all(isinstance(end, int | float) and math.isfinite(end) for end in ends)
    )
    return numbers and ends[0] != ends[1]
