"""A run's curves in, what they say out: warm-up, where validation loss was lowest, and whether it
rose while training loss fell.

Nothing here is a rule of thumb with a number of its own, but one: a last epoch that brought less
than ``LITTLE`` of the whole
way is called level. A rise or fall is only called one when it is larger than chance, where that is
known (``chance.margins``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from bertsent.training.events import Evaluated, Stepped

FEWEST = 3  # evaluations before anything is said
LITTLE = 0.02
Verdict = Literal["few", "overfitting", "rising", "falling", "level"]
Margin = Callable[[int, int], float | None]


@dataclass(frozen=True)
class Point:
    """One evaluation: losses of validation and, except before the first epoch, of the training
    epoch that ended there.
    """

    step: int
    epoch: float
    validation: float
    training: float | None
    accuracy: float


@dataclass(frozen=True)
class Change:
    """From one evaluation to another: how loss moved (below 0 it fell), and half the 95 % interval
    where that is known.
    """

    first: Point
    last: Point
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
class Reading:
    """What the evaluations of a run say.

    ``best`` has the lowest validation loss (the first of equals), ``sharpest`` the highest
    accuracy; ``since`` is the change
    from the best to the last, ``newest`` that of the last evaluation alone. All are None for the
    verdict "few".
    """

    evaluations: int
    verdict: Verdict
    best: Point | None = None
    sharpest: Point | None = None
    last: Point | None = None
    since: Change | None = None
    newest: Change | None = None


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

    @property
    def over(self) -> bool:
        return self.done >= self.steps


def points_of(evaluations: Sequence[Evaluated]) -> tuple[Point, ...]:
    """The evaluations of a run as points, in order of step."""
    found = [
        Point(e.step, e.epoch, e.loss, e.train_loss if e.step else None, e.accuracy)
        for e in evaluations
    ]
    return tuple(sorted(found, key=lambda point: point.step))


def read_curves(points: Sequence[Point], margin: Margin = lambda one, other: None) -> Reading:
    """Judge the evaluations of a run, in order of step.

    Overfitting is said when validation loss has risen since its lowest point by more than chance
    while training loss fell;
    "rising" when training loss did not fall either; "falling" when the last evaluation is the
    lowest and lower than the one
    before by more than chance and by more than ``LITTLE`` of the whole range; "level" is all else.

    Args:
        points: at least three, or nothing is said.
        margin: half the 95 % interval of the change between two steps, None where it is not known.
    """
    if len(points) < FEWEST:
        return Reading(len(points), "few")
    best, last = min(points, key=lambda p: p.validation), points[-1]
    since, newest = _change(points, best, last, margin), _change(points, points[-2], last, margin)
    if last is best:
        reach = max(p.validation for p in points) - best.validation
        falls = newest.beyond_chance and -newest.validation > LITTLE * reach
        verdict: Verdict = "falling" if falls else "level"
    elif since.validation > 0 and since.beyond_chance:
        verdict = "overfitting" if (since.training or 0.0) < 0 else "rising"
    else:
        verdict = "level"
    sharpest = max(points, key=lambda p: p.accuracy)
    return Reading(len(points), verdict, best, sharpest, last, since, newest)


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
    return WarmUp(
        planned,
        min(planned, steps[-1].step),
        total,
        rates[0],
        max(rates),
        _median(during),
        _median(after),
    )


def _change(points: Sequence[Point], first: Point, last: Point, margin: Margin) -> Change:
    """The training loss is counted from the first epoch on: the untrained model has none."""
    known = [p.training for p in points if p.step >= first.step and p.training is not None]
    training = last.training - known[0] if known and last.training is not None else None
    return Change(
        first, last, last.validation - first.validation, training, margin(first.step, last.step)
    )


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
