import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.worked_examples.it_pair import FIRST, IT_PAIR, SECOND


def test_attention_and_vectors_are_the_model_s_own(tiny_model: LoadedModel) -> None:
    found = IT_PAIR.results(IT_PAIR.typed(), tiny_model)
    for number, text in enumerate((FIRST, SECOND)):
        pieces = list(tiny_model.tokens(text).pieces)
        weights = tiny_model.attend(text).weights
        for target, word in enumerate(("animal", "street")):
            row = weights[:, :, pieces.index("it"), pieces.index(word)]
            assert np.allclose(found["by_layer"][number, target], row.mean(axis=1), atol=1e-6)
            assert np.isclose(found["in_head"][number, target], row[tuple(found["head"])])
    vectors = []
    for text in (FIRST, SECOND):
        tokens = tiny_model.tokens(text)
        with torch.no_grad():
            states = tiny_model.model.bert(torch.tensor([tokens.ids])).last_hidden_state[0]
        vectors.append(states[list(tokens.pieces).index("it")])
    cosine = torch.nn.functional.cosine_similarity(*vectors, dim=0)
    assert np.isclose(found["changed"][-1], 1 - float(cosine), atol=1e-5)
    assert found["changed"][0] == pytest.approx(0, abs=1e-6)  # the same word at the same place


def test_the_same_sentence_twice_changes_nothing(tiny_model: LoadedModel) -> None:
    found = IT_PAIR.results({**IT_PAIR.typed(), "second": FIRST}, tiny_model)
    assert np.allclose(found["changed"], 0, atol=1e-9)
    assert IT_PAIR.finding is not None and IT_PAIR.finding(found)


@pytest.mark.parametrize(
    "typed", [{"first": "No such word"}, {"words": "it, animal"}, {"first": "street it animal"}]
)
def test_sentences_that_cannot_be_compared_are_told(
    tiny_model: LoadedModel, typed: dict[str, str]
) -> None:
    with pytest.raises(BadInput):
        IT_PAIR.results({**IT_PAIR.typed(), **typed}, tiny_model)
