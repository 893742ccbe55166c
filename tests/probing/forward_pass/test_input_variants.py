"""Padding, masks and segments: the answers worked out against those of the model, given the same in
a real batch.
"""

import numpy as np
import pytest
import torch

from bertsent.probing.forward_pass.input_variants import (
    compare_variants,
    has_segments,
    padded_answers,
    pair_answers,
)
from bertsent.probing.forward_pass.model_inputs import model_inputs
from bertsent.probing.forward_pass.token_check import check_pair, check_tokens

TEXT, LONGER = "Great, another boring movie", "Blew my mind how bad it was. What a waste of time."


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_padding_changes_nothing_with_the_mask_and_something_without(tiny, family, pooling) -> None:
    model = tiny(pooling, family)
    found = padded_answers(model, TEXT, LONGER)
    assert found.padding == len(model.tokens(LONGER)) - len(model.tokens(TEXT)) > 0
    assert found.change_with_mask < 1e-12 and "keeps" in found.sentence()
    assert np.abs(found.unmasked.logits - found.alone.logits).max() > 1e-4
    assert compare_variants(found.variants).same
    rows = model.tokenizer.ids([TEXT, LONGER], model.max_length)
    batched = model.logits_of_ids(rows)  # both in one pass, padded by the batches' own code
    np.testing.assert_allclose(batched[0], found.masked.logits, atol=1e-5)
    ids = torch.tensor([found.masked.inputs.ids])
    with torch.inference_mode():
        ignored = model.model(ids, torch.ones_like(ids))[0].numpy()
    np.testing.assert_allclose(ignored, found.unmasked.logits, atol=1e-5)


def test_the_shorter_one_is_padded_whichever_it_is(tiny) -> None:
    model = tiny()
    assert padded_answers(model, TEXT, LONGER).of_review
    turned = padded_answers(model, LONGER, TEXT)
    assert not turned.of_review and "the other text" in turned.sentence()
    assert not padded_answers(model, TEXT, TEXT).padding
    assert "nothing is padded" in padded_answers(model, TEXT, TEXT).sentence()


def test_segments_change_the_answer_of_a_bert_and_are_unknown_to_a_distilbert(tiny) -> None:
    model = tiny()
    found = pair_answers(model, TEXT, LONGER)
    assert len(found.variants) == 3 and compare_variants(found.variants).same
    assert not np.allclose(found.together.logits, found.one_segment.logits, atol=1e-4)
    segments = torch.tensor([found.together.inputs.segments])
    ids = torch.tensor([found.together.inputs.ids])
    with torch.inference_mode():
        hidden = model.model.bert(input_ids=ids, token_type_ids=segments).last_hidden_state
        own = model.model.classify(hidden, torch.ones_like(ids))[0].numpy()
    np.testing.assert_allclose(own, found.together.logits, atol=1e-5)
    distil = tiny("cls", "distilbert")
    assert has_segments(model) and not has_segments(distil)
    assert pair_answers(distil, TEXT, LONGER).one_segment is None
    assert "no segments" in pair_answers(distil, TEXT, LONGER).sentence()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TEXT, LONGER),
        (TEXT, LONGER * 9),
        (LONGER * 9, TEXT),
        (LONGER * 9, LONGER * 9),
        ("🎬", "🍿"),
    ],
)
def test_a_pair_is_joined_and_cut_as_the_tokenizer_does(tiny, first, second) -> None:
    model = tiny()
    inputs = model_inputs(model, first, second=second)
    assert check_pair(model, first, second, inputs).same
    assert not check_pair(model, first, "other", inputs).same


def test_a_sign_that_the_tokenizer_reads_otherwise_is_named(tiny) -> None:
    """U+2E43 became punctuation in Unicode 9; the tokenizer's tables are of Unicode 8."""
    tokenizer = tiny().tokenizer
    same = check_tokens(tokenizer, tokenizer.trace("naïve 好 movie", 32), 32)
    assert same.all.same and not same.reason
    odd = check_tokens(tokenizer, tokenizer.trace("good\u2e43movie", 32), 32)
    assert not odd.all.same and "U+2E43" in odd.reason
    assert odd.words.difference > 0 and odd.letters.same
