"""True against predicted numbers as a chart, with the line of best fit beside the ideal one: a
report in, an Altair chart out.
"""

import altair as alt
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.figures.altair_panels import layered, legend, named_scale
from bertsent.figures.colours import HIGHLIGHT, QUIET, VALIDATION
from bertsent.training.runs.rating_report import RatingReport

HEIGHT, CHARACTERS = 330, 120
IDEAL, FIT, PAIR = "ideal", "best fit", "a text"
DOT = "dot"  # the selection that a click makes: the field id
_COLOURS = {IDEAL: QUIET, FIT: HIGHLIGHT, PAIR: VALIDATION}


def rating_scatter(found: RatingReport, *, height: int = HEIGHT) -> alt.LayerChart:
    """One dot a text, its true number across and the predicted one up."""
    extent = [found.low, found.high]
    scale = alt.Scale(domain=extent, nice=False)
    look = legend(symbolType="square", symbolStrokeWidth=0, symbolOpacity=1)
    color = alt.Color("line:N", scale=named_scale(_COLOURS), legend=look)
    across = alt.Axis(title=f"true {found.measure}", tickCount=6)
    axes = {
        "x": alt.X("true:Q", scale=scale, axis=across),
        "y": alt.Y("predicted:Q", scale=scale, axis=alt.Axis(title="predicted", tickCount=6)),
        "color": color,
    }
    click = alt.selection_point(name=DOT, fields=["id"], toggle=False, nearest=False, empty=False)
    dots = alt.Chart(_dots(found)).mark_circle(opacity=0.55, cursor="pointer")
    size = alt.condition(click, alt.value(260), alt.value(45))
    tips = [
        *(alt.Tooltip(f"{name}:N") for name in ("text", "second")),
        *(alt.Tooltip(f"{name}:Q", format=".2f") for name in ("true", "predicted")),
    ]
    fit = [found.slope * x + found.intercept for x in extent]
    lines = pd.DataFrame(
        {
            "line": [IDEAL, IDEAL, FIT, FIT],
            "true": [*extent, *extent],
            "predicted": [*extent, *fit],
        }
    )
    drawn = alt.Chart(lines).mark_line(strokeWidth=2.5, clip=True)
    dash = alt.StrokeDash("line:N", scale=named_scale({IDEAL: [5, 4], FIT: [1, 0]}), legend=None)
    return layered(
        dots.encode(**axes, size=size, tooltip=tips).add_params(click),
        drawn.encode(**axes, strokeDash=dash),
        height=height,
        background="transparent",
    )


def _dots(found: RatingReport) -> pd.DataFrame:
    """The answers, texts cut to what a tip holds."""
    shown = found.answers[["id", "text", "second", "true", "predicted"]]
    cut = {
        name: shown[name].map(lambda text: shorten(text, CHARACTERS)) for name in ("text", "second")
    }
    return shown.assign(line=PAIR, **cut)
