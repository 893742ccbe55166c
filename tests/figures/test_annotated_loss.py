"""What the annotated course draws, read from its specification."""

import pandas as pd

from bertsent.figures.altair_panels import chart_spec
from bertsent.figures.annotated_loss import TRAINED, VALIDATED, annotated_loss_chart

POINTS = pd.DataFrame(
    {
        "step": [0, 10, 20],
        "epoch": [0.0, 1.0, 2.0],
        "training": [None, 0.5, 0.2],
        "validation": [0.7, 0.4, 0.8],
    }
).astype({"training": "float64"})


def rows(**options: object) -> list[dict]:
    found = chart_spec(annotated_loss_chart(POINTS, total_steps=30, **options))["datasets"].values()
    return [row for frame in found for row in frame.to_pylist()]


def test_every_measured_loss_is_drawn_and_no_other() -> None:
    drawn = {(row["line"], row["step"], row["loss"]) for row in rows(warm_up=0) if "line" in row}
    assert drawn == {
        (TRAINED, 10, 0.5),
        (TRAINED, 20, 0.2),
        (VALIDATED, 0, 0.7),
        (VALIDATED, 10, 0.4),
        (VALIDATED, 20, 0.8),
    }


def test_notes_are_there_only_where_they_hold() -> None:
    plain, full = rows(warm_up=0), rows(warm_up=3, lowest=10, overfits=True)
    assert {row["word"] for row in plain if "word" in row} == {"guessing: ln 2"}
    assert {row["word"] for row in full if "word" in row} == {
        "guessing: ln 2",
        "warm-up",
        "lowest, then overfitting",
    }
    assert {(row["step"], row["end"]) for row in full if "end" in row} == {(0, 3), (10, 20)}
    assert "lowest" in {row.get("word") for row in rows(warm_up=0, lowest=20)}
