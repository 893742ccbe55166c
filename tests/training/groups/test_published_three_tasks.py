"""The printed rows, and the remarks worked out from them."""

import pytest

from bertsent.training.groups.published_three_tasks import (
    CHOSEN,
    EXAMPLES,
    LEADERBOARD,
    all_rows,
    remarks,
)


def test_all_eighteen_rows_are_there_and_their_means_are_the_arithmetic_ones() -> None:
    rows = all_rows()
    assert len(rows) == 18 and rows["model"].is_unique
    arithmetic = rows[["SST", "PARA", "STS"]].mean(axis=1)
    assert (rows["mean"] - arithmetic).abs().max() <= 0.001
    assert rows.set_index("model").loc[CHOSEN].tolist() == [0.527, 0.795, 0.854, 0.725]
    assert (rows["mean"] == 0.725).sum() == 2
    assert sum(LEADERBOARD[t] for t in ("SST", "PARA", "STS")) / 3 == pytest.approx(
        0.7263, abs=1e-4
    )


def test_the_remarks_have_the_numbers_of_the_table() -> None:
    found = " ".join(remarks())
    assert "0.675 with it and 0.679 without" in found and "0.7263" in found
    assert "0.812 to 0.784" in found or "0.813 to 0.784" in found


def test_the_examples_are_the_nine_of_the_study() -> None:
    assert [example.task for example in EXAMPLES] == [
        name for name in ("five-steps", "paraphrase", "similarity") for _ in range(3)
    ]
    wrong = [e for e in EXAMPLES if abs(e.truth - e.printed) > 0.05]
    assert [e.text[:12] for e in wrong] == ["The film's h", "What can you", "Fire in Russ"]
