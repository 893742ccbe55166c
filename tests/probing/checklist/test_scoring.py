"""The built-in suite, whom it can tell apart, and how verdicts come about: by hand and by stubs."""

import numpy as np
import pytest
from scipy.stats import binomtest

from bertsent.data.sources import load_reviews
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.baselines.bag_of_words import fit_bag_of_words
from bertsent.probing.baselines.pipelines import BOW_SVM
from bertsent.probing.checklist import perturbations
from bertsent.probing.checklist.builtin_suite import SHUFFLED, builtin_suite
from bertsent.probing.checklist.perturbations import NAMED
from bertsent.probing.checklist.scoring import (
    comparison_sentence,
    history,
    score,
)
from bertsent.probing.checklist.suite import Suite, SuiteCase
from bertsent.probing.loaded_model import load
from bertsent.probing.slices import PAIRS


def of_kind(suite, kind):
    return Suite(suite.name, tuple(case for case in suite if case.kind == kind))


def always(suite, p):
    return np.full(len(suite.texts), p)


@pytest.fixture(scope="module")
def suite():
    return builtin_suite()


@pytest.fixture(scope="module")
def counted():
    """Words counted: blind to their order."""
    whole = load_reviews("builtin")
    return fit_bag_of_words(BOW_SVM, whole.where([e.split == "train" for e in whole]))


def test_always_positive_scores_exactly_the_positive_share(suite):
    card = score(suite, always(suite, 1.0))
    share = np.mean([case.label for case in suite if case.kind == "MFT"])
    assert card.rate("MFT").accuracy == pytest.approx(share)
    assert score(suite, always(suite, 0.0)).rate("MFT").accuracy == pytest.approx(1 - share)
    assert card.rate("MFT").majority == pytest.approx(max(share, 1 - share))
    for name in {i.capability for i in suite if i.kind == "MFT"}:
        labels = [i.label for i in suite if (i.kind, i.capability) == ("MFT", name)]
        assert card.rate("MFT", name).accuracy == np.mean(labels)


def test_who_always_says_the_same_keeps_calm_and_moves_nowhere(suite):
    card = score(suite, always(suite, 0.7))
    assert (
        card.rate("INV").accuracy == card.rate("ORDER").accuracy == 1
        and card.rate("DIR").accuracy == 0
    )


def test_word_order_is_seen_by_bert_and_not_by_counted_words(suite, counted):
    mixed = of_kind(suite, "ORDER")
    assert score(mixed, counted.p_positive(mixed.texts)).rate("ORDER", SHUFFLED).accuracy == 1
    answers = load("builtin").probabilities(mixed.texts)[:, 1]
    assert score(mixed, answers).rate("ORDER", SHUFFLED).accuracy < 1


def test_every_item_has_a_label_and_a_source_and_comes_once(suite):
    assert all(item.label in (0, 1) and item.source for item in suite)
    assert len({item.id for item in suite}) == len(suite)
    assert {
        "sarcasm",
        "negation",
        "intensity",
        "contrast",
        "temporal",
        "irony-marks",
        "understatement",
        "sincere",
    } <= {item.capability for item in suite if item.kind == "MFT"}


def test_sincere_controls_are_two_fifths(suite):
    """Whoever sees irony everywhere must not win."""
    kinds = [case.capability for case in suite if case.kind == "MFT"]
    assert kinds.count("sincere") >= 0.4 * (kinds.count("sincere") + kinds.count("sarcasm"))


def test_nobody_learned_from_it(suite):
    parts = {e.id: e.split for e in load_reviews("builtin")}
    assert {parts[item.id.split(" ")[0]] for item in suite} == {"test"}


def test_changes_change_what_they_say_and_are_the_same_each_time(suite):
    for item in suite:
        if item.kind == "MFT":
            continue
        assert item.text != item.base
        if item.capability == "typo":
            assert (
                sorted(item.text) == sorted(item.base)
                and sum(a != b for a, b in zip(item.text, item.base, strict=True)) == 2
            )
        if item.capability == "capitals":
            assert item.text.lower() == item.base.lower()
        if item.capability == SHUFFLED:
            assert sorted(item.text.split()) == sorted(item.base.split())
        if item.capability == NAMED:
            assert item.text.split(". ", 1)[1] == item.base.split(". ", 1)[1]
    again = builtin_suite.__wrapped__()
    assert again.sha256 == suite.sha256


@pytest.mark.parametrize(
    ("change", "text", "found"),
    [
        (perturbations.contraction, "It is not good", "It isn't good"),
        (perturbations.contraction, "It isn't good", "It is not good"),
        (perturbations.contraction, "Good", None),
        (perturbations.full_stop, "Well...", None),
        (perturbations.full_stop, "Well.", "Well"),
        (perturbations.shout, "SO good", None),
        (perturbations.shuffled, "very very", None),
        (perturbations.typo, "no way", None),
    ],
)
def test_changes_by_hand(change, text, found):
    assert change(text) == found


@pytest.mark.parametrize(
    ("direction", "before", "after", "passed"),
    [
        ("up", 0.4, 0.5, True),
        ("up", 0.5, 0.4, False),
        ("up", 0.99, 0.97, True),
        ("up", 0.96, 0.94, False),
        ("down", 0.5, 0.4, True),
        ("down", 0.4, 0.5, False),
        ("down", 0.01, 0.02, True),
        ("up", 0.4, 0.4, False),
    ],
)
def test_a_direction_is_kept(direction, before, after, passed):
    item = SuiteCase("a", "DIR", "c", "text", 1, "s", "base", direction)
    suite = Suite("s", (item,))
    rows = score(suite, np.array([{"text": after, "base": before}[t] for t in suite.texts])).rows()
    assert rows["passed"][0] == passed and rows["p_base"][0] == before


def test_the_table_has_intervals_and_pairs(suite):
    table = score(suite, np.arange(len(suite.texts)) % 2).table()
    for row in table.itertuples():
        interval = binomtest(row.failed, row.n).proportion_ci(method="wilson")
        assert row.failure == pytest.approx(row.failed / row.n)
        assert row.low <= row.failure <= row.high
        if row.kind != "MFT":  # no minimal pairs: Wilson's
            assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
        assert np.isnan(row.majority) == (row.kind != "MFT" or row.capability == PAIRS)
    assert "pairs, both right" in set(table["capability"]) and list(table["kind"].unique()) == [
        "MFT",
        "INV",
        "DIR",
        "ORDER",
    ]


def test_history_judges_each_checkpoint_by_the_same_suite(suite):

    class Constant:
        def __init__(self, p: float) -> None:
            self.p = p

        def probabilities(self, texts, *, progress):
            return np.tile([1 - self.p, self.p], (len(texts), 1))

    few = of_kind(suite, "MFT")
    found = history(few, [(step, lambda p=p: Constant(p)) for step, p in ((0, 0.0), (10, 1.0))], 2)
    assert list(found["step"].unique()) == [0, 10]
    alone = score(few, always(few, 1.0)).table()
    np.testing.assert_array_equal(
        found.query("step == 10")["failure"].to_numpy(), alone["failure"].to_numpy()
    )


def test_what_is_no_answer_is_refused(suite):
    for bad in (always(suite, 2.0), always(suite, np.nan), np.zeros(3)):
        with pytest.raises(BertsentError, match="not one probability per text"):
            score(suite, bad)
    with pytest.raises(BadInput, match="no cases"):
        score(Suite("empty", ()), np.empty(0))


def test_models_are_compared_on_the_same_tests(suite):
    """Failure rates stood side by side with nothing to say which difference is more than chance."""
    mft = of_kind(suite, "MFT")
    truth = {case.text: float(case.label) for case in mft}
    perfect = score(mft, np.array([truth[t] for t in mft.texts]))
    guess = score(mft, always(mft, 1.0))
    assert "perfect is best" in comparison_sentence({"perfect": perfect, "guess": guess})
    assert "cannot be told apart" in comparison_sentence({"one": guess, "same": guess})
    assert comparison_sentence({"one": guess}) == ""
