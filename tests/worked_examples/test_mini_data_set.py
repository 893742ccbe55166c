import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.worked_examples.mini_data_set import MINI_DATA_SET


def test_two_sentences_teach_which_is_nearer(tiny_model: LoadedModel) -> None:
    """The best boundary between two points stands upright in the middle of both."""
    found = MINI_DATA_SET.results(MINI_DATA_SET.typed(), tiny_model)
    assert found["right"][:2].all()
    for linear in (0, 1):
        assert ((found["scores"][:, linear] > 0) == (found["nearest"] == 1)).all()
    assert np.isclose(found["scores"][0, 1], -found["scores"][1, 1], atol=1e-6)  # the SVM's margins


@pytest.mark.parametrize(
    "known", ["I love Paris, 1", "I love Paris, 1\nGood, 1", "a, 1\nb, 2", "a\nb", ", 1\nb, 0"]
)
def test_what_cannot_be_learned_from_is_told(tiny_model: LoadedModel, known: str) -> None:
    with pytest.raises(BadInput):
        MINI_DATA_SET.results({**MINI_DATA_SET.typed(), "known": known}, tiny_model)


def test_the_same_sentence_with_both_labels_is_answered(tiny_model: LoadedModel) -> None:
    typed = {**MINI_DATA_SET.typed(), "known": "a film, 1\na film, 0"}
    assert np.isfinite(MINI_DATA_SET.results(typed, tiny_model)["scores"]).all()
