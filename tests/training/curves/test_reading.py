"""Curves worked out by hand, and what must hold for any: falling is never overfitting, equal
evaluations are equal.
"""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from bertsent.data.examples import Example, Reviews
from bertsent.training.curves.curve_sentences import (
    curve_sentences,
    verdict_sentence,
    warm_up_sentence,
)
from bertsent.training.curves.reading import (
    CurvePoint,
    curve_points,
    loss_margins,
    read_curves,
    read_warm_up,
    review_losses,
)
from bertsent.training.events import Evaluated, Stepped


def curve(
    validation: list[float], training: list[float | None], accuracy: list[float] | None = None
) -> list[CurvePoint]:
    """Ten steps an epoch; the first point is the untrained model."""
    right = accuracy or [0.5] * len(validation)
    return [
        CurvePoint(10 * i, float(i), v, t, a)
        for i, (v, t, a) in enumerate(zip(validation, training, right, strict=True))
    ]


def steps(rates: list[float], norms: list[float] | None = None) -> list[Stepped]:
    found = zip(rates, norms or [1.0] * len(rates), strict=True)
    return [
        Stepped(
            step=i,
            epoch=i / 10,
            loss=0.5,
            accuracy=0.5,
            learning_rate=rate,
            head_learning_rate=20 * rate,
            grad_norm=norm,
            tokens=1,
            tokens_per_second=1.0,
            seconds=1.0,
            eta_seconds=0.0,
        )
        for i, (rate, norm) in enumerate(found, start=1)
    ]


def always(width: float) -> Callable[[int, int], float]:
    return lambda one, other: width


def test_overfitting_by_hand() -> None:
    points = curve(
        [0.70, 0.50, 0.40, 0.45, 0.60],
        [None, 0.60, 0.40, 0.20, 0.10],
        [0.50, 0.75, 0.80, 0.82, 0.81],
    )
    found = read_curves(points, always(0.05))
    assert (found.verdict, found.best.step, found.sharpest.step) == ("overfitting", 20, 30)
    assert found.since.validation == pytest.approx(0.20) and found.since.training == pytest.approx(
        -0.30
    )
    assert "step 20" in verdict_sentence(found, 5)
    numbers = re.findall(r"\d+\.\d+", " ".join(curve_sentences(found)))
    assert numbers == "0.400 80.0 0.200 0.050 0.600 0.300 0.100 82.0 80.0 0.500".split()


def test_a_rise_within_chance_is_not_called_overfitting() -> None:
    points = curve([0.70, 0.50, 0.52], [None, 0.6, 0.3])
    assert read_curves(points, always(0.03)).verdict == "level"
    assert read_curves(points, always(0.01)).verdict == "overfitting"
    assert read_curves(points).verdict == "overfitting", "chance is not known"


def test_still_falling_levelled_off_and_diverging() -> None:
    falling = read_curves(curve([0.7, 0.6, 0.5], [None, 0.65, 0.55]), always(0.02))
    assert falling.verdict == "falling"
    assert verdict_sentence(falling, 3) != verdict_sentence(falling, 3, live=True)
    assert "12 steps" in curve_sentences(falling, steps_left=12)[-1]
    level = read_curves(curve([0.7, 0.5, 0.499], [None, 0.6, 0.5]))
    assert level.verdict == "level", "0.001 of a range of 0.201 is less than a fiftieth"
    diverging = read_curves(curve([0.7, 0.6, 0.9], [None, 0.6, 0.8]), always(0.02))
    assert diverging.verdict == "rising"
    assert diverging.since.training == pytest.approx(0.2)


def test_never_as_good_as_untrained() -> None:
    found = read_curves(curve([0.69, 0.80, 1.20], [None, 0.50, 0.10]), always(0.05))
    assert found.verdict == "overfitting" and found.best.step == 0
    assert found.since.training == pytest.approx(-0.4), "from the first epoch on"


def test_worse_than_guessing_is_said() -> None:
    worse = read_curves(curve([0.83, 0.74, 0.78], [None, 0.7, 0.6]))
    better = read_curves(curve([0.83, 0.54, 0.58], [None, 0.7, 0.6]))
    assert "ln 2 = 0.693" in " ".join(curve_sentences(worse))
    assert "ln 2" not in " ".join(curve_sentences(better))


@pytest.mark.parametrize("many", [0, 1, 2])
def test_fewer_than_three_evaluations_are_not_read(many: int) -> None:
    assert read_curves(curve([0.7, 0.4][:many], [None, 0.3][:many])) is None
    assert verdict_sentence(None, many)


def test_falling_is_never_overfitting_whatever_training_does() -> None:
    dice = np.random.default_rng(1)
    for _ in range(300):
        many = int(dice.integers(3, 12))
        validation = np.sort(dice.uniform(0.05, 2, many))[::-1]
        training = [None, *dice.uniform(0, 2, many - 1)]
        found = read_curves(curve(list(validation), training), always(float(dice.uniform(0, 0.5))))
        assert found.verdict in ("falling", "level") and found.best is found.last


def test_overfitting_is_said_only_when_both_curves_part() -> None:
    dice = np.random.default_rng(2)
    seen = set()
    for _ in range(500):
        many, width = int(dice.integers(3, 9)), float(dice.uniform(0, 0.4))
        validation, training = dice.uniform(0.1, 1, many), [None, *dice.uniform(0.1, 1, many - 1)]
        found = read_curves(curve(list(validation), training), always(width))
        low = int(validation.argmin())
        parted = validation[-1] - validation[low] > width and training[-1] < training[max(low, 1)]
        assert (found.verdict == "overfitting") == (low < many - 1 and parted)
        assert found.best.step == 10 * low
        assert verdict_sentence(found, many) and all(curve_sentences(found))
        seen.add(found.verdict)
    assert seen == {"overfitting", "rising", "falling", "level"}


def test_equal_evaluations_are_level_in_any_order() -> None:
    points = curve([0.5] * 4, [None, 0.5, 0.5, 0.5])
    first = read_curves(points)
    assert first.verdict == "level" and first.best.step == 0 and first.since.validation == 0
    swapped = [
        CurvePoint(p.step, p.epoch, q.validation, p.training, q.accuracy)
        for p, q in zip(points, points[::-1], strict=True)
    ]
    assert read_curves(swapped) == first
    assert all(curve_sentences(first))


def test_losses_shifted_alike_are_read_alike() -> None:
    dice = np.random.default_rng(3)
    for _ in range(100):
        validation, training = dice.integers(1, 64, 6) / 64, [None, *dice.integers(1, 64, 5) / 64]
        one = read_curves(curve(list(validation), training), always(0.1))
        other = read_curves(curve(list(validation + 2), training), always(0.1))
        assert (one.verdict, one.best.step) == (other.verdict, other.best.step)


def test_points_come_in_order_and_the_untrained_one_has_no_training_loss() -> None:
    late = Evaluated(
        step=20, epoch=2.0, loss=0.4, accuracy=0.8, macro_f1=0.8, seconds=1.0, train_loss=0.3
    )
    start = Evaluated(
        step=0, epoch=0.0, loss=0.7, accuracy=0.5, macro_f1=0.3, seconds=1.0, train_loss=0.9
    )
    assert curve_points([late, start]) == (
        CurvePoint(0, 0.0, 0.7, None, 0.5),
        CurvePoint(20, 2.0, 0.4, 0.3, 0.8),
    )


def test_warm_up_is_read_from_the_steps() -> None:
    found = read_warm_up(steps([1e-5, 2e-5, 2e-5, 1e-5], [9.0, 7.0, 3.0, 5.0]), total=4, share=0.5)
    assert (found.steps, found.done) == (2, 2)
    assert (found.first_rate, found.highest_rate, found.norm_during, found.norm_after) == (
        1e-5,
        2e-5,
        8.0,
        4.0,
    )
    assert "2 of 4 steps (50 %)" in warm_up_sentence(found)


def test_warm_up_that_is_not_over_missing_or_not_yet_known() -> None:
    under_way = read_warm_up(steps([1e-5, 2e-5]), total=40, share=0.1)
    assert under_way.done < under_way.steps and "2 of 4 steps" in warm_up_sentence(under_way)
    none = read_warm_up(steps([5e-5, 4e-5]), total=2, share=0.0)
    assert none.norm_during is None and warm_up_sentence(none)
    assert read_warm_up([], 10, 0.1) is None and warm_up_sentence(None)
    head = read_warm_up(steps([0.0, 0.0]), total=20, share=0.1, head_only=True)
    assert head.highest_rate == 0.0
    assert read_warm_up(
        steps([1e-5, 2e-5]), total=20, share=0.1, head_only=True
    ).highest_rate == pytest.approx(4e-4)


def numbered(labels: list[int], pairs: list[str] | None = None) -> Reviews:
    named = pairs or [""] * len(labels)
    return Reviews(
        "toy",
        tuple(
            Example(id=str(i), text=f"review {i}", label=label, pair=pair)
            for i, (label, pair) in enumerate(zip(labels, named, strict=True))
        ),
    )


def test_the_margin_is_that_of_a_paired_t_test() -> None:
    dice = np.random.default_rng(4)
    before, after = dice.uniform(0.1, 0.9, 60), dice.uniform(0.2, 0.9, 60)
    labels = dice.integers(0, 2, 60).tolist()
    losses = [review_losses(p, labels) for p in (before, after)]
    interval = stats.ttest_rel(losses[1], losses[0]).confidence_interval(0.95)
    between = loss_margins({0: before, 10: after}, numbered(labels))
    assert between(0, 10) == pytest.approx((interval.high - interval.low) / 2)
    assert between(0, 0) == 0.0
    assert math.isinf(loss_margins({0: before[:1], 10: after[:1]}, numbered(labels[:1]))(0, 10))


def test_the_two_sides_of_a_minimal_pair_count_together() -> None:
    before, after, labels = np.full(8, 0.5), np.repeat([0.4, 0.5, 0.6, 0.7], 2), [1] * 8
    pairs = [f"pair {i // 2}" for i in range(8)]
    alone = loss_margins({0: before, 10: after}, numbered(labels))(0, 10)
    assert loss_margins({0: before, 10: after}, numbered(labels, pairs))(0, 10) > alone


def test_losses_are_cross_entropy_even_of_certain_mistakes() -> None:
    found = review_losses(np.array([0.9, 0.9, 0.0]), np.array([1, 0, 1]))
    assert found[0] == pytest.approx(0.105361, abs=1e-6) and found[1] == pytest.approx(
        2.302585, abs=1e-6
    )
    assert 700 < found[2] < math.inf


def test_margins_are_unknown_where_answers_are_missing_or_of_others() -> None:
    scores = {0: np.full(3, 0.5), 10: np.array([0.2, 0.7, 0.9]), 20: np.array([0.5])}
    between = loss_margins(scores, numbered([0, 1, 1]))
    assert between(0, 10) > 0 and between(0, 20) is None and between(0, 30) is None
