"""Accuracy by slice: counts by hand, intervals as published, pairs only where both sides are
right.
"""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from bertsent.data.examples import Example, Reviews
from bertsent.probing.slices import PAIRS, LabelCount, Slice, accuracy_by_slice
from bertsent.statistics import balanced_accuracy_interval

ROWS = (
    Example("1", "a", 0, "sarcasm", "p1"),
    Example("2", "b", 1, "sincere", "p1"),
    Example("3", "c", 0, "sarcasm", "p2"),
    Example("4", "d", 1, "sarcasm", "p2"),
    Example("5", "e", 1, "", ""),
)
P = np.array([0.1, 0.9, 0.6, 0.7, 0.2])  # right: yes yes no yes no


def test_slices_count_what_is_right():
    found = accuracy_by_slice(Reviews("toy", ROWS), P)
    assert {name: (s.n, s.right) for name, s in found.items()} == {
        "all": (5, 3),
        "(none)": (1, 0),
        "sarcasm": (3, 2),
        "sincere": (1, 1),
        PAIRS: (2, 1),
    }
    assert found["sarcasm"].accuracy == pytest.approx(2 / 3)


def test_balanced_accuracy_is_scikit_learns():
    found = accuracy_by_slice(Reviews("toy", ROWS), P)
    labels = np.array([row.label for row in ROWS])
    assert found["all"].labels == (LabelCount(2, 1), LabelCount(3, 2))
    assert found["all"].score == pytest.approx(balanced_accuracy_score(labels, P > 0.5))
    assert found["all"].score_interval == balanced_accuracy_interval(((2, 1), (3, 2)))
    for alone in (found["sincere"], found[PAIRS]):
        assert alone.balanced is None
        assert (alone.score, alone.score_interval) == (alone.accuracy, alone.interval)


def test_the_label_zero_is_a_slice_of_its_own():
    assert {
        name: s.n for name, s in accuracy_by_slice(Reviews("toy", ROWS), P, by="label").items()
    } == {
        "all": 5,
        "0": 2,
        "1": 3,
        PAIRS: 2,
    }


def test_a_set_without_pairs_has_no_row_for_them():
    assert PAIRS not in accuracy_by_slice(Reviews("toy", ROWS[4:]), P[4:])


def test_the_interval_is_wilsons():
    """Newcombe (1998), table I, method 3: 81 of 263 gives 0.2553 to 0.3662, and 0 of 20 gives 0 to
    0.1611.
    """
    assert Slice("x", 263, 81).interval == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert Slice("x", 20, 0).interval == pytest.approx((0.0, 0.1611), abs=1e-4)


def test_an_interval_takes_a_minimal_pair_as_one():
    """The interval of a contrast set was as narrow as if the two sides of a pair had nothing to do
    with each other.
    """
    rows = tuple(Example(f"{i}", f"t{i}", i % 2, "", f"p{i // 2}") for i in range(40))
    p = np.array([0.9 if (i % 2) == (i < 20) else 0.1 for i in range(40)])  # whole pairs alike
    found = accuracy_by_slice(Reviews("toy", rows), p)["all"]
    alone = Slice("x", 40, 20).interval
    assert (found.n, found.right) == (40, 20)
    assert found.interval[1] - found.interval[0] > 1.3 * (alone[1] - alone[0])


def test_the_majority_class_stands_beside_an_accuracy():
    found = accuracy_by_slice(Reviews("toy", ROWS), P)
    assert found["all"].majority == pytest.approx(0.6)
    assert found["sarcasm"].majority == pytest.approx(2 / 3)
    assert [name for name in found] == ["all", "(none)", "sarcasm", "sincere", PAIRS]
