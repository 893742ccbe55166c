"""Rows 003-05 and 003-06: shapes and vectors of the last layer, against the model itself."""

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.worked_examples.word_vectors import PARIS_VECTORS, SHOWN
from bertsent.worked_examples.worked_example import agrees


def vectors(model, sentence="I love Paris", length="7", place="3"):
    typed = {"sentence": sentence, "length": length, "place": place}
    return PARIS_VECTORS.results(typed, model)


def test_ids_and_mask_become_the_model_s_own_vectors(tiny_model) -> None:
    found = vectors(tiny_model)
    ids = torch.tensor([[101, 1045, 2293, 3000, 102, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 0, 0]])
    with torch.inference_mode():
        output = tiny_model.model.bert(input_ids=ids, attention_mask=mask)
    assert output[0].shape == (1, 7, 32) and found["whole"] == ("1 × 7 × 32",)
    assert output[0][:, 0].shape == (1, 32) and found["cls"] == ("1 × 32",)  # slip E-12
    np.testing.assert_allclose(found["hidden"], output[0][0].numpy(), atol=1e-5)
    np.testing.assert_allclose(found["vector"], output[0][0, 3, :SHOWN].numpy(), atol=1e-5)
    assert found["words"] == ("I", "love", "Paris") and found["token"] == "paris"
    assert found["layers"] == 2 and found["change"] < 1e-12
    said = [each for each in PARIS_VECTORS.quantities if agrees(found[each.name], each.said)]
    assert [each.name for each in said] == ["words"]  # 12 layers and 768 are BERT-base's


def test_edited_inputs_are_followed(tiny_model) -> None:
    assert vectors(tiny_model, length="3")["whole"] == ("1 × 5 × 32",)  # nothing to pad
    assert vectors(tiny_model, length="12", place="11")["token"] == "[PAD]"
    assert PARIS_VECTORS.finding(vectors(tiny_model, "🎬", "3", "1"))
    for place in ("7", "-1", "64"):
        with pytest.raises(BadInput):
            vectors(tiny_model, place=place)
