"""The maxima of the CNN recomputed by NumPy, and its answer as a sum over filters."""

import numpy as np
import pytest

from bertsent.probing.baselines.lstm import split_words
from bertsent.probing.before_bert.networks import CNN
from bertsent.probing.before_bert.word_filters import (
    best_matches,
    filter_matches,
    matches_sentence,
    width_of,
)
from tests.probing.before_bert.conftest import drawn
from tests.probing.before_bert.test_networks import filters_by_hand

TEXT = "The film was not great, and long"


@pytest.mark.parametrize("text", [TEXT, "great", "not long"])
def test_every_maximum_is_numpy_s_and_contributions_add_up(text: str) -> None:
    reader = drawn(CNN)
    weights = {n: t.double().numpy() for n, t in reader.network.state_dict().items()}
    vectors = weights["embedding.weight"][reader.ids(split_words(text))]
    by_hand = filters_by_hand(weights, vectors)
    found = filter_matches(reader, text)
    assert len(found.rows) == len(by_hand) == 48
    for row in found.rows.itertuples():
        expected = by_hand[row.filter - 1]
        assert np.allclose(found.maps[row.filter - 1], expected, atol=1e-6)
        assert row.match == pytest.approx(expected.max(), abs=1e-6)
        if expected.max() > 0:
            place = int(expected.argmax())
            assert row.words == " ".join(found.words[place : place + row.spans])
            assert row.contribution == pytest.approx(
                weights["head.weight"][0, row.filter - 1] * expected.max(), abs=1e-6
            )
    assert found.logit == pytest.approx(reader.logits([text])[0], abs=1e-5)
    assert f"{100 * found.p_positive:.1f} %" in matches_sentence(found)


def test_the_widths_are_three_sizes() -> None:
    assert [width_of(n) for n in (1, 16, 17, 32, 33, 48)] == [2, 2, 3, 3, 4, 4]


def test_the_best_matches_of_a_filter_in_other_reviews() -> None:
    reader = drawn(CNN)
    texts = ["great film", "boring and long", "the film was great", "great film", "not great"]
    number = int(filter_matches(reader, texts[0]).rows.query("match > 0")["filter"].iloc[0])
    table = best_matches(reader, texts, number)
    assert table["words"].is_unique and table["match"].is_monotonic_decreasing
    best = max(filter_matches(reader, t).maps[number - 1].max() for t in texts)
    assert table["match"][0] == pytest.approx(best)
