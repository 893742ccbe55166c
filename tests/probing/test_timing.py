"""Times are never asserted as such: what is, is that the answer is the learner's own, that counts
are right and parts add up.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.special import softmax as reference

from bertsent.data.examples import LABELS, Example, Reviews
from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.models.sentiment import BertForSentiment
from bertsent.probing import timing
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.timing import (
    STEPS,
    BatchTimes,
    TimingSpread,
    softmax,
    spread_out,
    time_batching,
    time_steps,
    timing_table,
)

PUZZLE = "Great, another boring movie"
TEXTS = [
    PUZZLE,
    "bad",
    "A warm and clever film that nobody should miss. " * 6,
    "Somewhat good",
    "🎬",
    "This is not a bad film",
]


@pytest.fixture(scope="module")
def made(tiny_backbone):
    def make(fine_tuned: bool = True) -> LoadedModel:
        found = load_backbone(str(tiny_backbone))
        torch.manual_seed(1)
        return LoadedModel(
            "tiny",
            "tiny",
            BertForSentiment(found.model),
            found.tokenizer,
            max_length=64,
            fine_tuned=fine_tuned,
        )

    return make


@pytest.fixture(scope="module")
def learner(made) -> LoadedModel:
    return made()


@pytest.mark.parametrize("text", ["great", "🎬", "", "[CLS] [SEP]", "word " * 1000, PUZZLE])
def test_the_answer_is_the_learners_own(learner, text):
    found = time_steps(learner, text, repetitions=2)
    (expected,) = learner.probabilities([text])
    assert found.probabilities == tuple(expected) and found.logits == pytest.approx(
        tuple(learner.logits([text])[0])
    )
    assert found.label == learner.predict([text])[0].label == LABELS[int(expected[1] > 0.5)]
    assert found.confidence == max(expected)
    assert found.tokens == len(learner.tokens(text)) <= 64


@pytest.mark.parametrize("repetitions", [1, 2, 7])
def test_as_many_repetitions_as_asked_for(learner, repetitions):
    found = time_steps(learner, PUZZLE, repetitions=repetitions, budget=1e9)
    assert found.seconds.shape == (repetitions, 3) and (found.seconds >= 0).all()
    assert list(found.parts) == list(STEPS)
    for spread in (*found.parts.values(), found.whole):
        assert (
            0 <= spread.least <= spread.low <= spread.median <= spread.high
            and spread.count == repetitions
        )
    assert found.whole.least >= sum(part.least for part in found.parts.values()) - 1e-9


def test_no_more_than_three_repetitions_once_the_time_is_used_up(learner):
    assert time_steps(learner, PUZZLE, repetitions=50, budget=0).whole.count == 3
    assert time_batching(learner, TEXTS[:2], repetitions=50, budget=0).alone.count == 3


def test_each_step_gets_its_own_time(learner, monkeypatch):
    """A clock that the work itself moves on: 1 s to tokenise, 5 s forward, 2 s for the softmax."""
    now = [0.0]

    def slow(seconds, work):
        def slowed(*arguments, **options):
            now[0] += seconds
            return work(*arguments, **options)

        return slowed

    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(learner.tokenizer, "ids", slow(1, learner.tokenizer.ids))
    monkeypatch.setattr(learner, "logits_of_ids", slow(5, learner.logits_of_ids))
    monkeypatch.setattr(timing, "softmax", slow(2, softmax))
    found = time_steps(learner, PUZZLE, repetitions=4, budget=1e9)
    assert found.seconds.tolist() == [[1, 5, 2]] * 4
    assert [part.median for part in found.parts.values()] == [
        1000,
        5000,
        2000,
    ] and found.whole.median == 8000
    batch = time_batching(
        learner, TEXTS, repetitions=2, budget=1e9
    )  # six times 1 + 5 alone, once together
    assert (batch.alone.median, batch.together.median, batch.factor) == (36_000, 6_000, 6)
    assert batch.rates == pytest.approx((6 / 36, 1))


def test_together_says_the_same_as_one_by_one(learner):
    found = time_batching(learner, TEXTS, repetitions=2)
    assert (found.count, found.tokens) == (6, sum(len(learner.tokens(text)) for text in TEXTS))
    np.testing.assert_allclose(found.p_alone, found.p_together, atol=1e-6)
    np.testing.assert_array_equal(found.p_together, learner.probabilities(TEXTS)[:, 1])
    asked = []
    learner._batches, kept = (
        (lambda rows, progress: [asked.append(b) or b for b in kept(rows, progress)]),
        learner._batches,
    )
    try:
        learner.probabilities(TEXTS)
    finally:
        del learner._batches
    assert found.passes == len(asked) >= 1


def test_progress_only_grows_and_can_stop_it(learner):
    seen = []
    time_steps(learner, PUZZLE, repetitions=3, progress=seen.append)
    time_batching(learner, TEXTS[:2], repetitions=2, progress=seen.append)
    assert seen[:5] == sorted(seen[:5]) and seen[4] == seen[-1] == 1 and len(seen) == 5 + 3

    def stop(fraction):
        raise Cancelled("Cancelled.")

    for work in (
        lambda: time_steps(learner, PUZZLE, progress=stop),
        lambda: time_batching(learner, TEXTS, progress=stop),
    ):
        with pytest.raises(Cancelled):
            work()


def test_what_cannot_be_timed_is_told(learner, made):
    with pytest.raises(BadInput):
        time_steps(learner, PUZZLE, repetitions=0)
    with pytest.raises(BadInput):
        time_batching(learner, TEXTS, repetitions=0)
    with pytest.raises(BadInput):
        time_batching(learner, [])
    with pytest.raises(NotAvailable):
        time_steps(made(fine_tuned=False), PUZZLE)


def test_quartiles_are_those_of_numpy():
    spread = TimingSpread.of([0.004, 0.001, 0.003, 0.002, 0.1])
    assert (spread.least, spread.low, spread.median, spread.high, spread.count) == (1, 2, 3, 4, 5)


def test_softmax_is_the_softmax():
    for pair in ([0.5, -1.3], [1000.0, -1000.0], [0.0, 0.0]):
        logits = np.array(pair, np.float32)
        np.testing.assert_allclose(
            softmax(logits), reference(logits.astype(float)), rtol=1e-15, atol=0
        )


def test_reviews_are_spread_out_and_always_the_same():
    reviews = Reviews("n", tuple(Example(str(i), f"text {i}", 0) for i in range(101)))
    assert spread_out(reviews, 5) == [f"text {i}" for i in (0, 25, 50, 75, 100)]
    assert spread_out(reviews, 500) == reviews.texts
    for count in (1, 8, 16, 32, 64):
        assert len(set(spread_out(reviews, count))) == count and spread_out(
            reviews, count
        ) == spread_out(reviews, count)


def test_the_table_holds_what_was_measured_beside_what_is_published(learner):
    steps = time_steps(learner, PUZZLE, repetitions=3)
    batch = BatchTimes(
        16,
        300,
        2,
        TimingSpread(80, 70, 90, 60, 7),
        TimingSpread(40, 30, 50, 20, 7),
        np.zeros(16),
        np.zeros(16),
    )
    table = timing_table(steps, batch).set_index("what")
    assert table.loc["forward", "measured"] == steps.parts["forward"].median
    assert (
        table.loc["forward", "published"] == "~10–50 ms"
        and table.loc["factor", "published"] == "2.5 ×"
    )
    assert table.loc["factor", "measured"] == 2
    alone = table.loc["one by one, a second"]
    assert (alone["measured"], alone["lower quartile"], alone["upper quartile"]) == pytest.approx(
        (200, 16e3 / 90, 16e3 / 70)
    )
    assert table["published"].notna().all() and len(timing_table(steps)) == 4
