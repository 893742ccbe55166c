"""Altair charts in, one file to download out: a PNG, an SVG, or an HTML page that needs no
network.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import altair as alt

from bertsent.figures.altair_panels import AROUND

Form = Literal["png", "svg", "html"]
_OF_THE_PAGE = ("$schema", "config", "background", "padding", "autosize", "datasets")
_BY_WIDTH = (
    "max(3, width / 90)",
    "width < 520 ? 2 : 4",
    "width < 700 ? 1 : 2",
)  # a sheet has no such signal
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Curves</title>
<style>body {{margin: 0; background: white}}</style>
</head>
<body>
<div id="curves"></div>
<script>{scripts}</script>
<script>
vegaEmbed("#curves", {spec}, {{
  "mode": "vega-lite",
  "actions": {{"export": true, "source": false, "compiled": false, "editor": false}}
}});
</script>
</body>
</html>
"""


def picture(charts: Sequence[alt.LayerChart], form: Form, *, width: int = 900) -> bytes:
    """The charts one under the other on white.

    ``form`` png is twice as fine as a screen; html keeps the hover and carries all scripts inside.
    What people wrote stays text in all of them.
    """
    import vl_convert

    spec = json.dumps(_sheet(charts, width))
    if form == "png":
        return vl_convert.vegalite_to_png(spec, scale=2)
    if form == "svg":
        return vl_convert.vegalite_to_svg(spec).encode()
    inert = spec.replace("<", "\\u003c")  # JSON that cannot end the script it stands in
    return _PAGE.format(scripts=_scripts(), spec=inert).encode()


@lru_cache(maxsize=1)
def _scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script: a megabyte that takes seconds to put together,
    and is always the same.
    """
    import vl_convert

    return vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub lacks the default


def _sheet(charts: Sequence[alt.LayerChart], width: int) -> dict[str, Any]:
    """One specification of many. What depended on the width of the page gets the width of the
    sheet.
    """
    specs = [chart.to_dict() for chart in charts]
    parts = [
        {key: value for key, value in spec.items() if key not in _OF_THE_PAGE} for spec in specs
    ]
    for part in parts:
        part |= {"width": width, "height": part["height"] - AROUND}
    return {
        "$schema": specs[0]["$schema"],
        "background": "white",
        "padding": 12,
        "vconcat": [_fixed(part, width) for part in parts],
        "datasets": {name: rows for spec in specs for name, rows in spec["datasets"].items()},
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent"}},
    }


def _fixed(spec: Any, width: int) -> Any:
    if isinstance(spec, dict):
        return {key: _fixed(value, width) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_fixed(value, width) for value in spec]
    return (
        spec.replace("width", str(width)) if isinstance(spec, str) and spec in _BY_WIDTH else spec
    )
