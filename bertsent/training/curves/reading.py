"""Evaluations of a run in, what its curves show out: warm-up, the lowest validation loss, and
whether it rose while training loss fell (Prechelt 1998).

A rise or fall counts only when it is larger than chance allows, where the answers to the single
reviews are known (``loss_margins``). ``LITTLE`` is the one rule of thumb: a last epoch that brought
less than this share of the whole range counts as level.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.statistics import mean_interval
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Rating, SeveralLabels
from bertsent.training.events import Evaluated, Stepped

FEWEST = 3  # evaluations before anything is said
LITTLE = 0.02
Verdict = Literal["overfitting", "rising", "falling", "level"]
Margin = Callable[[int, int], float | None]
_TINIEST = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class CurvePoint:
    """One evaluation: losses of validation and, except before the first epoch, of the training
    epoch that ended there.
    """

    step: int
    epoch: float
    validation: float
    training: float | None
    accuracy: float


@dataclass(frozen=True)
class LossChange:
    """From one evaluation to another: how loss moved (below 0 it fell), and half the 95 % interval
    where that is known.
    """

    first: CurvePoint
    last: CurvePoint
    validation: float
    training: float | None
    margin: float | None

    @property
    def beyond_chance(self) -> bool:
        """True when validation loss moved by more than chance, or moved at all where chance is not
        known.
        """
        return abs(self.validation) > (self.margin or 0.0)


@dataclass(frozen=True)
class CurveReading:
    """What the evaluations of a run show.

    ``best`` has the lowest validation loss (the first of equals), ``sharpest`` the highest
    accuracy; ``since`` is the change from the best to the last, ``newest`` that of the last
    evaluation alone.
    """

    verdict: Verdict
    best: CurvePoint
    sharpest: CurvePoint
    last: CurvePoint
    since: LossChange
    newest: LossChange


@dataclass(frozen=True)
class WarmUp:
    """How the learning rate rose: ``steps`` until its peak, of which ``done`` were trained; rates
    and gradient norms as measured.
    """

    steps: int
    done: int
    total: int
    first_rate: float
    highest_rate: float
    norm_during: float | None  # median norm of the gradient while warming up, and after
    norm_after: float | None


def curve_points(evaluations: Sequence[Evaluated]) -> tuple[CurvePoint, ...]:
    """The evaluations of a run as points, in order of step."""
    return tuple(
        CurvePoint(e.step, e.epoch, e.loss, e.train_loss if e.step else None, e.accuracy)
        for e in sorted(evaluations, key=lambda evaluation: evaluation.step)
    )


def read_curves(
    points: Sequence[CurvePoint], margin: Margin = lambda one, other: None
) -> CurveReading | None:
    """Read the evaluations of a run, in order of step; None for fewer than three.

    The verdict is "overfitting" when validation loss has risen since its lowest point by more than
    chance while training loss fell; "rising" when training loss did not fall either; "falling" when
    the last evaluation is the lowest, and lower than the one before by more than chance and by more
    than ``LITTLE`` of the whole range; "level" otherwise.

    Args:
        points: the evaluations.
        margin: half the 95 % interval of the change between two steps, None where it is not known.
    """
    if len(points) < FEWEST:
        return None
    best, last = min(points, key=lambda p: p.validation), points[-1]
    since, newest = _change(points, best, last, margin), _change(points, points[-2], last, margin)
    verdict: Verdict = "level"
    if last is best:
        reach = max(p.validation for p in points) - best.validation
        if newest.beyond_chance and -newest.validation > LITTLE * reach:
            verdict = "falling"
    elif since.validation > 0 and since.beyond_chance:
        verdict = "overfitting" if (since.training or 0.0) < 0 else "rising"
    return CurveReading(verdict, best, max(points, key=lambda p: p.accuracy), last, since, newest)


def read_warm_up(
    steps: Sequence[Stepped], total: int, share: float, *, head_only: bool = False
) -> WarmUp | None:
    """The warm-up of a run, from the steps it has stated; None before its first one.

    Args:
        steps: in order.
        total: steps that the whole run was to have.
        share: of these that warm up.
        head_only: whether the head alone trains, so that its rate counts and not the encoder's.
    """
    if not steps:
        return None
    planned = round(total * share)
    rates = [step.head_learning_rate if head_only else step.learning_rate for step in steps]
    during = [step.grad_norm for step in steps if step.step <= planned]
    after = [step.grad_norm for step in steps if step.step > planned]
    medians = (median(norms) if norms else None for norms in (during, after))
    return WarmUp(planned, min(planned, steps[-1].step), total, rates[0], max(rates), *medians)


def _change(
    points: Sequence[CurvePoint], first: CurvePoint, last: CurvePoint, margin: Margin
) -> LossChange:
    """The training loss is counted from the first epoch on: the untrained model has none."""
    known = [p.training for p in points if p.step >= first.step and p.training is not None]
    training = last.training - known[0] if known and last.training is not None else None
    return LossChange(
        first, last, last.validation - first.validation, training, margin(first.step, last.step)
    )


def answer_losses(answers: np.ndarray, reviews: Reviews) -> np.ndarray:
    """The loss of each review (n,), from what ``Task.kept`` keeps of its answer. Of masked words it
    is the sum over its own, scaled so that the mean of all is the mean loss of a drawn word.
    """
    task = reviews.task
    if isinstance(task, MixedTask):
        return _losses_of_parts(answers, reviews, task)
    if isinstance(task, MaskedWords):
        sums = np.bincount(answers[:, 2].astype(int), answers[:, 0], minlength=len(reviews))
        return sums * len(reviews) / len(answers)
    if isinstance(task, Rating):
        return ((answers - np.array(reviews.targets)) / (task.high - task.low)) ** 2
    if isinstance(task, SeveralLabels):
        truth = np.array(reviews.targets) > 0
        return -np.log(np.maximum(np.where(truth, answers, 1 - answers), _TINIEST)).mean(1)
    if answers.ndim == 1:
        return review_losses(answers, reviews.labels)
    labels = np.array(reviews.labels, int)
    return -np.log(np.maximum(answers[np.arange(len(labels)), labels], _TINIEST))


def _losses_of_parts(answers: np.ndarray, reviews: Reviews, task: MixedTask) -> np.ndarray:
    """Those of each part, weighted so that their mean is the loss of all."""
    found, parts = np.zeros(len(reviews)), np.array([e.part for e in reviews])
    for place, (part, share) in enumerate(zip(task.parts, task.shares, strict=True)):
        own = parts == part.name
        if own.any():
            given = task.answers_of_part(answers[own], place)
            losses = answer_losses(part.kept(given), reviews.of_part(part))
            found[own] = losses * share * len(reviews) / own.sum()
    return found


def review_losses(p_positive: np.ndarray, labels: Sequence[int | None] | np.ndarray) -> np.ndarray:
    """Cross-entropy of each review (n,): minus the logarithm of the probability of its own label
    (0 or 1).
    """
    p = np.asarray(p_positive, dtype=np.float64)
    return -np.log(np.maximum(np.where(np.asarray(labels) == 1, p, 1 - p), _TINIEST))


def loss_margins(scores: Mapping[int, np.ndarray], reviews: Reviews) -> Margin:
    """Half the 95 % interval of the change of mean loss between any two steps, from the changes of
    the single reviews; None where the answers at one step were not kept.

    Args:
        scores: what was kept of the answers to all validation reviews, by step.
        reviews: these reviews, whose minimal pairs count together.
    """
    groups = review_groups(reviews)
    losses = {
        step: answer_losses(answers, reviews)
        for step, answers in scores.items()
        if len(answers) == len(reviews) or isinstance(reviews.task, MaskedWords)
    }

    def between(one: int, other: int) -> float | None:
        if one not in losses or other not in losses:
            return None
        low, high = mean_interval(losses[other] - losses[one], groups)
        return (high - low) / 2 if math.isfinite(high) else math.inf

    return between
