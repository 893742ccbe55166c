"""What all Altair panels share: their title, their axes, their edges and their rules. Panels of
equal edges lie in line at any width.

Curves are several charts and not one concatenation: a concatenated chart does not fit its container
in Streamlit 1.67 (its axes are drawn outside).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt
import pandas as pd
import pyarrow as pa

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, TRAINING, VALIDATION

AROUND = 100  # pixels that title, legend and step axis take of a panel's height
LEFT, RIGHT = 40, 46  # pixels beside each panel
SERIES_COLOURS = (TRAINING, VALIDATION, "#56B4E9", HIGHLIGHT, CLUSTERS[4], CLUSTERS[5])
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3])
GUESSING = "guessing: ln 2"  # the name of the rule at the loss of guessing one of two labels
STEP_TIP = alt.Tooltip("step:Q", format=",d")
# a Vega-Lite specification whose data sets are Arrow tables: half the work of sending them is done
ChartSpec = dict[str, Any]


def layered(*layers: alt.LayerChart | alt.Chart, **look: Any) -> alt.LayerChart:
    """One drawn over the other."""
    return cast(alt.LayerChart, alt.layer(*layers, **look))


def panel(title: str, *layers: alt.LayerChart | alt.Chart, **look: Any) -> alt.LayerChart:
    """Layers under a title, on the page's own ground."""
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    return layered(*layers, **{"title": heading, "background": "transparent", **look})


def two_axis_panel(
    title: str,
    left: Sequence[alt.Chart | alt.LayerChart],
    right: alt.Chart | alt.LayerChart,
    height: int,
) -> alt.LayerChart:
    """Layers that share the left axis and one that has the right axis, under a title."""
    padding = {"left": 0, "top": 4, "right": 0, "bottom": 4}
    # given at once: Altair copies all layers for each thing that is said of a chart afterwards
    resolve = alt.Resolve(scale=alt.ScaleResolveMap(y="independent"))
    look = {"height": height + AROUND, "padding": padding, "resolve": resolve}
    return panel(title, layered(*left), right, **look)


def step_axis(total_steps: int) -> alt.X:
    """From 0 to the last step from the start, so nothing jumps while data arrive."""
    axis = alt.Axis(
        title=None,
        format=",d",
        tickMinStep=1,
        tickCount=alt.ExprRef("max(3, width / 90)"),
        grid=False,
        labelFlush=True,
    )
    scale = alt.Scale(domain=[0, max(1, total_steps)], nice=False, zero=False)
    return alt.X("step:Q", scale=scale, axis=axis)


def edge_axis(edge: int = LEFT, **look: Any) -> alt.Axis:
    """An axis that takes ``edge`` pixels, whatever its labels are."""
    usual = {"title": None, "minExtent": edge, "maxExtent": edge, "labelPadding": 6, "tickCount": 5}
    return alt.Axis(**{**usual, **look})


def share_scale() -> alt.Scale:
    """From 0 to 100 %."""
    return alt.Scale(domain=[0, 1])


def legend(**look: Any) -> alt.Legend:
    """Without a title, above the panel."""
    return alt.Legend(**{"title": None, "orient": "top", **look})


def level(value: float, field: str = "y", **look: Any) -> alt.Chart:
    """A quiet rule across the panel at ``value``, of the data field ``field``."""
    chart = alt.Chart(pd.DataFrame({field: [value]}))
    return chart.mark_rule(**{"color": QUIET, "strokeWidth": 1, "opacity": 0.6, **look})


def named_level(field: str, value: float, words: str, y: alt.Y) -> list[alt.Chart]:
    """A quiet rule across the panel, its name at the right end; ``y`` is the panel's axis of
    ``field``.
    """
    chart = alt.Chart(pd.DataFrame({field: [value], "word": [words]}))
    name = chart.mark_text(
        color=QUIET, align="right", baseline="bottom", dx=-2, dy=-2, fontSize=11
    ).encode(x=alt.value("width"), y=y, text="word:N")
    return [chart.mark_rule(color=QUIET, strokeWidth=1, opacity=0.6).encode(y=y), name]


def series_looks(
    field: str, names: list[str], dashes: tuple[list[int], ...], look: alt.Legend | None
) -> tuple[alt.Color, alt.StrokeDash]:
    """Colour and dash of each name; together they differ for as many names as there are of both
    combined.
    """
    count = len(SERIES_COLOURS)
    colours = {name: SERIES_COLOURS[i % count] for i, name in enumerate(names)}
    dash = {name: dashes[(i + i // count) % len(dashes)] for i, name in enumerate(names)}
    shown = look if names else None
    return (
        alt.Color(f"{field}:N", scale=named_scale(colours), legend=shown),
        alt.StrokeDash(f"{field}:N", scale=named_scale(dash), legend=shown),
    )


def word_axis(words: Sequence[str], first: int = 1, *, shown: bool = True) -> alt.X:
    """A row of words in their order; the axis knows positions from ``first``, because a word may
    come twice. Hidden where another panel with the same words follows.
    """
    if not shown:
        return alt.X("position:O", axis=alt.Axis(labels=False, ticks=False, title=None))
    slanted = {"labelAngle": -45, "labelAlign": "right"} if len(words) > 6 else {"labelAngle": 0}
    axis = alt.Axis(
        title=None,
        ticks=False,
        labelOverlap=False,
        labelLimit=120,
        labelFontSize=12,
        labelExpr=f"{json.dumps(list(words))}[datum.value - {first}]",
        **slanted,
    )
    return alt.X("position:O", axis=axis)


def named_scale(looks: Mapping[str, Any]) -> alt.Scale:
    """What each name looks like: its colour, dash or shape."""
    return alt.Scale(domain=list(looks), range=list(looks.values()))


def tips(form: str, *fields: str) -> list[alt.Tooltip]:
    """What hovering shows of numbers of one format."""
    return [alt.Tooltip(f"{field}:Q", format=form) for field in fields]


def chart_spec(chart: alt.TopLevelMixin) -> ChartSpec:
    """The chart as ``bertsent.ui.shared.charts.draw`` takes it; it is read, never changed. Made
    once, and then sent to everybody who looks at it: to build and validate a chart takes a tenth of
    a second.
    """
    spec = chart.to_dict()
    spec.pop("config", None)  # Altair's own default size; the page gives the width and the theme
    tables = {
        name: pa.Table.from_pandas(pd.DataFrame(rows))
        for name, rows in spec.get("datasets", {}).items()
    }
    return {**spec, "datasets": tables}
