"""Gradient norm and rates: what is drawn is what happened, on the step axis of the other curves."""

import json

import numpy as np
import pandas as pd

from bertsent.figures.gradient_norm import gradient_charts
from bertsent.figures.learning_curves import learning_curves
from bertsent.training.config import MAX_GRADIENT_NORM
from bertsent.training.curves.series import STEP_BUCKETS


def steps(count: int) -> pd.DataFrame:
    step = np.arange(1, count + 1)
    frame = {
        "step": step,
        "epoch": 1.0,
        "loss": 0.5,
        "accuracy": 0.8,
        "learning_rate": 5e-5,
        "head_learning_rate": 1e-3,
    }
    return pd.DataFrame(frame | {"grad_norm": 0.5 + (step % 4 == 0)})


def spec(chart) -> dict:
    return json.loads(chart.to_json())


def rows(chart, column: str) -> pd.DataFrame:
    (found,) = [
        f for f in map(pd.DataFrame, spec(chart)["datasets"].values()) if {"step", column} <= set(f)
    ]
    return found


def test_the_rule_is_where_training_clips() -> None:
    assert f"clipped above {MAX_GRADIENT_NORM:g}" in json.dumps(
        spec(gradient_charts(steps(3), total_steps=10).gradient)
    )


def test_every_step_is_there_and_gaps_are_gaps() -> None:
    frame = steps(20)
    frame.loc[3, "grad_norm"], frame.loc[4, "grad_norm"], frame.loc[5, "learning_rate"] = (
        np.nan,
        np.inf,
        0.0,
    )
    charts = gradient_charts(frame, total_steps=40)
    norms = rows(charts.gradient, "grad_norm")
    assert norms["step"].tolist() == list(range(1, 21))
    assert (
        norms["grad_norm"].isna().tolist()
        == norms["smooth"].isna().tolist()
        == [i in (3, 4) for i in range(20)]
    )
    rates = rows(charts.rates, "head_learning_rate")
    assert (
        rates["learning_rate"].isna().tolist() == [i == 5 for i in range(20)]
        and (rates["head_learning_rate"] == 1e-3).all()
    )


def test_the_step_axis_is_that_of_the_curves() -> None:
    empty = pd.DataFrame()
    sentinels = pd.DataFrame({"step": [], "text": [], "p_positive": []})
    curves = learning_curves(steps(5), empty, sentinels, total_steps=70)
    mine = gradient_charts(steps(5), total_steps=70)

    def axes(chart) -> set[str]:
        found: set[str] = set()

        def walk(node: object) -> None:
            if isinstance(node, dict):
                if node.get("field") == "step" and "axis" in node:
                    found.add(json.dumps(node, sort_keys=True))
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        walk(spec(chart))
        return found

    assert (
        axes(mine.gradient) == axes(mine.rates) == axes(curves.loss) and len(axes(mine.rates)) == 1
    )


def test_a_spike_survives_in_a_long_run_and_nothing_is_fine() -> None:
    frame = steps(5000)
    frame.loc[3217, "grad_norm"] = 80.0
    norms = rows(gradient_charts(frame, total_steps=5000).gradient, "grad_norm")
    assert len(norms) <= 3 * STEP_BUCKETS and norms["grad_norm"].max() == 80
    gradient_charts(steps(0), total_steps=1)
