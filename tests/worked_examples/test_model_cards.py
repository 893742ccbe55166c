import pytest

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.worked_examples.model_cards import (
    BASE,
    LARGE,
    MODEL_CARDS,
    parameters_by_hand,
    parameters_counted,
)


@pytest.mark.parametrize("size", [BASE, LARGE, (3, 100, 10)])
def test_by_hand_is_what_the_library_counts(size: tuple[int, int, int]) -> None:
    layers, width, _ = size
    assert sum(parameters_by_hand(layers, width).values()) == parameters_counted(*size)


def test_base_has_110_and_large_not_345_million(tiny_model: LoadedModel) -> None:
    """E-16."""
    found = MODEL_CARDS.results(MODEL_CARDS.typed(), tiny_model)
    assert parameters_counted(*BASE) == 109_482_240
    assert round(found["large"]) == 335
    assert found["table"]["tiny"]["layers"] == "2"


def test_heads_have_to_share_the_width(tiny_model: LoadedModel) -> None:
    with pytest.raises(BadInput):
        MODEL_CARDS.results({**MODEL_CARDS.typed(), "heads": "7"}, tiny_model)
