"""A learner and reviews in, milliseconds out: each step of one answer, and the same reviews one by
one against together.

Every figure is the median of several repetitions after a warm-up, with the quartiles beside it
(Hoefler and Belli 2015: a mean hides
what else the machine does). Whatever else runs on the machine is in the numbers.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.text.batches import answering_batches

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

Progress = Callable[[float], None]
Pair = tuple[float, float]
STEPS = ("tokenise", "forward", "softmax + confidence")
IN_ALL, ALONE, TOGETHER, FACTOR = "in all", "one by one", "together", "factor"
RATE_ALONE, RATE_TOGETHER = "one by one, a second", "together, a second"
# what the course prints for a BERT of 12 layers; the last two are of a V100, the very last of
# batches of 32
PUBLISHED = {
    STEPS[0]: "~1 ms",
    STEPS[1]: "~10–50 ms",
    STEPS[2]: "≤ 1 ms",
    IN_ALL: "10–50 ms",
    ALONE: "~150 ms",
    TOGETHER: "~60 ms",
    FACTOR: "2.5 ×",
    RATE_ALONE: "~200–500 reviews/s",
    RATE_TOGETHER: "~1,000–2,000 reviews/s",
}
PUBLISHED_MS: dict[str, tuple[float, float]] = {
    STEPS[0]: (1, 1),
    STEPS[1]: (10, 50),
    STEPS[2]: (0, 1),
}
WARM_UP, FEWEST = 2, 3  # turns that do not count; turns that are made however long they take


@dataclass(frozen=True)
class TimingSpread:
    """What several repetitions took, in milliseconds: the median, the quartiles around it, the
    fastest, and how many there were.
    """

    median: float
    low: float
    high: float
    least: float
    count: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "TimingSpread":
        """The spread of at least one time in seconds."""
        least, low, median, high = (
            float(value) for value in 1_000 * np.quantile(seconds, (0, 0.25, 0.5, 0.75))
        )
        return cls(median, low, high, least, len(seconds))


@dataclass(frozen=True)
class StepTimes:
    """One review, answered again and again.

    ``seconds`` is (repetitions, 3) in the order of ``STEPS``; logits and probabilities are
    negative, positive; ``confidence`` is the
    larger probability.
    """

    tokens: int
    logits: Pair
    probabilities: Pair
    label: str
    confidence: float
    seconds: np.ndarray = field(repr=False)

    @property
    def parts(self) -> dict[str, TimingSpread]:
        """Each step's spread, by its name."""
        return {name: TimingSpread.of(self.seconds[:, place]) for place, name in enumerate(STEPS)}

    @property
    def whole(self) -> TimingSpread:
        """All three steps together, repetition by repetition."""
        return TimingSpread.of(self.seconds.sum(axis=1))


@dataclass(frozen=True)
class BatchTimes:
    """The same ``count`` reviews one by one and together; ``passes`` forward passes for the latter.
    ``p_*``: P(positive), (count,).
    """

    count: int
    tokens: int
    passes: int
    alone: TimingSpread
    together: TimingSpread
    p_alone: np.ndarray = field(repr=False)
    p_together: np.ndarray = field(repr=False)

    @property
    def factor(self) -> float:
        """How many times as fast together is, by the medians."""
        return self.alone.median / self.together.median

    @property
    def rates(self) -> tuple[float, float]:
        """Reviews a second, one by one and together."""
        return 1_000 * self.count / self.alone.median, 1_000 * self.count / self.together.median


def time_steps(
    learner: "LoadedModel",
    text: str,
    *,
    repetitions: int = 25,
    budget: float = 2.0,
    progress: Progress | None = None,
) -> StepTimes:
    """Time tokenise, forward, and softmax with the confidence, each by itself, on one review.

    No more repetitions are begun after ``budget`` seconds, once there are three. The answer is that
    of ``learner.probabilities``.

    Raises:
        BadInput: fewer than one repetition is asked for.
        NotAvailable: this model has no trained head.
    """
    _counted(repetitions)
    seconds, began = [], time.perf_counter()
    for turn in range(WARM_UP + repetitions):
        answer, took = _step_by_step(learner, text)
        if turn >= WARM_UP:
            seconds.append(took)
        if progress:
            progress((turn + 1) / (WARM_UP + repetitions))
        if len(seconds) >= min(FEWEST, repetitions) and time.perf_counter() - began > budget:
            break
    return StepTimes(*answer, np.array(seconds))


def _step_by_step(
    learner: "LoadedModel", text: str
) -> tuple[tuple[int, Pair, Pair, str, float], tuple[float, float, float]]:
    """One answer (how many tokens, logits, probabilities, label, confidence) and the seconds of its
    three steps.
    """
    started = time.perf_counter()
    ids = learner.tokenizer.ids([text], learner.max_length)
    tokenised = time.perf_counter()
    logits = learner.logits_of_ids(ids)[0]
    passed = time.perf_counter()
    negative, positive = softmax(logits).tolist()
    label, confidence = LABELS[int(positive > 0.5)], max(negative, positive)
    ended = time.perf_counter()
    answer = (
        len(ids[0]),
        (float(logits[0]), float(logits[1])),
        (negative, positive),
        label,
        confidence,
    )
    return answer, (tokenised - started, passed - tokenised, ended - passed)


def time_batching(
    learner: "LoadedModel",
    texts: Sequence[str],
    *,
    repetitions: int = 7,
    budget: float = 12.0,
    progress: Progress | None = None,
) -> BatchTimes:
    """Time the same reviews one by one and together, in turns, so that whatever else the machine
    does meets both alike.

    Together means as everywhere in this lab: sorted by length, alike lengths in one pass.
    ``budget`` as in ``time_steps``.

    Raises:
        BadInput: there are no reviews, or fewer than one repetition is asked for.
        NotAvailable: this model has no trained head.
    """
    _counted(repetitions)
    if not len(texts):
        raise BadInput("There are no reviews to time.", "Choose some.")
    alone, together, began = [], [], time.perf_counter()
    for turn in range(1 + repetitions):
        started = time.perf_counter()
        single = [learner.probabilities([text])[0, 1] for text in texts]
        between = time.perf_counter()
        joined = learner.probabilities(texts)[:, 1]
        ended = time.perf_counter()
        if turn:
            alone.append(between - started)
            together.append(ended - between)
        if progress:
            progress((turn + 1) / (1 + repetitions))
        if len(alone) >= min(FEWEST, repetitions) and ended - began > budget:
            break
    rows = learner.tokenizer.ids(texts, learner.max_length)
    passes = sum(
        1
        for _ in answering_batches(
            rows,
            pad_id=learner.tokenizer.pad_id,
            limit=learner.max_length,
            device=learner.device.type,
        )
    )
    return BatchTimes(
        len(texts),
        sum(map(len, rows)),
        passes,
        TimingSpread.of(alone),
        TimingSpread.of(together),
        np.array(single),
        joined,
    )


def spread_out(reviews: Reviews, count: int) -> list[str]:
    """``count`` texts evenly spread over a set of reviews, always the same ones; all of them where
    there are no more.
    """
    places = np.linspace(0, len(reviews) - 1, min(count, len(reviews))).round().astype(int)
    return [reviews.texts[place] for place in places]


def timing_table(steps: StepTimes, batching: BatchTimes | None = None) -> pd.DataFrame:
    """One row a figure: what, unit, measured (a median), the quartiles around it, repetitions, and
    what is published.
    """
    rows = [
        (name, "ms", s.median, s.low, s.high, s.count)
        for name, s in {**steps.parts, IN_ALL: steps.whole}.items()
    ]
    if batching is not None:
        for name, s in ((ALONE, batching.alone), (TOGETHER, batching.together)):
            rows.append((name, "ms", s.median, s.low, s.high, s.count))
        rows.append((FACTOR, "×", batching.factor, np.nan, np.nan, batching.alone.count))
        for name, s in ((RATE_ALONE, batching.alone), (RATE_TOGETHER, batching.together)):
            rows.append(
                (
                    name,
                    "reviews/s",
                    *(1_000 * batching.count / ms for ms in (s.median, s.high, s.low)),
                    s.count,
                )
            )
    table = pd.DataFrame(
        rows,
        columns=["what", "unit", "measured", "lower quartile", "upper quartile", "repetitions"],
    )
    return table.assign(published=table["what"].map(PUBLISHED))


def softmax(logits: np.ndarray) -> np.ndarray:
    """Two logits as two probabilities, in double precision."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return powers / powers.sum()


def _counted(repetitions: int) -> None:
    if repetitions < 1:
        raise BadInput("Nothing can be timed in no repetition.", "Ask for at least one.")
