"""The series behind the curves: thinning keeps spikes and gaps, flips are changes of side, and the
sentence on gradients counts.
"""

import numpy as np
import pandas as pd

from bertsent.training.curves.series import (
    STEP_BUCKETS,
    epoch_bands,
    gradient_sentence,
    sentinel_flips,
    smoothed,
    thinned,
    thinned_to,
)


def steps(count: int) -> pd.DataFrame:
    step = np.arange(1, count + 1)
    return pd.DataFrame({"step": step, "loss": np.exp(-step / 60)})


def test_a_long_run_is_thinned_but_its_spike_stays():
    long = steps(12_000)
    long.loc[7_777, "loss"], long.loc[5_000, "loss"] = 9.0, np.nan
    kept = thinned(long, 12_000)
    assert len(kept) <= 3 * STEP_BUCKETS and {7_778, 5_001, 12_000} <= set(kept["step"])
    early = thinned(long[:6_000], 12_000)
    assert set(early["step"][:-3]) <= set(kept["step"])  # what is drawn once stays


def test_one_of_many_runs_keeps_its_ends_and_its_spike():
    long = steps(5_000)
    long.loc[1_234, "loss"] = 99.0
    kept = thinned_to(long, 100)
    assert len(kept) <= 102 and 99.0 in set(kept["loss"])
    assert kept["step"].iloc[[0, -1]].tolist() == [1, 5_000]
    pd.testing.assert_frame_equal(kept, long.loc[kept.index])


def test_a_gap_stays_a_gap_when_smoothed():
    values = pd.Series([1.0, np.nan, 3.0])
    assert smoothed(values, 10).isna().tolist() == [False, True, False]
    assert smoothed(values, 10)[2] == values.ewm(halflife=2.0, ignore_na=True).mean()[2]


def test_flips_tell_which_sentence_changed_sides_when():
    frame = pd.DataFrame(
        [
            (0, "a", 0.9),
            (0, "b", 0.2),
            (5, "a", 0.5),
            (5, "b", np.nan),
            (10, "a", 0.4),
            (10, "b", 0.3),
            (15, "a", 0.8),
        ],
        columns=["step", "text", "p_positive"],
    ).sample(frac=1, random_state=0)
    assert sentinel_flips(frame).to_dict("records") == [
        {"step": 10, "text": "a", "from_label": "POSITIVE", "to_label": "NEGATIVE"},
        {"step": 15, "text": "a", "from_label": "NEGATIVE", "to_label": "POSITIVE"},
    ]
    empty = sentinel_flips(frame[:0])
    assert list(empty.columns) == ["step", "text", "from_label", "to_label"] and empty.empty


def test_a_band_reaches_from_the_lowest_to_the_highest_seed():
    rows = pd.DataFrame({"arm": "with", "seed": [1, 2, 3], "epoch": 1, "loss": [0.2, 0.4, np.nan]})
    (band,) = epoch_bands(rows, "loss").to_dict("records")
    assert {**band, "mean": round(band["mean"], 9)} == {
        "arm": "with",
        "epoch": 1,
        "mean": 0.3,
        "low": 0.2,
        "high": 0.4,
        "seeds": 2,
    }
    assert epoch_bands(rows[:0], "loss").empty


def test_the_sentence_on_gradients_counts():
    frame = steps(8).assign(grad_norm=[0.5, 0.5, 0.5, 1.5, 0.5, 0.5, 3.25, 1.5])
    words = gradient_sentence(frame)
    assert "In 38 % of 8 steps" in words and "below 0.5" in words
    assert "the highest is 3.2, at step 7" in words
    assert gradient_sentence(frame.assign(grad_norm=np.inf)) == gradient_sentence(frame[:0]) == ""
