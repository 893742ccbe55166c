"""One layer against PyTorch's scaled dot-product attention and its own transformer layer, which
know nothing of BERT's modules.
"""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from bertsent.probing.forward_pass.boxes import BOXES, box_matrix, check_box
from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.forward_pass.own_numbers import own_layer

PUZZLE = "Great, another boring movie"


def pytorch_layer(layer: LayerPass) -> nn.TransformerEncoderLayer:
    """PyTorch's layer of the paper with the same weights, in double precision."""
    weights, width = layer.weights, layer.inputs.shape[1]
    made = nn.TransformerEncoderLayer(
        width,
        weights.heads,
        len(weights.inner.bias),
        activation="gelu",
        layer_norm_eps=weights.attention_norm.epsilon,
        batch_first=True,
        dtype=torch.float64,
    )
    joined = (weights.query, weights.key, weights.value)
    values = {
        "self_attn.in_proj_weight": np.concatenate([part.weight for part in joined]),
        "self_attn.in_proj_bias": np.concatenate([part.bias for part in joined]),
        "self_attn.out_proj.weight": weights.output.weight,
        "self_attn.out_proj.bias": weights.output.bias,
        "linear1.weight": weights.inner.weight,
        "linear1.bias": weights.inner.bias,
        "linear2.weight": weights.outer.weight,
        "linear2.bias": weights.outer.bias,
        "norm1.weight": weights.attention_norm.gain,
        "norm1.bias": weights.attention_norm.shift,
        "norm2.weight": weights.output_norm.gain,
        "norm2.bias": weights.output_norm.shift,
    }
    made.load_state_dict({name: torch.tensor(value).double() for name, value in values.items()})
    return made.eval()


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("beside", ["", PUZZLE * 2])
def test_a_layer_is_that_of_the_paper_as_pytorch_has_it(tiny, family, beside) -> None:
    """In double precision on both sides, so that nothing but the arithmetic can differ."""
    for layer in forward_pass(tiny("cls", family), PUZZLE, beside=beside).layers:
        with torch.inference_mode():
            theirs = pytorch_layer(layer)(
                torch.tensor(layer.inputs)[None],
                src_key_padding_mask=torch.tensor(~layer.mask)[None],
            )[0]
        np.testing.assert_allclose(layer.output, theirs.numpy(), atol=1e-10)
        by_torch = scaled_dot_product_attention(
            *(torch.tensor(part) for part in (layer.queries, layer.keys, layer.values)),
            attn_mask=torch.tensor(layer.mask)[None, None],
        )
        np.testing.assert_allclose(layer.gathered, by_torch.numpy(), atol=1e-10)
        assert layer.attention_weights.std() > 0.01  # not even, or anything would do


def test_heads_side_by_side_times_the_projection_is_the_sum_of_what_each_adds(tiny) -> None:
    layer = forward_pass(tiny(), PUZZLE).layers[1]
    heads, tokens, width = layer.gathered.shape
    assert layer.side_by_side.shape == (tokens, heads * width) == layer.attention.shape
    columns = layer.weights.output.weight
    parts = [layer.gathered[h] @ columns[:, h * width : (h + 1) * width].T for h in range(heads)]
    np.testing.assert_allclose(
        np.sum(parts, axis=0) + layer.weights.output.bias, layer.attention, atol=1e-10
    )
    np.testing.assert_allclose(layer.shares, np.linalg.norm(parts, axis=-1), atol=1e-10)


def test_boxes_follow_from_each_other_as_their_formulas_say(tiny) -> None:
    model = tiny()
    found = forward_pass(model, PUZZLE)
    layer, own = found.layers[0], own_layer(model, found.inputs, 0)
    boxes = {box.name: box_matrix(box, layer, 1) for box in BOXES}
    bias = layer.weights.query.bias[16:]
    np.testing.assert_allclose(
        boxes["input"] @ boxes["query weights"].astype(float) + bias, boxes["queries"]
    )
    np.testing.assert_allclose(boxes["queries"] @ boxes["keys"].T / 4, boxes["scores"], atol=1e-12)
    np.testing.assert_allclose(
        boxes["attention weights"] @ boxes["values"], boxes["gathered"], atol=1e-12
    )
    np.testing.assert_allclose(boxes["heads side by side"][:, 16:], boxes["gathered"])
    checks = {box.name: check_box(box, layer, own) for box in BOXES}
    unchecked = {name for name, check in checks.items() if check is None}
    assert unchecked == {"scores", *(box.name for box in BOXES if box.learned)}
    assert all(check.same for check in checks.values() if check is not None)
