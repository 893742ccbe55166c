"""The histogram of many answers counts every one once."""

import json

import pandas as pd

from bertsent.figures.answer_histogram import answer_histogram


def test_every_answer_is_in_one_bar() -> None:
    """0 and 1 are answers as well; two labels in one bar lie one over the other."""
    answers = pd.DataFrame(
        {
            "p_positive": [0.0, 0.02, 0.51, 0.52, 1.0],
            "prediction": ["NEGATIVE", "NEGATIVE", "POSITIVE", "UNDECIDED", "POSITIVE"],
        }
    )
    spec = json.loads(answer_histogram(answers).to_json())
    bars = next(rows for rows in spec["datasets"].values() if "size" in rows[0])
    assert sum(bar["size"] for bar in bars) == 5
    assert sorted((bar["low"], bar["bottom"], bar["top"]) for bar in bars) == [
        (0.0, 0, 2),
        (0.5, 0, 1),
        (0.5, 1, 2),
        (0.95, 0, 1),
    ]
