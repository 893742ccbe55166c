"""The attention that is shown is the model's own: against the library, against the arithmetic of
the paper, against hand-made numbers.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.backbone import builtin_folder
from bertsent.models.fused_attention import FUSED
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.loaded_model import load

TEXTS = ["Great, another boring movie", "Blew my mind how bad it was. What a waste. " * 3]


@pytest.fixture(scope="module")
def backbone():
    return load("backbone")


def by_hand() -> AttentionMaps:
    """One layer, two heads over [CLS] good film [SEP]; the second head of “film” gives everything
    to the markers.
    """
    head = np.array(
        [[0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.3, 0.1], [0.2, 0.2, 0.2, 0.4], [0.25, 0.25, 0.25, 0.25]]
    )
    other = head.copy()
    other[2] = [0.5, 0, 0, 0.5]
    return AttentionMaps(
        ("[CLS]", "good", "film", "[SEP]"),
        (True, False, False, True),
        np.array([[head, other]], dtype=np.float32),
    )


@pytest.mark.parametrize("text", TEXTS)
def test_every_row_sums_to_one_and_every_token_is_named(backbone, text):
    maps = backbone.attend(text)
    size = len(maps.tokens)
    assert maps.weights.shape == (6, 12, size, size) and maps.weights.dtype == np.float32
    assert (maps.layers, maps.heads) == (6, 12)
    np.testing.assert_allclose(maps.weights.sum(-1), 1, atol=1e-5)
    assert (maps.weights >= 0).all()
    assert maps.tokens[0] == "[CLS]" and maps.tokens[-1] == "[SEP]"
    assert maps.special == (True, *[False] * (size - 2), True)
    assert maps.tokens[1:3] == (("great", ",") if size == 7 else ("blew", "my"))


@pytest.mark.parametrize("text", TEXTS)
def test_they_are_the_librarys_own_attentions(backbone, text):
    from transformers import BertModel

    eager = BertModel.from_pretrained(
        builtin_folder(),
        attn_implementation="eager",
        add_pooling_layer=False,
        local_files_only=True,
    ).eval()
    ids = torch.tensor([backbone.tokens(text).ids])
    with torch.inference_mode():
        found = eager(input_ids=ids, output_attentions=True).attentions
    np.testing.assert_allclose(backbone.attend(text).weights, torch.cat(found).numpy(), atol=1e-6)


def test_attention_times_values_gives_the_hidden_states_of_the_model_that_answers(backbone):
    """Vaswani et al. 2017, equation 1: from the weights shown and the values of a layer follows the
    next layer's input.
    """
    text = TEXTS[0]
    weights, bert = torch.from_numpy(backbone.attend(text).weights), backbone.model.bert
    ids = torch.tensor([backbone.tokens(text).ids])
    with torch.inference_mode():
        hidden = bert(input_ids=ids, output_hidden_states=True).hidden_states
        for number, layer in enumerate(bert.encoder.layer):
            values = layer.attention.self.value(hidden[number][0])  # (T, width)
            by_head = values.view(len(values), backbone.heads, -1).transpose(
                0, 1
            )  # (H, T, width / H)
            context = (weights[number] @ by_head).transpose(0, 1).reshape(values.shape)
            attended = layer.attention.output(context, hidden[number][0])
            following = layer.output(layer.intermediate(attended), attended)
            torch.testing.assert_close(following, hidden[number + 1][0], atol=1e-5, rtol=1e-4)


def test_the_twin_shares_every_weight_and_leaves_the_answering_model_as_it_was():
    learner = load("backbone")
    before = learner.embed(TEXTS)
    learner.attend(TEXTS[0])
    twin = learner._eager
    assert (
        learner.model.bert.config._attn_implementation == FUSED
        and twin.config._attn_implementation == "eager"
    )
    for ours, theirs in zip(learner.model.bert.parameters(), twin.parameters(), strict=True):
        assert ours is theirs
    np.testing.assert_array_equal(learner.embed(TEXTS), before)


def test_without_the_markers_the_rows_are_scaled_to_one_again():
    kept = by_hand().without_special()
    assert kept.tokens == ("good", "film") and kept.special == (False, False)
    np.testing.assert_allclose(kept.weights[0, 0], [[0.25, 0.75], [0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(
        kept.weights[0, 1], [[0.25, 0.75], [0.5, 0.5]], atol=1e-6
    )  # nothing was left of the last row: even


def test_without_the_markers_a_real_review_equals_numpy(backbone):
    maps = backbone.attend(TEXTS[0])
    inner = maps.weights[:, :, 1:-1, 1:-1].astype(np.float64)
    expected = inner / inner.sum(-1, keepdims=True)
    np.testing.assert_allclose(maps.without_special().weights, expected, atol=1e-6)


def test_a_text_of_markers_alone_has_nothing_to_show(backbone):
    maps = backbone.attend("\x00")
    assert maps.tokens == ("[CLS]", "[SEP]")
    with pytest.raises(BadInput, match="no word between"):
        maps.without_special()


def test_the_mean_of_heads_is_the_mean_of_heads(backbone):
    maps = backbone.attend(TEXTS[0])
    np.testing.assert_allclose(
        maps.head_mean(3), sum(maps.weights[3, h] for h in range(12)) / 12, atol=1e-6
    )
    np.testing.assert_allclose(maps.head_mean(), maps.weights.reshape(72, 7, 7).mean(0), atol=1e-6)
    np.testing.assert_allclose(maps.head_mean().sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("layer", [-7, 6])
def test_the_mean_of_a_layer_that_is_not_there_is_an_error_and_no_nan(backbone, layer):
    with pytest.raises(IndexError):
        backbone.attend(TEXTS[0]).head_mean(layer)


def test_the_first_tokens_of_a_long_review_are_scaled_to_one_again(backbone):
    maps = backbone.attend(TEXTS[1])
    first = maps.keep(range(8))
    assert first.tokens == maps.tokens[:8] and first.special == (True, *[False] * 7)
    inner = maps.weights[:, :, :8, :8]
    np.testing.assert_allclose(first.weights, inner / inner.sum(-1, keepdims=True), atol=1e-6)
    assert maps.keep(range(len(maps.tokens))) is maps


def test_a_row_that_gave_nothing_to_the_first_tokens_becomes_even():
    """A weight can underflow to zero; a row of zeros divided by its sum was not a number and no
    picture was drawn.
    """
    np.testing.assert_allclose(by_hand().keep(range(3)).weights[0, 1, 2], [1, 0, 0])
    given = np.zeros((1, 1, 3, 3), dtype=np.float32)
    given[..., 2] = 1
    np.testing.assert_allclose(
        AttentionMaps(("a", "b", "c"), (False,) * 3, given).keep(range(2)).weights, 0.5
    )


def test_many_threads_get_the_maps_that_one_gets(backbone):
    texts = [*TEXTS, "bad", "Great, another boring superhero movie"] * 4
    serial = [backbone.attend(text).weights for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for ours, alone in zip(
            pool.map(lambda text: backbone.attend(text).weights, texts), serial, strict=True
        ):
            np.testing.assert_allclose(ours, alone, atol=1e-6)
