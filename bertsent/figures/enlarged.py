"""Charts for the last row of a classroom: everything in them larger, their width left to the page.

Only what a chart is drawn from is changed, so that it stays as sharp and its pointer as exact as at
its usual size, which a scaled picture of it would not.
"""

import copy
from typing import Any

import plotly.graph_objects as go

HIGHER, LARGER = 1.4, 1.8  # heights and edges; type, dots and lines
_FONT = 12  # pixels; the usual size in both
_GROWING = {"fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "strokeWidth"}
_EDGES = {"minExtent", "maxExtent", "labelPadding", "titlePadding", "labelLimit", "symbolSize"}


def enlarged_figure(figure: go.Figure, ink: str) -> go.Figure:
    """A copy of a Plotly figure that is 1.4 times as high, with type 1.8 times as large and in the
    colour ``ink``.
    """
    large = go.Figure(figure)
    fonts = {"size": round(_FONT * LARGER), "color": ink}
    large.update_layout(font=fonts, legend_font=fonts, title_font=fonts)
    large.update_layout(hoverlabel_font_size=fonts["size"])
    large.update_xaxes(tickfont=fonts, title_font=fonts)
    large.update_yaxes(tickfont=fonts, title_font=fonts)
    large.update_annotations(font_size=fonts["size"])
    large.update_coloraxes(colorbar_tickfont=fonts, colorbar_title_font=fonts)
    if large.layout.height:
        large.layout.height *= HIGHER
    margin = large.layout.margin
    for edge in "lrtb":
        if margin[edge] is not None:
            margin[edge] *= HIGHER
    for trace in large.data:
        _enlarge_trace(trace)
    return large


def _enlarge_trace(trace: Any) -> None:  # of any kind
    for part, size in (("marker", "size"), ("line", "width"), ("textfont", "size")):
        if part not in trace or size not in trace[part]:  # bars have marks without a size
            continue
        if isinstance(trace[part][size], int | float):
            trace[part][size] *= LARGER
    if "textfont" in trace and trace.textfont.size is None:
        trace.textfont.size = _FONT * LARGER
    if "showscale" in trace and trace.showscale:
        trace.colorbar.tickfont.size = trace.colorbar.title.font.size = _FONT * LARGER


def enlarged_chart(spec: dict[str, Any], ink: str) -> dict[str, Any]:
    """A copy of a Vega-Lite specification, as high and as large as ``enlarged_figure`` makes it."""
    data = {name: part for name, part in spec.items() if name in ("data", "datasets")}
    large = _grown({name: copy.deepcopy(spec[name]) for name in spec if name not in data})
    size = round(_FONT * LARGER)
    labels = {"labelFontSize": size, "titleFontSize": size, "labelColor": ink, "titleColor": ink}
    usual: dict[str, dict[str, Any]] = {
        **dict.fromkeys(("axis", "header"), labels),
        "title": {"fontSize": size, "color": ink},
        "text": {"fontSize": size},
        "legend": {**labels, "symbolSize": 250, "labelLimit": 600},
    }
    own = large.get("config", {})
    config = {**own, **{part: {**look, **own.get(part, {})} for part, look in usual.items()}}
    return {**large, **data, "config": config}


def _grown(part: Any) -> Any:  # of a specification
    if isinstance(part, list):
        return [_grown(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {name: _sized(name, value) for name, value in part.items()}


def _sized(name: str, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if name in _GROWING:
            return value * LARGER
        return value * HIGHER if name == "height" or name in _EDGES else value
    return _grown(value)
