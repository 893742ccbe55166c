"""Figures as a file carries them: their data as JSON, and the scripts that draw them, which need no
network and no ``eval``.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR

Library = Literal["plotly", "vega"]
Spec = dict[str, Any]  # of Plotly or Vega-Lite, as JSON
# the file has a theme and a width of its own
_OF_THE_PAGE = ("template", "width", "paper_bgcolor", "plot_bgcolor", "modebar")


def plotly_spec(figure: go.Figure) -> Spec:
    """A Plotly figure as JSON; the figure stays as it is."""
    spec: Spec = json.loads(figure.to_json())
    layout = spec.setdefault("layout", {})
    for name in _OF_THE_PAGE:
        layout.pop(name, None)
    for part in (spec, *spec.get("frames", ())):
        for trace in part.get("data", ()):
            if trace.get("type") == "scattergl":  # its script makes functions of text
                trace["type"] = "scatter"
    return spec


def vega_spec(chart: Any) -> Spec:  # of Altair, or already a specification
    """An Altair chart as JSON, as wide as the place where it is drawn unless it is a row or a
    column of charts.
    """
    found = chart if isinstance(chart, Mapping) else chart.to_dict()
    spec: Spec = {name: part for name, part in found.items() if name not in ("config", "$schema")}
    if not {"hconcat", "vconcat", "concat", "facet", "repeat"} & set(spec):
        spec |= {"width": "container", "autosize": {"type": "fit", "contains": "padding"}}
    return spec


@lru_cache(maxsize=2)
def library_script(library: Library) -> str:
    """Plotly.js (4.8 MB), or Vega, Vega-Lite and Vega-Embed (0.9 MB), which are put together in
    two seconds, once.
    """
    if library == "plotly":
        from plotly.offline import get_plotlyjs

        return str(get_plotlyjs())
    import vl_convert

    return vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub lacks the default


def restored_figure(spec: Spec) -> go.Figure:
    """The Plotly figure of ``plotly_spec``, on the page's own ground."""
    figure = go.Figure(spec)
    return figure.update_layout(paper_bgcolor=CLEAR, plot_bgcolor=CLEAR)
