"""The lean encoder gives what the library's gives: alone, padded, with weights of any kind."""

import pytest
import torch
from transformers import BertConfig, BertModel

from bertsent.models.backbone import load_backbone
from bertsent.models.inference_encoder import InferenceEncoder, can_fuse
from bertsent.probing.loaded_model import load


@pytest.fixture(scope="module")
def bert():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        max_position_embeddings=32,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    for parameter in model.parameters():  # biases and norms that matter
        parameter.data.normal_(std=0.3)
    return model


@pytest.mark.parametrize("lengths", [[7], [1], [9, 4, 1, 9]])
def test_it_equals_the_library_with_and_without_padding(bert, lengths):
    ids = torch.randint(1, 50, (len(lengths), max(lengths)))
    mask = (torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]).long()
    with torch.inference_mode():
        theirs = bert(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
    torch.testing.assert_close(
        InferenceEncoder(bert).first_token(ids, mask), theirs, atol=2e-6, rtol=1e-5
    )


def test_it_equals_the_built_in_backbone():
    backbone = load_backbone("builtin")
    assert can_fuse(backbone.model.eval())
    rows = backbone.tokenizer.ids(
        [
            "Great, another boring movie",
            "A film that is long and warm and never once dull, until it is.",
        ],
        64,
    )
    for row in rows:
        ids = torch.tensor([row])
        with torch.inference_mode():
            theirs = backbone.model(
                input_ids=ids, attention_mask=torch.ones_like(ids)
            ).last_hidden_state[:, 0]
        torch.testing.assert_close(
            InferenceEncoder(backbone.model).first_token(ids, torch.ones_like(ids)),
            theirs,
            atol=1e-5,
            rtol=1e-5,
        )


def test_what_it_does_not_write_out_goes_the_usual_way(bert):
    assert can_fuse(bert)
    for change in ({"hidden_act": "relu"}, {"is_decoder": True}):
        other = BertModel(
            BertConfig(**{**bert.config.to_dict(), **change}), add_pooling_layer=False
        ).eval()
        assert not can_fuse(other)
    assert not can_fuse(BertModel(bert.config, add_pooling_layer=False).train())


def test_a_learner_answers_by_it_what_its_model_answers():
    learner = load("builtin")
    texts = ["Great, another boring movie", "This is not a bad film", "Absolutely incredible " * 40]
    with torch.inference_mode():
        slow = []
        for text in texts:
            ids = torch.tensor([learner.tokens(text).ids])
            slow.append(learner.model(ids, torch.ones_like(ids))[0])
    assert learner._lean is not None
    torch.testing.assert_close(
        torch.tensor(learner.logits(texts)), torch.stack(slow), atol=1e-5, rtol=1e-5
    )
