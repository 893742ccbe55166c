import numpy as np
import pytest
from sklearn.metrics import log_loss

from bertsent.errors import BadInput
from bertsent.worked_examples.cross_entropy import CROSS_ENTROPY, MEAN_LOSS, ONE_LOSS


def test_the_lecture_s_loss_with_and_without_rounding() -> None:
    """E-02: 0.073 is −ln 0.93; the logits give 0.0716."""
    found = CROSS_ENTROPY.results(CROSS_ENTROPY.typed())
    assert round(found["loss"], 3) == 0.073
    assert round(found["exact_loss"], 4) == 0.0716


def test_the_slide_s_005_is_a_logarithm_to_base_10() -> None:
    """E-01."""
    found = ONE_LOSS.results(ONE_LOSS.typed())
    assert np.round(found["losses"], 3).tolist() == [0.105, 2.303]
    assert np.round(found["base_10"], 2).tolist() == [0.05, 1.0]


def test_the_mean_over_n_reviews_is_scikit_learn_s() -> None:
    found = MEAN_LOSS.results(MEAN_LOSS.typed())
    truth, p_positive = found["reviews"].T
    assert found["mean"] == pytest.approx(log_loss(truth, p_positive), rel=1e-12)
    assert np.round(found["losses"][:2], 3).tolist() == [0.105, 2.303]


@pytest.mark.parametrize("typed", ["2, 0.9", "1, 1", "1, 0", "1", "1, x", "", "1, 0.9\n" * 13])
def test_a_row_that_is_no_review_is_told(typed: str) -> None:
    with pytest.raises(BadInput):
        MEAN_LOSS.results({"reviews": typed})


@pytest.mark.parametrize(
    "typed", [{"truth": "0, 1", "probabilities": "1, 0"}, {"probabilities": "0.9, 0.9"}]
)
def test_what_is_no_probability_is_told(typed: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        CROSS_ENTROPY.results({**CROSS_ENTROPY.typed(), **typed})
