import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.worked_examples.attention_by_hand import ATTENTION_BY_HAND
from bertsent.worked_examples.attention_score import ATTENTION_SCORE, key_names


def test_the_weight_from_not_to_good() -> None:
    """0.61, √3 = 1.73, 0.35, and with the completion of E-03 0.18."""
    found = ATTENTION_SCORE.results(ATTENTION_SCORE.typed())
    digits = [round(float(found[name]), 2) for name in ("product", "root", "score", "weight")]
    assert digits == [0.61, 1.73, 0.35, 0.18]
    assert found["weights"].sum() == pytest.approx(1)
    assert key_names(len(found["weights"])) == ("The", "movie", "was", "not", "very", "good")


def test_query_and_key_of_different_width_are_told() -> None:
    with pytest.raises(BadInput):
        ATTENTION_SCORE.results({**ATTENTION_SCORE.typed(), "key": "1, 2"})


@pytest.mark.parametrize("value", ["1, 2\n0, 1\n-1, 0", "1\n2\n3"])
def test_the_six_calculations_are_torch_s_attention(value: str) -> None:
    found = ATTENTION_BY_HAND.results({**ATTENTION_BY_HAND.typed(), "to_value": value})
    q, k, v = (
        torch.tensor(found["inputs"] @ found[name]) for name in ("to_query", "to_key", "to_value")
    )
    own = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    assert np.allclose(found["gathered"], own.numpy(), atol=1e-12)
    assert found["scores"].tolist() == [[0, 1, 3], [0, 0, -1], [0, 1, 1]]  # on paper


@pytest.mark.parametrize("typed", [{"inputs": "1, 0"}, {"to_key": "1\n2\n3"}, {"to_value": "1"}])
def test_matrices_that_do_not_fit_are_told(typed: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        ATTENTION_BY_HAND.results({**ATTENTION_BY_HAND.typed(), **typed})
