import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.worked_examples.sentence_vectors import SENTENCE_VECTORS


@pytest.mark.parametrize("length", ["2", "7", "64"])
def test_three_vectors_are_the_model_s_however_much_is_padded(
    tiny_model: LoadedModel, length: str
) -> None:
    found = SENTENCE_VECTORS.results({"sentence": "I love Paris", "length": length}, tiny_model)
    for vector, how in zip(found["vectors"], ("cls", "mean", "max"), strict=False):
        own = tiny_model.embed(["I love Paris"], pooling=how)[0]
        assert np.allclose(vector, own, atol=1e-5)
    padded = max(0, int(length) - 5)
    assert found["mask"] == (1,) * 5 + (0,) * padded
    assert np.allclose(found["vectors"][1], found["vectors"][3]) is (padded == 0)


def test_more_than_the_model_reads_is_told(tiny_model: LoadedModel) -> None:
    with pytest.raises(BadInput):
        SENTENCE_VECTORS.results({"sentence": "I", "length": "65"}, tiny_model)
