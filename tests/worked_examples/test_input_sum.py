"""Row 002-19 with its digits, against the model's own embeddings."""

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.probing.heads.attention_modules import embedding_tables
from bertsent.worked_examples.input_sum import MOST, MY_DOG, MY_DOG_SUM, TOKENS
from bertsent.worked_examples.worked_example import agrees


def my_dog(model, tokens=TOKENS):
    return MY_DOG.results({"tokens": tokens}, model)


def summed(model, tokens=TOKENS, place="9"):
    return MY_DOG_SUM.results({"tokens": tokens, "place": place}, model)


def test_my_dog_has_the_source_s_tables(tiny_model) -> None:
    found = my_dog(tiny_model)
    assert found["count"] == 11
    assert found["segments"].tolist() == [0] * 6 + [1] * 5
    assert found["positions"].tolist() == list(range(11))
    assert found["ids"][8:10] == ("2377", "2075")
    agreeing = {each.name for each in MY_DOG.quantities if agrees(found[each.name], each.said)}
    assert agreeing == {"count", "segments", "positions"}


def test_the_real_tokenizer_has_one_token_for_playing(tiny_model) -> None:
    """Slip E-10."""
    found = my_dog(tiny_model)
    assert len(found["real"]) == 10 and found["real"][8] == "playing"
    assert found["real_ids"][8] == "2652"
    assert "10 tokens" in MY_DOG.finding(found)


@pytest.mark.parametrize("place", [0, 6, 9])
def test_the_sum_is_that_of_the_rows(tiny_model, place) -> None:
    found = summed(tiny_model, place=str(place))
    tables = embedding_tables(tiny_model.model.bert)
    rows = {"token": found["inputs"].ids[place], "position": place, "segment": int(place > 5)}
    with torch.inference_mode():
        own = sum(table.weight[rows[name]] for name, table in tables.items()).numpy()
    assert set(found["parts"]) == set(tables)
    np.testing.assert_allclose(sum(found["parts"].values()), own, atol=1e-6)
    np.testing.assert_allclose(found["summed"][place], own, atol=1e-6)
    shown = found["token"] + found["segment"] + found["position"]
    np.testing.assert_allclose(found["sum"], shown, atol=1e-12)
    assert found["piece"] == TOKENS.split()[place] and MY_DOG_SUM.finding(found)


@pytest.mark.parametrize(
    ("tokens", "place"),
    [("[CLS] Hello [SEP]", "0"), ("my unfathomableness", "0"), (TOKENS, "11"), (TOKENS, "x")],
)
def test_what_cannot_be_looked_up_is_told(tiny_model, tokens, place) -> None:
    with pytest.raises(BadInput):
        summed(tiny_model, tokens, place)


def test_other_tokens_are_followed(tiny_model) -> None:
    found = my_dog(tiny_model, "[CLS] un ##ha ##pp ##iness [SEP]")
    assert found["segments"].tolist() == [0] * 6
    assert found["real"] == ("[CLS]", "un", "##ha", "##pp", "##iness", "[SEP]")
    assert my_dog(tiny_model, "a")["count"] == 1
    with pytest.raises(BadInput, match="33 tokens"):
        my_dog(tiny_model, "a " * (MOST + 1))
