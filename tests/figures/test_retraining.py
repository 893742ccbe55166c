"""Before and after a retraining: two marks a set of reviews, at the numbers of the table."""

import pandas as pd

from bertsent.figures.retraining import COLOURS, retraining_chart

TABLE = pd.DataFrame(
    {
        "reviews": ["learned from", "learned from", "never seen", "never seen"],
        "when": ["before", "after"] * 2,
        "n": [6, 6, 7, 7],
        "right": [0, 5, 0, 2],
        "accuracy": [0.0, 5 / 6, 0.0, 2 / 7],
        "low": [0.0, 0.4, 0.0, 0.1],
        "high": [0.4, 0.97, 0.35, 0.6],
    }
)


def test_each_set_has_a_mark_and_an_interval_before_and_after():
    made = retraining_chart(TABLE).to_dict()
    rows = max(made["datasets"].values(), key=len)
    assert [row["accuracy"] for row in rows] == TABLE["accuracy"].tolist()
    assert {row["reviews"] for row in rows} == {"learned from (6)", "never seen (7)"}
    kinds = [layer["mark"]["type"] for layer in made["layer"]]
    assert kinds == ["rule", "rule", "point"]
    x = made["layer"][1]["encoding"]
    assert (x["x"]["field"], x["x2"]["field"]) == ("low", "high")


def test_before_and_after_differ_in_shape_as_well():
    encoding = retraining_chart(TABLE).to_dict()["layer"][2]["encoding"]
    for channel in ("color", "shape"):
        scale = encoding[channel]["scale"]
        assert scale["domain"] == list(COLOURS) and len(set(scale["range"])) == 2
