"""Multi-head attention taken apart: every step against the model's own numbers, and against
PyTorch's scaled dot-product attention.
"""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from bertsent.errors import BadInput
from bertsent.probing.heads.attention_modules import input_embeddings
from bertsent.probing.heads.attention_steps import attention_steps, embedding_parts, model_card

PUZZLE = "Great, another boring movie"
TOLERANCE = 2e-5  # the model computes in single precision


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("layer", [0, 1])
def test_every_step_is_the_models_own(tiny, family, layer) -> None:
    learner = tiny("cls", family)
    steps = attention_steps(learner, PUZZLE, layer)
    np.testing.assert_allclose(steps.weights, learner.attend(PUZZLE).weights[layer], atol=TOLERANCE)
    np.testing.assert_allclose(steps.output, steps.own_output, atol=TOLERANCE)
    assert steps.weights.std() > 0.01 and steps.error < TOLERANCE
    by_torch = scaled_dot_product_attention(
        *(torch.from_numpy(part.copy()) for part in (steps.queries, steps.keys, steps.values))
    )
    np.testing.assert_allclose(steps.gathered, by_torch.numpy(), atol=1e-10)


def test_heads_side_by_side_times_the_projection_is_the_sum_of_what_each_adds(tiny) -> None:
    steps = attention_steps(tiny(), PUZZLE, 1)
    heads, tokens, width = steps.gathered.shape
    assert steps.side_by_side.shape == (tokens, heads * width) == steps.attention.shape
    parts = [
        steps.gathered[h] @ steps.projection[:, h * width : (h + 1) * width].T for h in range(heads)
    ]
    np.testing.assert_allclose(sum(parts) + steps.bias, steps.attention, atol=1e-10)
    np.testing.assert_allclose(steps.shares, np.linalg.norm(parts, axis=-1), atol=1e-10)


def test_the_model_that_ships(builtin) -> None:
    steps = attention_steps(builtin, PUZZLE, 5)
    assert steps.gathered.shape == (12, 7, 32) and steps.error < TOLERANCE
    card = model_card(builtin).set_index("part")["this model"]
    assert card["heads a layer, in parallel"] * card["numbers a token in one head (d)"] == 384
    assert card["parameters"] == sum(p.numel() for p in builtin.model.bert.parameters())


@pytest.mark.parametrize(
    ("family", "names"),
    [("bert", ["token", "position", "segment"]), ("distilbert", ["token", "position"])],
)
def test_input_vectors_add_up_to_what_the_first_layer_reads(tiny, family, names) -> None:
    learner = tiny("cls", family)
    parts = embedding_parts(learner, PUZZLE, 4)
    assert list(parts) == [*names, "sum"]
    summed = torch.from_numpy(sum(parts[name] for name in names)).float()
    ids = torch.tensor([learner.tokens(PUZZLE).ids])
    with torch.inference_mode():
        own = input_embeddings(learner.model.bert, ids)[0, 4]
        normalised = learner.model.bert.embeddings.LayerNorm(summed)
    np.testing.assert_allclose(parts["sum"], own.numpy(), atol=1e-6)
    np.testing.assert_allclose(normalised.numpy(), own.numpy(), atol=1e-5)


def test_a_layer_that_is_not_there_is_refused(tiny) -> None:
    for layer in (-1, 2):
        with pytest.raises(BadInput, match="There is no layer"):
            attention_steps(tiny(), PUZZLE, layer)
