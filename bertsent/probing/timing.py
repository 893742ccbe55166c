"""A loaded model and reviews in, milliseconds out: each step of one answer, classifiers side by
side, and the same reviews one by one and in batches.

Every figure is the median of several repetitions after a warm-up, with the quartiles beside it
(Hoefler and Belli 2015: a mean hides what else the machine does). Whatever else runs on the machine
is in the numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import pandas as pd
from scipy.special import softmax

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.progress import Progress, no_progress

STEPS = ("tokenise", "forward", "softmax + confidence")
IN_ALL, ALONE, BATCHED, FACTOR = "in all", "one by one", "in batches", "factor"
RATE_ALONE, RATE_BATCHED = "one by one, a second", "in batches, a second"
# what the course prints for a BERT of 12 layers; the last two are of a V100, the very last of
# batches of 32
PUBLISHED = {
    STEPS[0]: "~1 ms",
    STEPS[1]: "~10–50 ms",
    STEPS[2]: "≤ 1 ms",
    IN_ALL: "10–50 ms",
    ALONE: "~150 ms",
    BATCHED: "~60 ms",
    FACTOR: "2.5 ×",
    RATE_ALONE: "~200–500 reviews/s",
    RATE_BATCHED: "~1,000–2,000 reviews/s",
}
PUBLISHED_MS: dict[str, tuple[float, float]] = {
    STEPS[0]: (1, 1),
    STEPS[1]: (10, 50),
    STEPS[2]: (0, 1),
}
WARM_UP, FEWEST = 2, 3  # turns that do not count; turns that are made however long they take


@dataclass(frozen=True)
class TimingSpread:
    """What several repetitions took, in milliseconds: the median, the quartiles around it, and how
    many there were.
    """

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, seconds: Sequence[float] | np.ndarray) -> "TimingSpread":
        """The spread of at least one time in seconds."""
        low, median, high = (1_000 * np.quantile(seconds, (0.25, 0.5, 0.75))).tolist()
        return cls(median, low, high, len(seconds))


@dataclass(frozen=True)
class StepTimes:
    """One review, answered again and again; ``seconds`` is (repetitions, 3) in the order of
    ``STEPS``.
    """

    answer: Prediction
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
    """The same ``count`` reviews one by one and in batches of similar length, in ``passes`` forward
    passes.
    """

    count: int
    tokens: int
    passes: int
    alone: TimingSpread
    batched: TimingSpread

    @property
    def factor(self) -> float:
        """How many times as fast batches are, by the medians."""
        return self.alone.median / self.batched.median

    @property
    def rates(self) -> tuple[float, float]:
        """Reviews a second, one by one and in batches."""
        return 1_000 * self.count / self.alone.median, 1_000 * self.count / self.batched.median


def time_steps(
    model: LoadedModel,
    text: str,
    *,
    repetitions: int = 25,
    budget: float = 2.0,
    progress: Progress = no_progress,
) -> StepTimes:
    """Time tokenise, forward, and softmax with the confidence, each by itself, on one review.

    No more repetitions are begun after ``budget`` seconds, once there are three. The answer is that
    of ``model.predict``.

    Raises:
        BadInput: fewer than one repetition is asked for.
        NotAvailable: this model has no trained head.
    """
    turns = _turns(repetitions, budget, warm_up=WARM_UP, progress=progress)
    answers, seconds = zip(*(_step_by_step(model, text) for _ in turns), strict=True)
    return StepTimes(answers[-1], np.array(seconds[WARM_UP:]))


def _step_by_step(model: LoadedModel, text: str) -> tuple[Prediction, tuple[float, float, float]]:
    started = perf_counter()
    (ids,) = model.tokenizer.ids([text], model.max_length)
    tokenised = perf_counter()
    logits = model.logits_of_ids([ids])[0]
    passed = perf_counter()
    positive, unknown = softmax(logits.astype(np.float64))[1], ids.count(model.tokenizer.unknown_id)
    answer = Prediction(float(positive), tuple(logits.tolist()), len(ids) - 2, unknown)
    ended = perf_counter()
    return answer, (tokenised - started, passed - tokenised, ended - passed)


def time_answers(
    classifiers: Mapping[str, Callable[[Sequence[str]], np.ndarray]],
    texts: Sequence[str],
    *,
    repetitions: int = 5,
    budget: float = 0.3,
) -> dict[str, TimingSpread]:
    """Time one answer to one review by each classifier, in turns after a warm-up of each.

    Every turn takes the next of ``texts``. No more turns are begun after ``budget`` seconds, once
    there are three.

    Raises:
        BadInput: there are no texts, or fewer than one repetition is asked for.
    """
    BadInput.raise_if(not len(texts), "There are no reviews to time.", "Choose some.")
    seconds: dict[str, list[float]] = {name: [] for name in classifiers}
    for turn in _turns(repetitions, budget, warm_up=1):
        for name, answer in classifiers.items():
            began = perf_counter()
            answer([texts[turn % len(texts)]])
            seconds[name].append(perf_counter() - began)
    return {name: TimingSpread.of(times[1:]) for name, times in seconds.items()}


def time_batching(
    model: LoadedModel,
    texts: Sequence[str],
    *,
    repetitions: int = 7,
    budget: float = 12.0,
    progress: Progress = no_progress,
) -> BatchTimes:
    """Time the same reviews one by one and in batches, in turns, so that whatever else the machine
    does affects both.

    Batches are made as everywhere in this lab: sorted by length, similar lengths in one pass.
    ``budget`` as in ``time_steps``.

    Raises:
        BadInput: there are no reviews, or fewer than one repetition is asked for.
        NotAvailable: this model has no trained head.
    """
    BadInput.raise_if(not len(texts), "There are no reviews to time.", "Choose some.")
    alone, batched = [], []
    for _ in _turns(repetitions, budget, warm_up=1, progress=progress):
        started = perf_counter()
        for text in texts:
            model.probabilities([text])
        between = perf_counter()
        model.probabilities(texts)
        batched.append(perf_counter() - between)
        alone.append(between - started)
    rows = model.tokenizer.ids(texts, model.max_length)
    return BatchTimes(
        len(texts),
        sum(map(len, rows)),
        sum(1 for _ in model.batches(rows)),
        TimingSpread.of(alone[1:]),
        TimingSpread.of(batched[1:]),
    )


def evenly_spread(reviews: Reviews, count: int) -> list[str]:
    """``count`` texts evenly spread over a set of reviews, always the same ones; all of them where
    there are no more.
    """
    places = np.linspace(0, len(reviews) - 1, min(count, len(reviews))).round().astype(int)
    return [reviews.texts[place] for place in places]


def timing_table(steps: StepTimes, batching: BatchTimes | None = None) -> pd.DataFrame:
    """One row per figure: what, unit, measured (a median), the quartiles around it, repetitions,
    and what is published.
    """
    spreads = {**steps.parts, IN_ALL: steps.whole}
    rows: list[tuple[object, ...]] = []
    if batching is not None:
        spreads |= {ALONE: batching.alone, BATCHED: batching.batched}
        rows.append((FACTOR, "×", batching.factor, np.nan, np.nan, batching.alone.count))
        for name, s in ((RATE_ALONE, batching.alone), (RATE_BATCHED, batching.batched)):
            rates = (1_000 * batching.count / ms for ms in (s.median, s.high, s.low))
            rows.append((name, "reviews/s", *rates, s.count))
    times = [(name, "ms", s.median, s.low, s.high, s.count) for name, s in spreads.items()]
    columns = ["what", "unit", "measured", "lower quartile", "upper quartile", "repetitions"]
    table = pd.DataFrame([*times, *rows], columns=columns)
    return table.assign(published=table["what"].map(PUBLISHED))


def format_milliseconds(milliseconds: float) -> str:
    """Milliseconds with two or three significant digits: 0.021, 1.8, 24, 1,250."""
    digits = 3 if milliseconds < 0.1 else 2 if milliseconds < 1 else 1 if milliseconds < 10 else 0
    return f"{milliseconds:,.{digits}f}"


def steps_sentence(steps: StepTimes) -> str:
    """Which step takes most, of how much in all."""
    parts = {name: spread.median for name, spread in steps.parts.items()}
    most = max(parts, key=parts.__getitem__)
    return (
        f"An answer takes {format_milliseconds(steps.whole.median)} ms in all; "
        f"{100 * parts[most] / sum(parts.values()):.0f} % of it is “{most}”."
    )


def batching_sentence(found: BatchTimes) -> str:
    """What answering in batches saves, in words."""
    alone, batched = found.rates
    passes = "one pass" if found.passes == 1 else f"{found.passes} passes of similar lengths"
    gain = (
        f"{found.factor:.1f} times as fast"
        if found.factor >= 1
        else f"slower here, {found.factor:.2f} times as fast"
    )
    return (
        f"{found.count} reviews ({found.tokens:,} tokens) one by one: "
        f"{format_milliseconds(found.alone.median)} ms, {alone:,.0f} reviews a second. "
        f"In {passes}: {format_milliseconds(found.batched.median)} ms, {batched:,.0f} a second, "
        f"{gain}. Published: 2.5 times."
    )


def _turns(
    repetitions: int, budget: float, *, warm_up: int, progress: Progress = no_progress
) -> Iterator[int]:
    """Numbers of turns, ``warm_up`` first; none is begun after ``budget`` seconds once ``FEWEST``
    count.
    """
    BadInput.raise_if(
        repetitions < 1, "Nothing can be timed in no repetition.", "Ask for at least one."
    )
    began, whole = perf_counter(), warm_up + repetitions
    for turn in range(whole):
        if turn - warm_up >= FEWEST and perf_counter() - began > budget:
            return
        yield turn
        progress((turn + 1) / whole)
