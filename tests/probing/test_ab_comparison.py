"""What paired runs show, worked by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput
from bertsent.probing.ab_comparison import (
    changed_answers,
    compare_arms,
    compare_arms_by_slice,
    slice_table,
)
from bertsent.probing.slices import Slice


def numbered(labels, **fields):
    return Reviews(
        "set",
        tuple(Example(f"r{n}", f"review {n}", label, **fields) for n, label in enumerate(labels)),
    )


def answers(text):
    """``+`` is P(positive) 0.9, ``-`` is 0.1."""
    return np.array([0.9 if c == "+" else 0.1 for c in text])


def test_one_seed_by_hand():
    """Ten positive reviews: one broken, four corrected, three right and two wrong in both arms."""
    found = compare_arms(numbered([1] * 10), answers("++++------"), answers("+++-++++--"))
    assert (found.n, found.corrected, found.broken, found.first, found.second) == (
        10,
        4,
        1,
        0.4,
        0.7,
    )
    assert found.p_value == pytest.approx(2 * (1 + 5) / 32) and not found.significant
    sentence = found.sentence("reviews")
    assert "+30.0 points" in sentence and "10.0 points here" in sentence


def test_many_more_corrected_than_broken_is_significant():
    found = compare_arms(
        numbered([1] * 200), answers("+" * 100 + "-" * 100), answers("+" * 160 + "-" * 40)
    )
    assert found.p_value == pytest.approx(2 * 0.5**60) and found.significant


def test_harm_is_called_harm():
    reviews = numbered([0] * 200)
    twice = np.stack([answers("-" * 200)] * 2), np.stack([answers("+" * 60 + "-" * 140)] * 2)
    found = compare_arms(reviews, *twice)
    assert found.significant and found.difference == pytest.approx(-0.3)
    assert "−30.0 points" in found.sentence("reviews")


def test_both_sides_of_a_pair_count_as_one():
    """Forty reviews that all change the same way by pairs hold only twenty independent facts: the
    interval is wider.
    """
    gain = "-+" * 20
    alone = numbered([1] * 40)
    paired = Reviews(
        "set", tuple(Example(f"r{n}", f"review {n}", 1, pair=f"p{n // 2}") for n in range(40))
    )
    flat, by_pairs = (
        answers("-" * 40),
        answers("".join("++" if c == "+" else "--" for c in gain[:20])),
    )
    single, double = compare_arms(alone, flat, by_pairs), compare_arms(paired, flat, by_pairs)
    assert double.high - double.low > single.high - single.low
    assert (
        double.p_value
        == binomtest(10, 10, 0.5).pvalue
        > single.p_value
        == binomtest(20, 20, 0.5).pvalue
    )


def test_seeds_that_disagree_show_nothing():
    reviews = numbered([1] * 400)
    base = answers("-" * 400)
    better, worse = answers("+" * 100 + "-" * 300), answers("-" * 400)
    worse_base = answers("-" * 390 + "+" * 10)
    found = compare_arms(reviews, np.stack([base, worse_base]), np.stack([better, worse]))
    assert found.low > 0 and not found.agreed and not found.significant
    assert "seeds range from −2.5 to +25.0" in found.sentence("reviews")


def test_equal_answers_show_no_difference_and_still_have_an_interval():
    found = compare_arms(numbered([0, 1] * 10), answers("+" * 20), answers("+" * 20))
    assert (found.corrected, found.broken, found.p_value) == (0, 0, 1.0)
    assert found.low < 0 < found.high


@pytest.mark.parametrize("shapes", [((1, 3), (1, 4)), ((1, 3), (2, 4)), ((0, 4), (0, 4))])
def test_answers_that_do_not_fit_are_refused(shapes):
    with pytest.raises(BadInput):
        compare_arms(numbered([0, 1, 0, 1]), np.zeros(shapes[0]), np.zeros(shapes[1]))


def test_changed_answers_are_the_set_difference_of_the_two_predictions():
    chance = np.random.default_rng(3)
    reviews = numbered(chance.integers(0, 2, 300).tolist())
    without, having = chance.random(300), chance.random(300)
    table = changed_answers(reviews, without, having, seed=7)
    one = {(e.id, bool(p > 0.5)) for e, p in zip(reviews, without, strict=True)}
    other = {(e.id, bool(p > 0.5)) for e, p in zip(reviews, having, strict=True)}
    assert set(zip(table["id"], table["with"] == "POSITIVE", strict=True)) == other - one
    assert set(zip(table["id"], table["without"] == "POSITIVE", strict=True)) == one - other
    assert set(table["seed"]) == {7}
    changes = (table["p_with"] - table["p_without"]).abs()
    assert changes.is_monotonic_decreasing
    assert ((table["with"] == table["true"]) == (table["change"] == "corrected")).all()


def test_changed_answers_by_hand():
    table = changed_answers(
        numbered([1, 1, 0]), np.array([0.4, 0.9, 0.5]), np.array([0.8, 0.8, 0.51]), seed=1
    )
    rows = table[["id", "true", "without", "with", "change"]].values.tolist()
    assert rows == [
        ["r0", "POSITIVE", "NEGATIVE", "POSITIVE", "corrected"],
        ["r2", "NEGATIVE", "NEGATIVE", "POSITIVE", "broken"],
    ]


def test_slices_carry_wilson_intervals_for_both_arms():
    reviews = Reviews(
        "set",
        tuple(
            Example(f"r{n}", f"text {n}", 1, phenomenon="sarcasm" if n < 4 else "plain")
            for n in range(10)
        ),
    )
    table = slice_table(reviews, {"without": answers("++--++++++"), "with": answers("++++++++++")})
    row = table.query("arm == 'without' and slice == 'sarcasm'").iloc[0]
    assert (row["n"], row["right"], row["accuracy"]) == (4, 2, 0.5)
    assert (row["low"], row["high"]) == Slice("sarcasm", 4, 2).interval
    assert set(table["slice"]) == {"all", "plain", "sarcasm"}


def test_the_table_of_differences_has_each_slice_of_its_own_reviews():
    reviews = Reviews(
        "set",
        tuple(
            Example(f"r{n}", f"text {n}", 1, phenomenon="sarcasm" if n < 4 else "plain")
            for n in range(10)
        ),
    )
    without, having = (
        np.stack([answers("----++++++")] * 2),
        np.stack([answers("++--++++++"), answers("+---++++++")]),
    )
    table = compare_arms_by_slice(reviews, without, having).set_index("slice")
    assert table.loc["sarcasm", ["reviews", "corrected", "broken"]].tolist() == [4, 3, 0]
    assert (
        table.loc["sarcasm", "difference"] == pytest.approx(3 / 8)
        and table.loc["plain", "difference"] == 0
    )
    assert table.loc["all", "reviews"] == 10


def test_a_slice_is_only_named_after_correction_for_all_slices():
    """Eight slices had an interval each; with as many, one left out zero by chance in every third
    table. Six of six corrected is p = 0.03 for one slice and 0.25 for eight.
    """
    reviews = Reviews(
        "set",
        tuple(Example(f"r{n}", f"review {n}", 1, phenomenon=f"kind {n // 6}") for n in range(48)),
    )
    table = compare_arms_by_slice(reviews, answers("-" * 48), answers("+" * 6 + "-" * 42))
    first = table.set_index("slice").loc["kind 0"]
    assert first["low"] > 0 and not first["significant"]
