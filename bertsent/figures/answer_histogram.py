"""Many answers in, how many of them lie where between surely negative and surely positive out: a
histogram (Altair).
"""

import altair as alt
import pandas as pd

from bertsent.data.examples import LABELS, UNDECIDED
from bertsent.figures.altair_panels import AROUND, legend, level, named_scale, panel, tips
from bertsent.figures.colours import SAFE

BINS = 20


def answer_histogram(answers: pd.DataFrame) -> alt.LayerChart:
    """``answers`` has p_positive and prediction, one row a review."""
    place = (answers["p_positive"] * BINS).astype(int).clip(0, BINS - 1) / BINS
    counted = (
        answers.assign(low=place, high=place + 1 / BINS)
        .groupby(["low", "high", "prediction"], as_index=False)
        .size()
    )
    counted["top"] = counted.groupby("low")["size"].cumsum()
    counted["bottom"] = counted["top"] - counted["size"]
    names = [name for name in (*LABELS, UNDECIDED) if (counted["prediction"] == name).any()]
    colours = named_scale({name: SAFE.of(name) for name in names})
    bars = (
        alt.Chart(counted)
        .mark_rect()
        .encode(
            x=alt.X(
                "low:Q",
                title="P(positive)",
                scale=alt.Scale(domain=[0, 1], nice=False),
                axis=alt.Axis(format=".0%", tickCount=5, grid=False),
            ),
            x2="high:Q",
            y=alt.Y("bottom:Q", title="reviews", axis=alt.Axis(tickMinStep=1)),
            y2="top:Q",
            color=alt.Color("prediction:N", scale=colours, legend=legend()),
            tooltip=[
                "prediction:N",
                *tips(".0%", "low", "high"),
                alt.Tooltip("size:Q", title="reviews"),
            ],
        )
    )
    half = level(0.5, "half", strokeDash=[2, 3], opacity=1).encode(x="half:Q")
    return panel("How sure the answers are", bars, half, height=220 + AROUND)
