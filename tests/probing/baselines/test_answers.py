"""The filter is the set of unequal predictions; the table is scikit-learn's and Wilson's; answers
are asked for once.
"""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from bertsent.data.examples import Example, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput, Cancelled
from bertsent.probing import timing
from bertsent.probing.baselines.answers import (
    ALONE_RIGHT,
    ALONE_WRONG,
    TIMED,
    BaselineAnswers,
    Classifier,
    answer_reviews,
    answer_table,
    answers_sentence,
    compare_classifiers,
    comparison_sentence,
    differing,
    disagreements,
)
from bertsent.probing.timing import TimingSpread
from bertsent.statistics import accuracy_interval, best_of, paired_difference


@pytest.fixture
def p_positive(paired_reviews):
    chance = np.random.default_rng(0)
    return {name: chance.random(len(paired_reviews)).round(2) for name in ("BERT", "one", "two")}


def test_the_filter_is_the_set_of_unequal_predictions(p_positive, paired_reviews):
    table = disagreements(paired_reviews, p_positive)
    expected = {
        e.id
        for i, e in enumerate(paired_reviews)
        if len({p[i] > 0.5 for p in p_positive.values()}) > 1
    }
    assert set(table["id"]) == expected and 0 < len(expected) < len(paired_reviews)
    row = table.iloc[0]
    place = [e.id for e in paired_reviews].index(row["id"])
    assert [row[name] for name in p_positive] == [p[place] for p in p_positive.values()]
    assert row["positive"] == f"{sum(p[place] > 0.5 for p in p_positive.values())} of 3"
    spread = table[list(p_positive)].to_numpy().std(axis=1)
    assert (np.diff(spread) <= 1e-12).all()


@pytest.mark.parametrize(("among", "own"), [(ALONE_RIGHT, True), (ALONE_WRONG, False)])
def test_alone_against_all_others(p_positive, paired_reviews, among, own):
    table = disagreements(paired_reviews, p_positive, among=among, bert="BERT")
    expected = set()
    for i, e in enumerate(paired_reviews):
        right = {name: (p[i] > 0.5) == (e.label == 1) for name, p in p_positive.items()}
        if right["BERT"] == own and all(right[name] != own for name in ("one", "two")):
            expected.add(e.id)
    assert set(table["id"]) == expected and expected


def test_all_agreed_is_an_empty_table(paired_reviews):
    same = np.full(len(paired_reviews), 0.9)
    table = disagreements(paired_reviews, {"BERT": same, "one": same - 0.1})
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
        disagreements(paired_reviews, {"one": same}, among=ALONE_RIGHT, bert="BERT")
    with pytest.raises(BadInput):
        disagreements(paired_reviews, {"one": same}, among="everything")


def test_the_table_is_scikit_learns(p_positive, paired_reviews, tmp_path):
    classifiers = [
        Classifier(name, name, lambda texts, p=p: p[: len(texts)], 1.5, 2_000)
        for name, p in p_positive.items()
    ]
    table = compare_classifiers(
        classifiers, answer_reviews(classifiers, paired_reviews, tmp_path)
    ).set_index("method")
    labels = np.array(paired_reviews.labels)
    for name, p in p_positive.items():
        row = table.loc[name]
        assert row["accuracy"] == pytest.approx(accuracy_score(labels, p > 0.5))
        assert row["macro_f1"] == pytest.approx(f1_score(labels, p > 0.5, average="macro"))
        interval = accuracy_interval((p > 0.5) == labels, review_groups(paired_reviews))
        assert (row["low"], row["high"]) == pytest.approx(interval)
        part = np.array([e.phenomenon == "sarcasm" for e in paired_reviews])
        assert row["sarcasm"] == pytest.approx(accuracy_score(labels[part], p[part] > 0.5))
        assert 0 < row["ms_low"] <= row["ms_per_review"] <= row["ms_high"]
        assert row["train_seconds"] == 1.5 and row["bytes"] == 2_000


def test_answers_are_kept_and_times_are_not(paired_reviews, tmp_path, monkeypatch):
    """The milliseconds of the first time stood in the file with the answers for ever after."""
    asked, now, step = [], [0.0], [0.001]

    def answer(texts):
        asked.append(len(texts))
        now[0] += step[0]
        return np.full(len(texts), 0.25)

    monkeypatch.setattr(timing, "perf_counter", lambda: now[0])
    classifiers = [Classifier("one", "key", answer)]
    first = answer_reviews(classifiers, paired_reviews, tmp_path)
    assert first.milliseconds["one"].median == pytest.approx(1)
    step[0] = 0.005
    again = answer_reviews(classifiers, paired_reviews, tmp_path)
    assert asked.count(len(paired_reviews)) == 1 and again.milliseconds["one"].count == TIMED
    assert again.milliseconds["one"].median == pytest.approx(5)
    assert np.array_equal(again.p_positive["one"], first.p_positive["one"])
    next(tmp_path.glob("answers-*")).write_bytes(b"nothing")
    again = answer_reviews(classifiers, paired_reviews, tmp_path)
    assert np.array_equal(again.p_positive["one"], first.p_positive["one"])
    assert asked.count(len(paired_reviews)) == 2


def test_empty_sets_are_refused_and_work_can_be_cancelled(paired_reviews, tmp_path):
    classifiers = [Classifier(name, name, lambda texts: np.full(len(texts), 0.5)) for name in "ab"]
    with pytest.raises(BadInput):
        answer_reviews(classifiers, Reviews("none", ()), tmp_path)

    def stop(fraction):
        if fraction:
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        answer_reviews(classifiers, paired_reviews, tmp_path, progress=stop)
    assert len(list(tmp_path.glob("answers-*"))) == 1


def test_a_single_review_without_phenomenon(tmp_path):
    one = Reviews("one", (Example("1", "good", 1),))
    classifiers = [Classifier("a", "a", lambda texts: np.full(len(texts), 0.9))]
    table = compare_classifiers(classifiers, answer_reviews(classifiers, one, tmp_path))
    assert table["accuracy"].iloc[0] == 1 and np.isnan(table["train_seconds"].iloc[0])


def test_the_sentences_hold_the_tests_of_the_statistics_module(p_positive, paired_reviews):
    answers = BaselineAnswers(paired_reviews, p_positive, {})
    groups = review_groups(paired_reviews)
    correct = {name: answers.correct(name) for name in p_positive}
    rival = max(("one", "two"), key=lambda name: correct[name].mean())
    found = paired_difference(correct[rival], correct["BERT"], groups)
    sentence = comparison_sentence(answers, "BERT")
    assert f"{100 * found.first:.1f} %" in sentence and f"{100 * found.second:.1f} %" in sentence
    assert f"{100 * found.low:+.1f}".replace("-", "−") in sentence
    clear = best_of(np.stack(list(correct.values())), groups).clear
    assert ("cannot be told apart" in sentence) is not clear and "50.0 %" in sentence


def test_one_review_in_numbers_and_words():
    answers = {"a": 0.9, "b": 0.2, "BERT": 0.4}
    assert differing(answers, "BERT") == ["a"] and differing(answers, "none") == []
    assert answers_sentence(answers, "BERT").startswith("1 of 3 say POSITIVE")
    spreads = {name: TimingSpread(2.0, 1.0, 3.0, 5) for name in answers}
    table = answer_table(answers, spreads, "BERT").set_index("method")
    assert table["same as BERT"].to_dict() == {"a": False, "b": True, "BERT": True}
    assert table.loc["b", ["ms", "ms from", "ms to"]].tolist() == [2, 1, 3]
