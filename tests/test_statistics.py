"""Intervals, paired tests and corrections against scipy, numbers worked by hand, and simulation."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap, t, ttest_1samp

from bertsent.errors import BadInput
from bertsent.statistics import (
    Z95,
    accuracy_interval,
    balanced_accuracy_interval,
    best_of,
    best_of_sentence,
    bootstrap_interval,
    holm,
    majority_class_accuracy,
    mcnemar_test,
    mean_interval,
    paired_difference,
    wilson_interval,
)


def right(text):
    """``+`` is a right answer, ``-`` a wrong one."""
    return np.array([c == "+" for c in text])


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (1, 3), (57, 80), (499, 1_000)])
def test_wilson_is_scipy_s(k, n):
    theirs = binomtest(k, n).proportion_ci(method="wilson")
    assert wilson_interval(k, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_balanced_accuracy_lies_in_its_interval_as_often_as_it_should():
    """Ten thousand draws of 60 negative and 20 positive answers: about 95 in 100 intervals hold the
    truth, and of one share repeated the reach is that of Wilson's by the root of two.
    """
    random, truth = np.random.default_rng(5), (0.9 + 0.7) / 2
    draws = zip(random.binomial(60, 0.9, 10_000), random.binomial(20, 0.7, 10_000), strict=True)
    found = [balanced_accuracy_interval([(60, a), (20, b)]) for a, b in draws]
    assert np.mean([low <= truth <= high for low, high in found]) == pytest.approx(0.95, abs=0.02)
    low, high = wilson_interval(30, 40)
    assert balanced_accuracy_interval([(40, 30), (40, 30)]) == pytest.approx(
        (0.75 - (0.75 - low) / math.sqrt(2), 0.75 + (high - 0.75) / math.sqrt(2))
    )
    with pytest.raises(BadInput):
        balanced_accuracy_interval([(3, 2), (0, 0)])


def test_an_accuracy_without_groups_has_wilson_s_interval():
    assert accuracy_interval(right("+++-")) == pytest.approx(wilson_interval(3, 4))
    assert accuracy_interval(right("+++-"), [1, 2, 3, 4]) == pytest.approx(wilson_interval(3, 4))


def test_reviews_that_repeat_each_other_count_once():
    """Forty answers that are twenty answers twice hold what twenty hold (but for G / (G - 1))."""
    once = right("+" * 12 + "-" * 8)
    twice = accuracy_interval(np.repeat(once, 2), np.repeat(np.arange(20), 2))
    effective = 40 / (2 * 20 / 19)
    assert twice == pytest.approx(wilson_interval(0.6 * effective, effective))
    assert accuracy_interval(right("+" * 40), np.repeat(np.arange(20), 2)) == pytest.approx(
        wilson_interval(20, 20)
    )


def test_pairs_that_are_half_right_each_do_not_make_the_interval_vanish():
    """A model that says the same of both sides of each pair is right for exactly half of them."""
    found = accuracy_interval(right("+-" * 30), np.repeat(np.arange(30), 2))
    assert found == pytest.approx(wilson_interval(30, 60))


def test_the_clustered_interval_covers_the_truth_and_the_plain_one_does_not():
    rng = np.random.default_rng(0)
    groups, clustered, plain = np.repeat(np.arange(40), 5), 0, 0
    for _ in range(400):
        correct = rng.random(200) < np.repeat(rng.beta(1.4, 0.6, 40), 5)
        low, high = accuracy_interval(correct, groups)
        clustered += low <= 0.7 <= high
        low, high = accuracy_interval(correct)
        plain += low <= 0.7 <= high
    assert clustered > 0.91 * 400 and plain < 0.85 * 400


def test_a_mean_has_student_s_interval():
    values = np.random.default_rng(1).normal(0.3, 1, 30)
    theirs = ttest_1samp(values, 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx((theirs.low, theirs.high))
    assert mean_interval([1.0]) == (-math.inf, math.inf)
    assert mean_interval([1.0, 2.0], ["a", "a"]) == (-math.inf, math.inf)


def test_the_bootstrap_of_two_values_reaches_from_one_to_the_other():
    """Each of them is drawn twice in a quarter of the draws."""
    assert bootstrap_interval([0.0, 1.0]) == (0, 1)
    assert bootstrap_interval([0.3, 0.3, 0.3]) == pytest.approx((0.3, 0.3))
    with pytest.raises(BadInput):
        bootstrap_interval([])


def test_the_bootstrap_is_scipy_s_and_the_same_each_time():
    values = np.random.default_rng(2).exponential(1, 40)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(3)
    ).confidence_interval
    assert bootstrap_interval(values) == pytest.approx((theirs.low, theirs.high), abs=0.015)
    assert bootstrap_interval(values) == bootstrap_interval(values)
    low, high = bootstrap_interval(values - 1)
    assert (low + 1, high + 1) == pytest.approx(bootstrap_interval(values)), "the same draws"


def test_a_mean_over_groups_by_hand():
    """Groups (1, 2), (3, 4), (8, 6) around 4: deviations -5, -1 and 6, whose squares sum to 62."""
    error = math.sqrt(62 * 3 / 2) / 6
    reach = t.ppf(0.975, 2) * error
    assert mean_interval([1, 2, 3, 4, 8, 6], list("aabbcc")) == pytest.approx(
        (4 - reach, 4 + reach)
    )


def test_a_paired_difference_by_hand():
    """Four corrected, one broken of ten; Bonett and Price add one to each count and two to n."""
    found = paired_difference(right("++++------"), right("+++-++++--"))
    assert (found.corrected, found.broken, found.first, found.second) == (4, 1, 0.4, 0.7)
    assert found.p_value == pytest.approx(2 * (1 + 5) / 32)
    p12, p21 = 5 / 12, 2 / 12
    reach = Z95 * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / 12)
    assert (found.low, found.high) == pytest.approx((p12 - p21 - reach, p12 - p21 + reach))
    assert not found.significant and found.difference == pytest.approx(0.3)


def test_mcnemar_looks_at_the_answers_that_differ_and_at_nothing_else():
    """59 and 6 answers differ; a thousand that agree change nothing."""
    first, second = right("-" * 59 + "+" * 6), right("+" * 59 + "-" * 6)
    expected = binomtest(6, 65, 0.5).pvalue
    assert mcnemar_test(first, second) == pytest.approx(expected)
    same = right("+" * 600 + "-" * 400)
    many = mcnemar_test(np.append(first, same), np.append(second, same))
    assert many == pytest.approx(expected)


def test_a_pair_counts_once_in_mcnemar_s_test():
    first, second = right("-" * 20), right("+" * 20)
    assert mcnemar_test(first, second) == pytest.approx(2 * 0.5**20)
    assert mcnemar_test(first, second, np.repeat(np.arange(10), 2)) == pytest.approx(2 * 0.5**10)
    assert mcnemar_test(right("+-" * 10), right("-+" * 10), np.repeat(np.arange(10), 2)) == 1.0


def test_seeds_repeat_a_review_and_do_not_add_reviews():
    first, second = right("+" * 20 + "-" * 20), right("+" * 18 + "-" * 16 + "+" * 6)
    one = paired_difference(first, second)
    five = paired_difference(np.stack([first] * 5), np.stack([second] * 5))
    assert (five.low, five.high, five.p_value, five.n) == pytest.approx(
        (one.low, one.high, one.p_value, one.n)
    )
    assert (five.corrected, five.broken) == (5 * one.corrected, 5 * one.broken)


def test_holm_by_hand():
    """0.01 × 4, 0.02 × 3, then 0.03 × 2 = 0.06 and 0.04 × 1, which may not be below its
    forerunner.
    """
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0]) and holm([]).shape == (0,)


def test_the_best_must_beat_every_other_after_correction():
    base = right("+" * 50 + "-" * 50)
    best = right("+" * 62 + "-" * 38)
    near = right("+" * 58 + "-" * 42)
    alone = best_of([base, best])
    assert alone.place == 1 and alone.clear
    assert alone.p_values[0] == pytest.approx(2 * 0.5**12)
    three = best_of([base, best, near])
    assert three.place == 1 and three.not_separated == (2,) and not three.clear
    assert three.p_values[2] == pytest.approx(2 * 2 * 0.5**4)
    sentence = best_of_sentence(["a", "b", "c"], three)
    assert "c (58.0 %)" in sentence and "a (" not in sentence


def test_24_equal_classifiers_hardly_ever_have_a_best():
    """One rule said that a run was best when its interval lay above the next run: the choice among
    24 equal ones was not taken into account, nor that all answered the same reviews.
    """
    rng = np.random.default_rng(2)
    clear = sum(best_of(rng.random((24, 150)) < 0.7).clear for _ in range(60))
    assert clear <= 3


def test_the_majority_class():
    assert majority_class_accuracy([1, 1, 0, None]) == pytest.approx(2 / 3)
    with pytest.raises(BadInput):
        majority_class_accuracy([None])


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilson_interval(0, 0),
        lambda: wilson_interval(3, 2),
        lambda: accuracy_interval([]),
        lambda: accuracy_interval([True, False], ["a"]),
        lambda: mean_interval([]),
        lambda: paired_difference([True], [True, False]),
        lambda: best_of([]),
    ],
)
def test_what_cannot_be_compared_is_refused(call):
    with pytest.raises(BadInput):
        call()
