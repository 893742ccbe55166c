"""Before and after a retraining: every difference is that of two evaluations."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import accuracy_score

from bertsent.classroom import retraining_result
from bertsent.classroom.retraining_result import RetrainingResult, TwoEvaluations, judge_retraining
from bertsent.data.examples import Example, Reviews
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.probing.checklist.builtin_suite import suite_of, test_reviews
from bertsent.probing.checklist.scoring import score
from bertsent.probing.loaded_model import load_folder
from bertsent.statistics import paired_difference
from tests.classroom.conftest import MODEL, few_validation_reviews

SUITE = suite_of(test_reviews().take(range(60)), "few")


@pytest.fixture
def two_models(lab, played, tiny_classifier, monkeypatch):
    """The model that was fooled, and one with another head."""
    monkeypatch.setattr(retraining_result, "validation_reviews", few_validation_reviews)
    monkeypatch.setattr(retraining_result, "builtin_suite", lambda: SUITE)
    found = load_checkpoint(tiny_classifier)
    torch.manual_seed(5)
    torch.nn.init.normal_(found.model.classifier.weight, std=0.5)
    save_checkpoint(
        lab / "models" / "other", found.model, found.tokenizer, CheckpointCard(max_length=64)
    )
    return MODEL, "other"


def test_each_difference_is_that_of_two_independent_evaluations(lab, played, two_models):
    entries = played.look().board.confirmed
    found = judge_retraining(two_models, tuple(entries[:6]), tuple(entries[6:]))
    assert (found.validation.before != found.validation.after).any()
    for name, each in found.sets().items():
        truth, texts = each.reviews.labels, each.reviews.texts
        accuracies = []
        for model in two_models:
            answers = load_folder(lab / "models" / model).predict(texts)
            accuracies.append(accuracy_score(truth, [a.p_positive > 0.5 for a in answers]))
        assert [each.difference.first, each.difference.second] == pytest.approx(accuracies), name
        rows = found.table().set_index(["reviews", "when"])["accuracy"]
        assert [rows[name, "before"], rows[name, "after"]] == pytest.approx(accuracies)
    assert found.held_out.reviews.texts == [e.text for e in entries[6:]]


def test_what_both_models_said_outlives_the_server(lab, played, two_models, monkeypatch):
    entries = tuple(played.look().board.confirmed)
    asked = judge_retraining(two_models, entries[:6], entries[6:])
    halves, cache = (two_models, entries[:6], entries[6:]), lab / "cache"
    first = judge_retraining(*halves, cache=cache)
    monkeypatch.setattr(retraining_result, "answers_of_models", None)  # nobody is asked again
    again = judge_retraining(*halves, cache=cache)
    for one, other in ((asked, first), (first, again)):
        pd.testing.assert_frame_equal(one.table(), other.table())
        pd.testing.assert_frame_equal(one.scorecard_changes(), other.scorecard_changes())
    with pytest.raises(TypeError):
        judge_retraining(two_models[::-1], *halves[1:], cache=cache)


def test_what_was_forgotten_is_what_was_right_and_is_wrong(lab, played, two_models):
    entries = tuple(played.look().board.confirmed)
    found = judge_retraining(two_models, entries[:6], entries[6:])
    models = [load_folder(lab / "models" / name) for name in two_models]
    lost = set()
    for review in few_validation_reviews():
        was, is_now = (m.predict([review.text])[0].p_positive > 0.5 for m in models)
        if was == bool(review.label) and is_now != bool(review.label):
            lost.add(review.id)
    assert set(found.forgotten()["id"]) == lost and len(lost) == found.validation.difference.broken
    cards = [score(SUITE, m.probabilities(SUITE.texts)[:, 1]) for m in models]
    passed = [card.cases["passed"] for card in cards]
    fell = {
        case.text
        for case, was, is_now in zip(SUITE, *passed, strict=True)
        if was and not is_now and case.kind != "ORDER"
    }
    assert set(found.failed_since()["text"]) == fell and fell
    changes = found.scorecard_changes().set_index(["kind", "capability"])
    for kind, capability in changes.index:
        if capability != "pairs, both right":
            rates = [1 - card.rate(kind, capability).accuracy for card in cards]
            assert changes.loc[kind, capability][["before", "after"]].tolist() == pytest.approx(
                rates
            )


def made(before: str, after: str) -> TwoEvaluations:
    """Answers from a word of r (right) and w (wrong) each, to reviews that are all positive."""
    reviews = Reviews("made", tuple(Example(f"{i}", f"review {i}", 1) for i in range(len(before))))
    p = [np.array([0.9 if sign == "r" else 0.1 for sign in word]) for word in (before, after)]
    return TwoEvaluations(reviews, *p)


@pytest.mark.parametrize(
    ("learned", "held_out", "verdict"),
    [
        ("rrrrrr", "rrrrrr", "trick"),  # six of six: p = 0.031
        ("wwwwww", "rrrrrrww", "trick"),
        ("rrrrrr", "rrrrrw", "sentences"),  # five of six: p = 0.0625
        ("rrrrww", "wwwwww", "sentences"),
        ("rrrwww", "wwwwww", "neither"),
        ("wwwwww", "rrrwww", "neither"),
        ("rrr", "rrr", "too few"),
        ("www", "rrr", "neither"),
    ],
)
def test_the_verdict_follows_the_stated_rules(learned, held_out, verdict):
    sets = [made("w" * len(after), after) for after in (learned, held_out)]
    found = RetrainingResult(*sets, made("rr", "rw"), ())
    assert found.verdict == verdict
    right = held_out.count("r")
    assert f"{right} of {len(held_out)}" in found.sentence()
    p = paired_difference([False] * len(held_out), [sign == "r" for sign in held_out]).p_value
    assert (p <= 0.05) == (verdict == "trick")


def test_a_model_that_got_worse_learned_no_trick():
    found = RetrainingResult(made("w" * 8, "w" * 8), made("r" * 8, "w" * 8), made("rr", "rr"), ())
    assert found.verdict == "neither"


def test_forgotten_lists_the_largest_change_first_and_says_how_the_answers_lean():
    reviews = Reviews("r", tuple(Example(str(i), f"review {i}", 1) for i in range(4)))
    each = TwoEvaluations(reviews, np.array([0.6, 0.9, 0.2, 0.8]), np.array([0.4, 0.1, 0.9, 0.7]))
    assert list(each.forgotten()["id"]) == ["1", "0"]
    said = RetrainingResult(made("w", "r"), made("w", "r"), each, ()).forgotten_sentence()
    assert "2 were forgotten and 1 gained" in said and "50 % of them NEGATIVE, 25 % before" in said
