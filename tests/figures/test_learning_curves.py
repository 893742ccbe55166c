"""The live curves: what is drawn is what happened, gaps are gaps, and nothing but data changes
while a run lives.
"""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from bertsent.figures.altair_panels import DASHES
from bertsent.figures.learning_curves import gradient_charts, learning_curves, sentence_names
from bertsent.tasks.catalogue import SIMILARITY
from bertsent.tasks.measure import measure_of
from bertsent.training.config import MAX_GRADIENT_NORM
from bertsent.training.curves.series import STEP_BUCKETS

STEPS = (
    "step epoch loss accuracy learning_rate head_learning_rate grad_norm tokens_per_second seconds"
).split()
CHECKS = "step epoch loss accuracy macro_f1".split()
TEXTS = ("Great, another boring movie", "This is <b>not</b> a bad film")


def steps(count: int) -> pd.DataFrame:
    step = np.arange(1, count + 1)
    made = pd.DataFrame(
        {
            "step": step,
            "epoch": (step - 1) // 50 + 1,
            "loss": np.exp(-step / 60),
            "accuracy": 0.8,
            "learning_rate": 2e-5,
            "head_learning_rate": 1e-3,
            "grad_norm": 0.5 + (step % 4 == 0),
        }
    )
    return made.reindex(columns=STEPS)


def checks(*at: int) -> pd.DataFrame:
    return pd.DataFrame(
        [{"step": s, "epoch": 1, "loss": 0.5, "accuracy": 0.75, "macro_f1": 0.7} for s in at],
        columns=CHECKS,
    )


def pinned(*at: int, texts=TEXTS) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"step": s, "text": t, "p_positive": 0.1 + i / 20}
            for s in at
            for i, t in enumerate(texts)
        ],
        columns=["step", "text", "p_positive"],
    )


def spec(chart) -> dict:
    return json.loads(chart.to_json())


def rows(chart, *columns: str) -> pd.DataFrame:
    """The data set of the chart that has these columns."""
    found = [
        frame
        for frame in map(pd.DataFrame, spec(chart)["datasets"].values())
        if set(columns) <= set(frame.columns)
    ]
    assert len(found) == 1
    return found[0]


def skeleton(chart) -> str:
    """The specification without data, as Streamlit compares it: data set names go, their order
    stays.
    """
    made = chart.to_dict()
    text = json.dumps({key: value for key, value in made.items() if key != "datasets"})
    for number, name in enumerate(made["datasets"]):
        text = text.replace(name, f"data {number}")
    return text


def test_the_panels_share_one_axis_that_is_there_from_the_start():
    empty = learning_curves(steps(0), checks(), pinned(), total_steps=240)
    full = learning_curves(steps(240), checks(0, 120), pinned(0, 120), total_steps=240)
    for chart in (*empty, *full):
        assert '"domain": [0, 240]' in json.dumps(spec(chart))
        assert spec(chart)["background"] == "transparent"


def test_only_data_change_while_a_run_lives():
    """A specification that changed would make Streamlit draw a new chart at every tick."""
    early = learning_curves(steps(20), checks(0), pinned(0), total_steps=240)
    late = learning_curves(steps(230), checks(0, 80, 160), pinned(0, 80, 160), total_steps=240)
    for before, after in zip(early, late, strict=True):
        assert skeleton(before) == skeleton(after)


def test_a_correlation_that_may_be_negative_has_its_zero_on_both_axes():
    """Counted from −0.2 on, every second tick was −0.2, 0.2, 0.6: there was no 0 to read."""
    measure = measure_of(SIMILARITY)
    chart = learning_curves(steps(9), checks(5), pinned(), total_steps=9, measure=measure).accuracy
    axes = {json.dumps(y["axis"]["values"]): y["scale"]["domain"] for y in shares(spec(chart))}
    assert axes == {"[0, 0.25, 0.5, 0.75, 1]": [-0.2, 1]}


def shares(made: dict) -> Iterator[dict]:
    """The y axes of a chart and of its layers that have a fixed extent."""
    y = made.get("encoding", {}).get("y", {})
    if "domain" in y.get("scale", {}):
        yield y
    for layer in made.get("layer", ()):
        yield from shares(layer)


def test_what_is_drawn_is_what_happened():
    curves = learning_curves(steps(100), checks(50, 100), pinned(0, 100), total_steps=100)
    drawn = rows(curves.loss, "loss", "learning_rate")
    np.testing.assert_allclose(drawn["loss"], np.exp(-np.arange(1, 101) / 60))
    assert list(rows(curves.accuracy, "macro_f1")["accuracy"]) == [0.75, 0.75]
    assert sorted(rows(curves.sentinels, "p_positive")["p_positive"]) == pytest.approx(
        [0.1, 0.1, 0.15, 0.15]
    )
    assert list(rows(curves.loss, "epoch")["step"]) == [51]  # where the second epoch begins


def test_missing_and_infinite_values_are_gaps_and_never_zero():
    broken = steps(30)
    broken.loc[10, "loss"], broken.loc[11, "loss"] = np.nan, np.inf
    drawn = rows(learning_curves(broken, checks(), pinned(), total_steps=30).loss, "smooth_loss")
    assert (
        drawn["loss"].isna().tolist()
        == drawn["smooth_loss"].isna().tolist()
        == [i in (10, 11) for i in range(30)]
    )
    assert drawn["loss"].min() > 0


def test_a_long_run_draws_few_points_of_its_sentinels():
    many = pinned(*range(0, 12_000, 10), texts=[f"sentence {i}" for i in range(12)])
    curves = learning_curves(steps(0), checks(), many, total_steps=12_000)
    points = rows(curves.sentinels, "p_positive")
    assert len(points) < 2_000 and points["step"].max() == 11_990


def test_twelve_sentences_are_told_apart_by_colour_and_dash():
    made = spec(
        learning_curves(
            steps(0), checks(), pinned(0, texts=[f"sentence {i}" for i in range(14)]), total_steps=9
        ).sentinels
    )
    text = json.dumps(made)
    layer = next(one for one in made["layer"][0]["layer"] if "strokeDash" in one["encoding"])
    looks = zip(
        layer["encoding"]["color"]["scale"]["range"],
        map(tuple, layer["encoding"]["strokeDash"]["scale"]["range"]),
        strict=True,
    )
    assert len(set(looks)) == 12 and "sentence 11" in text and "sentence 12" not in text
    assert len(DASHES) == 4


def test_a_sentence_that_waits_for_its_first_answer_has_its_place_already():
    waiting = pinned(0).assign(p_positive=np.nan)
    assert skeleton(
        learning_curves(steps(0), checks(), waiting, total_steps=9).sentinels
    ) == skeleton(learning_curves(steps(0), checks(), pinned(0), total_steps=9).sentinels)


def test_a_mark_stands_where_an_answer_changed_and_survives_in_a_long_run():
    p = np.where(np.arange(6_000) == 3_001, 0.9, 0.1)  # positive for one step
    scores = pd.DataFrame({"step": np.arange(6_000), "text": "no fun", "p_positive": p})
    made = learning_curves(steps(0), checks(), scores, total_steps=6_000).sentinels
    drawn = rows(made, "turned")
    turned = drawn[drawn["turned"] != ""]
    assert len(drawn) < 2_000 and drawn["step"].is_monotonic_increasing
    assert list(zip(turned["step"], turned["turned"], strict=True)) == [
        (3_001, "POSITIVE"),
        (3_002, "NEGATIVE"),
    ]


def test_sentences_that_begin_alike_get_different_names():
    shared = "I wanted to love it, and for the first hour I really did "
    names = sentence_names(
        [
            shared + "love it",
            shared + "hate it",
            shared + "hate it " + " " * 3 + "so",
            "x" * 80,
            "x" * 81,
            "x" * 82,
        ]
    )
    assert len(set(names.values())) == 6 and all(len(name) <= 44 for name in names.values())


def test_raw_curves_without_smoothing():
    curves = learning_curves(steps(50), checks(), pinned(), total_steps=50, smooth=False)
    assert "smoothed" not in json.dumps(spec(curves.loss)) and "each step" in json.dumps(
        spec(curves.accuracy)
    )


@pytest.mark.parametrize("total", [0, 1])
def test_a_run_of_no_steps_still_has_axes(total):
    assert all(
        spec(chart)["layer"]
        for chart in learning_curves(steps(0), checks(), pinned(), total_steps=total)
    )


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
    norms = rows(charts.gradient, "step", "grad_norm")
    assert norms["step"].tolist() == list(range(1, 21))
    assert (
        norms["grad_norm"].isna().tolist()
        == norms["smooth"].isna().tolist()
        == [i in (3, 4) for i in range(20)]
    )
    rates = rows(charts.rates, "step", "head_learning_rate")
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
    norms = rows(gradient_charts(frame, total_steps=5000).gradient, "step", "grad_norm")
    assert len(norms) <= 3 * STEP_BUCKETS and norms["grad_norm"].max() == 80
    gradient_charts(steps(0), total_steps=1)
