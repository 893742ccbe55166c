"""The card of an encoder counts what is there."""

import pytest

from bertsent.probing.heads.model_card import model_card


@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_the_card_counts_what_is_there(tiny, family) -> None:
    model = tiny("cls", family)
    card = model_card(model)["this model"].tolist()
    assert card[:7] == [2, 2, 32, 16, 64, len(model.tokenizer.fast), 128]
    assert card[7] == sum(p.numel() for p in model.model.bert.parameters())


def test_the_model_that_ships(builtin) -> None:
    card = model_card(builtin).set_index("part")["this model"]
    assert card["heads a layer, in parallel"] * card["numbers a token in one head (d)"] == 384
