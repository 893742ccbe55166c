"""A model and its inputs in, what the model itself computes for them out, read by hooks from the
modules that answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bertsent.models.pooling import pool
from bertsent.models.task_model import shared_weight_copy
from bertsent.probing.forward_pass.encoder_weights import numbers
from bertsent.probing.forward_pass.model_inputs import ModelInputs
from bertsent.probing.heads import attention_modules as modules

if TYPE_CHECKING:
    import torch
    from torch import nn

    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class OwnNumbers:
    """Of a whole pass, under the names of ``ForwardPass``: ``summed`` (T, W), ``hidden`` (L + 1, T,
    W), ``pooled`` and ``after_pooler`` (W,), ``logits`` (2,), all float32.
    """

    summed: np.ndarray
    hidden: np.ndarray
    pooled: np.ndarray
    after_pooler: np.ndarray
    logits: np.ndarray


@dataclass(frozen=True)
class OwnLayer:
    """Of one layer, under the names of ``LayerPass`` and with its shapes, float32."""

    inputs: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    attention_weights: np.ndarray
    side_by_side: np.ndarray
    attention: np.ndarray
    summed: np.ndarray
    attended: np.ndarray
    inner: np.ndarray
    activated: np.ndarray
    fed_forward: np.ndarray
    output_summed: np.ndarray
    output: np.ndarray

    @property
    def gathered(self) -> np.ndarray:
        """(H, T, d): the heads that stand side by side, one by one."""
        heads, tokens, _ = self.queries.shape
        return self.side_by_side.reshape(tokens, heads, -1).transpose(1, 0, 2)


def own_numbers(model: "LoadedModel", inputs: ModelInputs) -> OwnNumbers:
    """What ``model`` computes between its layers and behind them.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT.
    """
    import torch

    encoder, head = shared_weight_copy(model.model.bert), model.model
    modules.encoder_layers(encoder)
    norm = cast(Any, encoder).embeddings.LayerNorm
    with torch.inference_mode(), _heard({"norm": norm}) as heard:
        found = _run(encoder, model, inputs, output_hidden_states=True)
        mask = torch.tensor([inputs.mask], device=model.device)
        pooled = pool(found.last_hidden_state, mask, head.pooling)
        after = pooled if head.pooler is None else head.pooler(pooled)
        logits = head.classify(found.last_hidden_state, mask)
    return OwnNumbers(
        numbers(heard["norm"][0][0]),
        np.stack([numbers(state[0]) for state in found.hidden_states]),
        *(numbers(vector[0]) for vector in (pooled, after, logits)),
    )


def own_layer(model: "LoadedModel", inputs: ModelInputs, layer: int) -> OwnLayer:
    """What ``model`` computes inside ``layer``, from 0.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT, or gives no attention weights.
    """
    import torch

    encoder = shared_weight_copy(model.model.bert)
    block = modules.encoder_layers(encoder)[layer]
    cast(Any, encoder).set_attn_implementation("eager")  # the fused one keeps no weights
    with torch.inference_mode(), _heard(_inside(block)) as heard:
        found = _run(encoder, model, inputs, output_attentions=True)
    given, back = (
        {name: numbers(pair[place][0]) for name, pair in heard.items()} for place in (0, 1)
    )
    by_head = {
        name: back[name].reshape(len(inputs), model.heads, -1).transpose(1, 0, 2)
        for name in ("queries", "keys", "values")
    }
    return OwnLayer(
        inputs=given["queries"],
        **by_head,
        attention_weights=numbers(found.attentions[layer][0]),
        side_by_side=given["attention"],
        attention=back["attention"],
        summed=given["attended"],
        attended=back["attended"],
        inner=back["inner"],
        activated=given["fed_forward"],
        fed_forward=back["fed_forward"],
        output_summed=given["output"],
        output=back["output"],
    )


def _inside(block: "nn.Module") -> dict[str, "nn.Module"]:
    """The modules of a layer by what they give, as ``LayerPass`` calls it."""
    query, key = modules.query_and_key(block)
    inner, outer = modules.feed_forward(block)
    return {
        "queries": query,
        "keys": key,
        "values": modules.value(block),
        "attention": modules.output_projection(block),
        "attended": modules.attention_norm(block),
        "inner": inner,
        "fed_forward": outer,
        "output": modules.output_norm(block),
    }


@contextmanager
def _heard(
    named: dict[str, "nn.Module"],
) -> Iterator[dict[str, tuple["torch.Tensor", "torch.Tensor"]]]:
    """What goes into each module, and what comes out, while the block runs."""
    heard = dict[str, tuple["torch.Tensor", "torch.Tensor"]]()

    def listen(name: str, module: "nn.Module") -> Any:
        return module.register_forward_hook(
            lambda _module, given, back: heard.update({name: (given[0], back)})
        )

    handles = [listen(name, module) for name, module in named.items()]
    try:
        yield heard
    finally:
        for handle in handles:
            handle.remove()


def _run(encoder: "nn.Module", model: "LoadedModel", inputs: ModelInputs, **wanted: bool) -> Any:
    import torch

    def row(values: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor([values], device=model.device)

    segments = {"token_type_ids": row(inputs.segments)}
    if "segment" not in modules.embedding_tables(encoder):
        segments = {}
    return encoder(input_ids=row(inputs.ids), attention_mask=row(inputs.mask), **segments, **wanted)
