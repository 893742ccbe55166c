"""Tests of claims on models whose answers are known, against counting by hand; vectors against
scipy.
"""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.three_tasks.claims import (
    class_size,
    overlap,
    rare_tokens,
    scrambled,
    stars,
    strength,
)
from bertsent.probing.three_tasks.printed_examples import answered_examples, examples_sentence
from bertsent.probing.three_tasks.sentence_vectors import vector_correlations
from bertsent.statistics import wilson_interval
from bertsent.tasks.catalogue import FIVE_STEPS, PARAPHRASE, SENTIMENT, SIMILARITY
from bertsent.tasks.task import Rating


class Known(LoadedModel):
    """A model of the tiny encoder whose answers a test decides."""

    def __init__(self, backbone, task, answers) -> None:
        model = BertForTask(backbone.model, task=task)
        super().__init__(
            "known", "known", model, backbone.tokenizer, max_length=64, fine_tuned=True
        )
        self.known = answers

    def answers(self, inputs, **options):
        return np.array([self.known(*pair) for pair in inputs])

    def probabilities(self, texts, **options):
        p = np.array([self.known(text, "") for text in texts])
        return np.stack([1 - p, p], axis=1)


@pytest.fixture
def known(tiny_backbone):
    backbone = load_backbone(str(tiny_backbone))
    return lambda task, answers: Known(backbone, task, answers)


def _steps(*rows: tuple[str, int]) -> Reviews:
    examples = [Example(f"s{i}", text, label) for i, (text, label) in enumerate(rows)]
    return Reviews("steps", tuple(examples), task=FIVE_STEPS)


def _pairs(*rows: tuple[str, str, int]) -> Reviews:
    examples = [Example(f"p{i}", a, label, second=b) for i, (a, b, label) in enumerate(rows)]
    return Reviews("pairs", tuple(examples), task=PARAPHRASE)


def test_errors_are_counted_by_the_rarest_token(known) -> None:
    trained = _steps(*[("a good film", 3)] * 5, ("a dull film", 1))
    asked = _steps(("a good film", 3), ("a dull film", 3), ("a weird film", 3), ("odd film", 3))
    model = known(FIVE_STEPS, lambda text, _: np.eye(5)[3 if "good" in text else 1])
    table = rare_tokens(model, asked, trained).table.set_index("group")
    assert table["n"].to_dict() == {"never": 2, "1 to 3 times": 1, "more often": 1}
    assert table["rate"].to_dict() == {"never": 1, "1 to 3 times": 1, "more often": 0}
    assert table.loc["never", ["low", "high"]].tolist() == list(wilson_interval(2, 2))


def test_confidence_is_compared_with_strength_within_the_sides(known) -> None:
    p = {"awful": 1 / 32, "dull": 1 / 16, "plain": 0.96, "good": 15 / 16, "superb": 31 / 32}
    steps = _steps(*[(word, step) for step, word in enumerate(p)] * 4)
    found = strength(known(SENTIMENT, lambda text, _: p[text]), steps)
    assert found.table["rate"].tolist() == [1, 1, 1, 1, 1]
    assert "ρ = 0.90 " in found.finding and "on 100 %" in found.finding  # 0.96 is out of place
    assert "ρ = 1.00 " in found.finding


def test_a_bag_of_words_takes_scrambled_pairs_for_the_same_and_is_fooled_by_overlap(known) -> None:
    def bag(one, other):
        same = set(one.split()) == set(other.split())
        return np.array([1 - same, same], float)

    model = known(PARAPHRASE, bag)
    pairs = _pairs(
        ("the dog bit the man", "the man the dog bit", 1),
        ("how old are you", "what is your age", 1),
        ("the dog bit the man", "the man bit the dog", 0),
        ("soup is cold", "planes fly high", 0),
    )
    table = scrambled(model, pairs).table.set_index("group")
    assert table["count"].to_dict() == {"as written": 1, "words shuffled": 1}
    fooled = overlap(model, pairs).table.set_index("group")
    assert (
        fooled.loc["three quarters and more", "rate"] == 1
        and fooled.loc["below a quarter", "rate"] == 0
    )


def test_recall_stands_beside_the_size_of_each_class(known) -> None:
    trained = _steps(("a", 0), ("b", 1), ("c", 1))
    asked = _steps(("a", 0), ("b", 1), ("c", 1))
    found = class_size(known(FIVE_STEPS, lambda text, _: np.eye(5)[1]), asked, trained)
    assert found.table["rate"].tolist() == [0, 1]
    assert found.table["group"].tolist() == ["very negative (1)", "negative (2)"]


def test_vectors_are_compared_as_scipy_does(known) -> None:
    words = ("a warm film", "a cold soup", "great fun", "no fun at all", "the cat sleeps")
    examples = [
        Example(f"{i}{j}", one, second=other, scores=(float(abs(i - j)),))
        for i, one in enumerate(words)
        for j, other in enumerate(words)
    ]
    pairs = Reviews("alike", tuple(examples), task=SIMILARITY)
    model = known(SIMILARITY, lambda *pair: 0.0)
    table = vector_correlations({"tiny": model}, pairs).set_index("pooling")
    u, v = (model.embed(side, pooling="mean") for side in zip(*pairs.inputs, strict=True))
    cosine = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    expected = pearsonr(cosine, np.array(pairs.targets))
    row = table.loc["mean of tokens"]
    interval = expected.confidence_interval()
    assert row.pearson == pytest.approx(expected.statistic, abs=1e-5)
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high), abs=1e-4)


def test_the_printed_examples_are_judged_by_the_rule_of_the_study(known) -> None:
    models = {
        "five-steps": known(FIVE_STEPS, lambda text, _: np.eye(5)[4 if "warm" in text else 1]),
        "paraphrase": known(PARAPHRASE, lambda *pair: np.array([0.2, 0.8])),
        "similarity": known(SIMILARITY, lambda one, other: 4.04 if "cat" in one else 0.2),
    }
    table = answered_examples(models)
    assert len(table) == 9 and table["printed_right"].sum() == 6
    assert table["right"].tolist() == [True, False, False, False, True, False, True, False, False]
    assert table["expected"].iloc[3] == pytest.approx(0.8)
    assert "3 of 9" in examples_sentence(table)


def _starred(*rows: tuple[str, float]) -> Reviews:
    examples = [Example(f"r{i}", text, scores=(star,)) for i, (text, star) in enumerate(rows)]
    return Reviews("rated", tuple(examples), task=Rating("rating", "Stars", "text", 0, 10))


def test_confidence_is_compared_with_stars_as_scipy_does(known) -> None:
    random = np.random.default_rng(0)
    given = random.choice([1.0, 2, 4, 7, 9, 10], 60)
    p = np.clip(given / 11 + random.normal(0, 0.2, 60), 0.01, 0.99)
    rated = _starred(*((f"text {i}", star) for i, star in enumerate(given)))
    found = stars(known(SENTIMENT, lambda text, _: p[int(text.split()[1])]), rated)
    line = pearsonr(p, given)
    reach = line.confidence_interval()
    assert f"r = {line.statistic:.2f} ({reach.low:.2f} to {reach.high:.2f})" in found.finding
    assert f"ρ = {spearmanr(p, given).statistic:.2f} (95 %" in found.finding
    within = spearmanr(abs(p - 0.5), abs(given - 5.5)).statistic
    assert f"follows it with ρ = {within:.2f} (".replace("-", "−") in found.finding
    sure = {
        f"{star:g} {'star' if star == 1 else 'stars'}": int(
            (np.maximum(p, 1 - p)[given == star] > 0.9).sum()
        )
        for star in given
    }
    assert dict(zip(found.table["group"], found.table["count"], strict=True)) == sure


def test_few_stars_and_pairs_that_all_say_the_same_are_refused(known) -> None:
    with pytest.raises(BadInput, match="at least 10"):
        stars(known(SENTIMENT, lambda *_: 0.5), _starred(("a", 1), ("b", 9)))
    with pytest.raises(BadInput, match="say the same"):
        overlap(known(PARAPHRASE, lambda *_: np.array([0, 1])), _pairs(("a b", "a b", 1)))


def test_what_follows_the_overlap_more_is_fooled(known) -> None:
    def bag(one, other):
        return np.array([0, 1]) if set(one.split()) == set(other.split()) else np.array([1, 0])

    pairs = _pairs(
        ("the dog bit the man", "the man bit the dog", 0),
        ("how old are you", "what is your age", 1),
        ("planes fly high", "planes fly high", 1),
        ("soup is cold", "planes fly high", 0),
    )
    finding = overlap(known(PARAPHRASE, bag), pairs).finding
    shared = [1, 0, 1, 0]
    assert "50 % are answered rightly" in finding and "be right on 50 %" in finding
    assert f"tokens with ρ = {spearmanr([1, 0, 1, 0], shared).statistic:.2f}" in finding
    assert f"truth with ρ = {spearmanr([0, 1, 1, 0], shared).statistic:.2f}" in finding
