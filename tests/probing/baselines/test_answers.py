"""The filter is the set of unequal predictions; the table is scikit-learn's and Wilson's; answers
are asked for once.
"""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, f1_score

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, Cancelled
from bertsent.probing.baselines.answers import (
    ALONE_RIGHT,
    ALONE_WRONG,
    Classifier,
    answer_reviews,
    compare_classifiers,
    disagreements,
    macro_f1,
)


@pytest.fixture
def said(duel_reviews):
    chance = np.random.default_rng(0)
    return {name: chance.random(len(duel_reviews)).round(2) for name in ("BERT", "one", "two")}


def test_the_filter_is_the_set_of_unequal_predictions(said, duel_reviews):
    table = disagreements(duel_reviews, said)
    expected = {
        e.id for i, e in enumerate(duel_reviews) if len({p[i] > 0.5 for p in said.values()}) > 1
    }
    assert set(table["id"]) == expected and 0 < len(expected) < len(duel_reviews)
    row = table.iloc[0]
    place = [e.id for e in duel_reviews].index(row["id"])
    assert [row[name] for name in said] == [p[place] for p in said.values()]
    assert row["positive"] == f"{sum(p[place] > 0.5 for p in said.values())} of 3"
    spread = table[list(said)].to_numpy().std(axis=1)
    assert (np.diff(spread) <= 1e-12).all()


@pytest.mark.parametrize(("among", "own"), [(ALONE_RIGHT, True), (ALONE_WRONG, False)])
def test_alone_against_all_others(said, duel_reviews, among, own):
    table = disagreements(duel_reviews, said, among=among, bert="BERT")
    expected = set()
    for i, e in enumerate(duel_reviews):
        right = {name: (p[i] > 0.5) == (e.label == 1) for name, p in said.items()}
        if right["BERT"] == own and all(right[name] != own for name in ("one", "two")):
            expected.add(e.id)
    assert set(table["id"]) == expected and expected


def test_all_agreed_is_an_empty_table(duel_reviews):
    same = np.full(len(duel_reviews), 0.9)
    table = disagreements(duel_reviews, {"BERT": same, "one": same - 0.1})
    assert len(table) == 0 and list(table.columns) == [
        "id",
        "text",
        "phenomenon",
        "true",
        "positive",
        "BERT",
        "one",
    ]
    with pytest.raises(BadInput):
        disagreements(duel_reviews, {"one": same}, among=ALONE_RIGHT, bert="BERT")
    with pytest.raises(BadInput):
        disagreements(duel_reviews, {"one": same}, among="everything")


def test_the_table_is_scikit_learns(said, duel_reviews, tmp_path):
    entrants = [
        Classifier(name, name, lambda texts, p=p: p[: len(texts)], 1.5, 2_000)
        for name, p in said.items()
    ]
    table = compare_classifiers(
        entrants, answer_reviews(entrants, duel_reviews, tmp_path)
    ).set_index("method")
    labels = np.array(duel_reviews.labels)
    for name, p in said.items():
        row = table.loc[name]
        assert row["accuracy"] == pytest.approx(accuracy_score(labels, p > 0.5))
        assert row["macro_f1"] == pytest.approx(f1_score(labels, p > 0.5, average="macro"))
        interval = binomtest(int(((p > 0.5) == labels).sum()), len(p)).proportion_ci(
            method="wilson"
        )
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        part = np.array([e.phenomenon == "sarcasm" for e in duel_reviews])
        assert row["sarcasm"] == pytest.approx(accuracy_score(labels[part], p[part] > 0.5))
        assert row["ms_per_review"] > 0 and row["train_seconds"] == 1.5 and row["bytes"] == 2_000


def test_one_class_never_said():
    labels = np.array([0, 1, 1])
    assert macro_f1(labels, np.ones(3)) == pytest.approx(
        f1_score(labels, np.ones(3), average="macro", zero_division=0)
    )


def test_answers_are_asked_for_once_and_damage_is_mended(duel_reviews, tmp_path):
    asked = []

    def answer(texts):
        asked.append(len(texts))
        return np.full(len(texts), 0.25)

    entrants = [Classifier("one", "key", answer)]
    first = answer_reviews(entrants, duel_reviews, tmp_path)
    count = len(asked)
    again = answer_reviews(entrants, duel_reviews, tmp_path)
    assert len(asked) == count and again.milliseconds == first.milliseconds
    assert np.array_equal(again.p_positive["one"], first.p_positive["one"])
    next(tmp_path.glob("answers-*")).write_bytes(b"nothing")
    assert np.array_equal(
        answer_reviews(entrants, duel_reviews, tmp_path).p_positive["one"], first.p_positive["one"]
    )
    assert len(asked) > count


def test_empty_sets_are_refused_and_work_can_be_cancelled(duel_reviews, tmp_path):
    entrants = [Classifier(name, name, lambda texts: np.full(len(texts), 0.5)) for name in "ab"]
    with pytest.raises(BadInput):
        answer_reviews(entrants, Reviews("none", ()), tmp_path)

    def stop(fraction):
        if fraction:
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        answer_reviews(entrants, duel_reviews, tmp_path, progress=stop)
    assert len(list(tmp_path.glob("answers-*"))) == 1


def test_a_single_review_without_phenomenon(tmp_path):
    one = Reviews("one", (Example("1", "good", 1),))
    entrants = [Classifier("a", "a", lambda texts: np.full(len(texts), 0.9))]
    table = compare_classifiers(entrants, answer_reviews(entrants, one, tmp_path))
    assert table["accuracy"].iloc[0] == 1 and np.isnan(table["train_seconds"].iloc[0])
