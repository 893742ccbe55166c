"""What one changed word does: against single predictions, by hand from the attention weights, and
turned round.
"""

import numpy as np
import pytest

from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.probing.attribution.units import segment_review
from bertsent.probing.loaded_model import load
from bertsent.probing.pairs.minimal_pair import compare_pair, probe_side
from tests.probing.left_out import text_without

NOT_BAD, BAD = "This is not a bad film", "This is a bad film."
ANIMAL = "The animal didn't cross the street because it was too tired."
STREET = "The animal didn't cross the street because it was too wide."


@pytest.fixture(scope="module")
def pair(learner):
    return compare_pair(learner, NOT_BAD, BAD)


def source(pair, word):
    return next(s for s in pair.shared if pair.first.words[s.first].text == word)


def test_identical_texts_differ_by_nothing_at_all(learner):
    same = compare_pair(learner, NOT_BAD, NOT_BAD)
    table = same.frame(source(same, "bad"))
    assert same.difference == 0 and not same.turns and len(same.shared) == len(same.first.words)
    assert (table[[c for c in table if c.endswith("difference")]] == 0).all(axis=None)
    assert not same.attention_difference().any()


def test_equal_texts_looked_at_twice_differ_by_nothing_either(learner):
    one, two = probe_side(learner, NOT_BAD), probe_side(learner, NOT_BAD)
    assert (
        one.p_positive == two.p_positive
        and (one.attribution == two.attribution).all()
        and (one.maps.weights == two.maps.weights).all()
    )


def test_swapped_texts_turn_every_sign(learner, pair):
    turned = compare_pair(learner, BAD, NOT_BAD)
    assert turned.difference == -pair.difference
    for head in (None, (2, 3)):
        there, back = (
            pair.frame(source(pair, "bad"), head),
            turned.frame(source(turned, "bad"), head),
        )
        for what in ("attribution", "attention"):
            np.testing.assert_array_equal(there[f"{what}_difference"], -back[f"{what}_difference"])
            np.testing.assert_array_equal(there[f"{what}_first"], back[f"{what}_second"])
        assert list(there["first"]) == list(back["second"])


def test_the_attribution_is_the_difference_of_two_separate_predictions(learner, pair):
    side, reading = pair.first, segment_review(learner, NOT_BAD)
    for unit, found in enumerate(side.attribution):
        alone = learner.predict([text_without(reading, unit)])[0].p_positive
        assert found == pytest.approx(
            side.p_positive - alone, abs=1e-5
        )  # a batch rounds otherwise than one text
    assert side.p_positive == learner.predict([NOT_BAD])[0].p_positive


def test_the_attribution_is_that_of_the_why_view(learner):
    from bertsent.probing.attribution.units import leave_one_out

    side, review = probe_side(learner, ANIMAL), segment_review(learner, ANIMAL)
    found = leave_one_out(learner, review, range(len(review.units)))
    np.testing.assert_allclose(side.attribution, found.added, atol=1e-5)


def test_attention_of_words_by_hand(learner):
    text = "Unwatchableish, great."
    side = probe_side(learner, text)
    tokens, maps = learner.tokens(text), learner.attend(text)
    pieces = [i for i, word in enumerate(tokens.words) if word == 0]
    assert len(pieces) > 1
    taken = side.attention()
    np.testing.assert_allclose(taken[:, :, 0], maps.weights[:, :, 0, pieces].sum(-1), atol=1e-6)
    given = side.attention(0)
    great = tokens.pieces.index("great")
    np.testing.assert_allclose(
        given[:, :, 2], maps.weights[:, :, pieces, great].mean(-1), atol=1e-6
    )
    assert (given.sum(-1) <= 1 + 1e-6).all()


def test_words_are_the_models_own_words_where_both_split_alike(learner):
    side = probe_side(learner, "Great, another boring movie")
    assert list(side.owner) == [-1 if w is None else w for w in learner.tokens(side.text).words]


def test_it_looks_elsewhere_when_the_last_word_changes(learner):
    pair = compare_pair(learner, ANIMAL, STREET)
    row = source(pair, "it")
    moved = pair.attention_difference(row)
    layer, head = pair.most_changed_head(row)
    assert np.nansum(np.abs(moved[layer, head])) == np.nansum(np.abs(moved), axis=2).max() > 0
    assert [s.kind for s in pair.rows].count("changed") == 1


def test_one_word_and_strange_texts_do_not_fall_over(learner):
    for first, second in (
        ("Good", "Bad"),
        ("😀" * 300, "good"),
        ("$$x$$ <b>", "a _ b"),
        ("\u202eevil\u202c", "evil"),
    ):
        table = compare_pair(learner, first, second).frame()
        assert np.isfinite(table["attribution_first"].dropna()).all() and len(table)


def test_a_text_without_a_word_is_told(learner):
    with pytest.raises(BadInput, match="no word in one of the two texts"):
        compare_pair(learner, "good", "   ")


def test_words_that_are_not_read_have_no_evidence(tiny):
    side = probe_side(tiny, "good " * 90)
    assert (
        side.cut
        and not side.attribution[62:].any()
        and side.attribution[:62].any()
        and len(side.attribution) == 90
    )


def test_it_can_be_stopped_and_needs_a_head(learner):
    def stop(_):
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        compare_pair(learner, "good film", "bad film", progress=stop)
    with pytest.raises(NotAvailable):
        compare_pair(load("backbone"), "good", "bad")
