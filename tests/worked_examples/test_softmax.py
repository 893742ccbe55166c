import numpy as np
import pytest
from scipy.special import softmax

from bertsent.worked_examples.softmax import SOFTMAX


def test_the_lecture_s_logits_give_the_lecture_s_probabilities() -> None:
    """By hand: exp(2.1) = 8.17, exp(−0.5) = 0.61, in all 8.77; the slide adds the rounded ones."""
    found = SOFTMAX.results(SOFTMAX.typed())
    assert np.round(found["powers"], 2).tolist() == [8.17, 0.61]
    assert np.round(found["powers"], 2).sum() == pytest.approx(8.78)
    assert np.round(found["probabilities"], 4).tolist() == [0.9309, 0.0691]


@pytest.mark.parametrize("logits", ["0, 0", "50, -50", "-3.7, 1.25"])
def test_any_other_logits_follow(logits: str) -> None:
    found = SOFTMAX.results({"logits": logits})
    assert np.allclose(found["probabilities"], softmax(found["logits"]), atol=1e-12)
    assert SOFTMAX.finding is not None and SOFTMAX.finding(found)
