"""A model, its inputs and the true label in, what PyTorch's autograd finds for them out.

The gradients are asked for, not left in the parameters, which everybody shares.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bertsent.models.task_model import shared_weight_copy
from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.probing.forward_pass.encoder_weights import numbers
from bertsent.probing.forward_pass.model_inputs import ModelInputs
from bertsent.probing.heads import attention_modules as modules

if TYPE_CHECKING:
    import torch

    from bertsent.probing.loaded_model import LoadedModel

RELATIVE, ROUNDING = 1e-3, 2e-7  # of a gradient, and of a probability, in single precision


@dataclass(frozen=True)
class OwnGradients:
    """Of the loss, at the logits (2,), the classifier's weights (2, W) and biases (2,), the word
    vectors (T, W), and in one layer at the attention weights (H, T, T) and the queries (H, T, d),
    all float32.
    """

    loss: float
    logits: np.ndarray
    classifier_weight: np.ndarray
    classifier_bias: np.ndarray
    words: np.ndarray
    attention_weights: np.ndarray
    queries: np.ndarray


def compare_gradient(
    name: str, recomputed: np.ndarray, own: np.ndarray, error: float
) -> Comparison:
    """Compare gradients of one shape. Every gradient is the ``error`` at the logits, ŷ − y, times
    something; single precision rounds both, ŷ to seven digits of 1 however small the error is.
    """
    largest = float(np.abs(recomputed).max(initial=0.0))
    allowed = RELATIVE * largest + ROUNDING * largest / max(abs(error), 1e-300)
    return Comparison(name, float(np.abs(recomputed - own).max(initial=0.0)), allowed)


def own_gradients(
    model: "LoadedModel", inputs: ModelInputs, label: int, layer: int
) -> OwnGradients:
    """The gradients of the loss of ``label``, inside ``layer``, from 0.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT, or gives no attention weights.
    """
    import torch

    copy = shared_weight_copy(model.model)
    cast(Any, copy.bert).set_attn_implementation("eager")  # the fused one keeps no weights
    with torch.enable_grad():
        heard = _run(copy, model, inputs, layer)
        loss = torch.nn.functional.cross_entropy(
            heard["logits"], torch.tensor([label], device=model.device)
        )
        places = {**heard, "weight": copy.classifier.weight, "bias": copy.classifier.bias}
        found = dict(zip(places, torch.autograd.grad(loss, list(places.values())), strict=True))
    queries = numbers(found["queries"][0]).reshape(len(inputs), model.heads, -1)
    return OwnGradients(
        loss.item(),
        numbers(found["logits"][0]),
        numbers(found["weight"]),
        numbers(found["bias"]),
        numbers(found["words"][0]),
        numbers(found["attention"][0]),
        queries.transpose(1, 0, 2),
    )


def _run(
    copy: Any,  # BertForTask
    model: "LoadedModel",
    inputs: ModelInputs,
    layer: int,
) -> dict[str, "torch.Tensor"]:
    """The tensors of one pass at which gradients are wanted."""
    import torch

    heard, tables = dict[str, "torch.Tensor"](), modules.embedding_tables(copy.bert)

    def listen(name: str, module: "torch.nn.Module") -> None:
        module.register_forward_hook(lambda _module, _given, back: heard.update({name: back}))

    listen("words", tables["token"])
    listen("queries", modules.query_and_key(modules.encoder_layers(copy.bert)[layer])[0])
    rows = (inputs.ids, inputs.mask, inputs.segments)
    ids, mask, segment = (torch.tensor([row], device=model.device) for row in rows)
    segments = {"token_type_ids": segment} if "segment" in tables else {}
    found = copy.bert(input_ids=ids, attention_mask=mask, output_attentions=True, **segments)
    logits = copy.classify(found.last_hidden_state, mask)
    return {**heard, "attention": found.attentions[layer], "logits": logits}
