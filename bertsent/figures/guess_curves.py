"""What a model that learns masked words puts into one gap, step by step: rows of guesses in, one
Altair chart out.
"""

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import (
    DASHES,
    RIGHT,
    STEP_TIP,
    edge_axis,
    legend,
    level,
    series_looks,
    share_scale,
    step_axis,
    two_axis_panel,
)


def guess_curves(guesses: pd.DataFrame, *, total_steps: int, height: int = 160) -> alt.LayerChart:
    """The probability of the leading guesses over the steps, to be shown with ``width="stretch"``.

    ``guesses`` has step, word, rank, p, as ``training.curves.guesses.drawn_guesses`` gives them; it
    may be empty. Where a guess is not among those that were stated, its line has a gap.
    """
    words = list(dict.fromkeys(guesses["word"].astype(str)))
    rows = guesses.assign(p=pd.to_numeric(guesses["p"], errors="coerce").astype("float64"))
    look = legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=2, labelLimit=160)
    color, dash = series_looks("word", words, DASHES, look)
    scale = share_scale() if rows.empty else alt.Scale(zero=True)
    y = alt.Y("p:Q", scale=scale, axis=edge_axis(format=".2~p"))
    base = alt.Chart(rows).encode(x=step_axis(total_steps), y=y)
    line = base.mark_line(strokeWidth=2).encode(color=color, strokeDash=dash)
    tip = [
        alt.Tooltip("word:N", title="guess"),
        STEP_TIP,
        alt.Tooltip("p:Q", title="probability", format=".3~p"),
        alt.Tooltip("rank:Q", title="place", format=".0f"),
    ]
    points = base.mark_circle(size=36).encode(color=color, tooltip=tip)
    # nothing, but as wide as the right axis of the curves above
    hidden = edge_axis(RIGHT, orient="right", labels=False, ticks=False, domain=False, grid=False)
    edge = level(0.5, "half", opacity=0).encode(y=alt.Y("half:Q", axis=hidden))
    title = "Probability of the leading guesses, by step"
    return two_axis_panel(title, [line, points], edge, height)
