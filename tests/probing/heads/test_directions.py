"""Left to right nothing that follows a word reaches it: shown on the weights, on the vectors and on
the answer, for both families.
"""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.heads.directions import MOST, least_alike, read_directions

TEXT, OTHER = "not very good", "not very bad"


@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_the_mask_hides_what_follows_and_rows_still_sum_to_one(tiny, family) -> None:
    learner = tiny("cls", family)
    found = read_directions(learner, TEXT, 1, OTHER)
    weights = found.left_to_right.maps.weights
    assert np.triu(weights, 1).max() == 0
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(found.both.maps.weights, learner.attend(TEXT).weights, atol=1e-6)
    own = learner.predict([TEXT])[0].p_positive
    assert found.both.p_positive == pytest.approx(own, abs=1e-5)


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("changed", [OTHER, ""])
def test_left_to_right_a_word_cannot_know_what_follows_it(tiny, family, changed) -> None:
    found = read_directions(tiny("cls", family), TEXT, 1, changed)
    both, left_to_right = found.kept
    assert left_to_right == pytest.approx(1, abs=1e-6) and both < 0.9999
    # [CLS] stands first, so left to right it sees nothing of the review
    assert found.left_to_right.p_positive == pytest.approx(
        found.left_to_right_changed.p_positive, abs=1e-6
    )
    assert found.cosines.shape == (5,) and found.cosines.max() <= 1 + 1e-9


def test_not_in_not_very_good_in_the_model_that_ships(builtin) -> None:
    found = read_directions(builtin, TEXT, 1, OTHER)
    both, left_to_right = found.kept
    assert both < 0.5 and left_to_right > 0.999999
    assert found.both.p_positive < 0.5 < found.both_changed.p_positive


def test_what_cannot_be_compared_is_refused(tiny) -> None:
    for place in (-1, 4, 99):
        with pytest.raises(BadInput, match="There is no word"):
            read_directions(tiny(), TEXT, place)
    with pytest.raises(BadInput, match="differ before"):
        read_directions(tiny(), TEXT, 3, OTHER)


def test_the_word_that_changes_most_is_followed_by_another() -> None:
    cosines = np.array([0.1, 0.5, 0.3, 0.2, 0.0])
    special = (True, False, False, False, True)
    assert least_alike(cosines, ("[CLS]", "a", "b", "c", "[SEP]"), special) == 2
    assert least_alike(cosines, ("[CLS]", "a", ",", "c", "[SEP]"), special) == 1
    assert least_alike(cosines[:3], ("[CLS]", ",", "[SEP]"), (True, False, True)) == 1
    assert least_alike(cosines[:2], ("[CLS]", "[SEP]"), (True, True)) == 0


def test_whatever_is_typed_is_read(tiny) -> None:
    for text in ("Great", "😀", "word " * 1000, "."):
        found = read_directions(tiny(), text)
        assert np.triu(found.left_to_right.maps.weights, 1).max() == 0
        assert found.kept[1] == pytest.approx(1, abs=1e-6)
        assert len(found.both.maps.tokens) <= MOST
