"""One review in, what the model would answer without some of its attention heads out: a single set,
or every head in turn.

Silencing a head means that nothing of what it gathered goes on: its columns of the input of the
layer's output projection become zero (Michel, Levy and Neubig 2019, "Are Sixteen Heads Really
Better than One?", with ξ = 0). The library has no head mask any more, so pre-hooks do it, on
modules of their own over the same weights: nobody else who asks the model notices, and nothing has
to be put back.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import torch

from bertsent.data.examples import LABELS
from bertsent.models.task_model import shared_weight_copy
from bertsent.probing.heads.attention_maps import AttentionMaps, check_head, head_name, ranked_heads
from bertsent.probing.heads.attention_matrix import attention_matrix, strongest_pair_sentence
from bertsent.probing.heads.attention_modules import (
    encoder_layers,
    input_embeddings,
    output_projection,
)
from bertsent.probing.loaded_model import LoadedModel, probabilities_of
from bertsent.progress import Progress, no_progress

Head = tuple[int, int]  # layer and head, from 0
TOKENS_AT_ONCE = {"cpu": 512, "cuda": 32_768}  # on a CPU few stay in its caches
MOST_TOGETHER = 24  # heads that are silenced together at the most to flip an answer
LEAST_SUPPORT, MOST_LISTED = 0.05, 12  # of the supporting heads that are listed; in logits


@dataclass(frozen=True)
class AblationGrid:
    """Logits of one review, NEGATIVE and POSITIVE: as it is (2,), and ``without`` each head and, in
    the last column, without all heads of the layer (L, H + 1, 2).
    """

    logits: np.ndarray
    without: np.ndarray

    @property
    def p_positive(self) -> float:
        """P(positive) as it is."""
        return float(probabilities_of(self.logits)[1])

    @property
    def p_without(self) -> np.ndarray:
        """P(positive) without each head, and without all of a layer, (L, H + 1)."""
        return probabilities_of(self.without)[..., 1]

    @property
    def change(self) -> np.ndarray:
        """ΔP(positive) by silencing, (L, H + 1)."""
        return self.p_without - self.p_positive

    @property
    def logit_change(self) -> np.ndarray:
        """Change of the logit difference z(positive) − z(negative) by silencing, (L, H + 1). Unlike
        ΔP it does not vanish where the model is sure.
        """
        return logit_difference(self.without) - logit_difference(self.logits)

    @property
    def support(self) -> np.ndarray:
        """How much each head supports the answer that was given, (L, H): what the answer's logit
        difference loses without it.
        """
        return (-1 if self.p_positive > 0.5 else 1) * self.logit_change[:, :-1]

    def supporting_heads(self, least: float = 0.0) -> tuple[Head, ...]:
        """The heads whose support is more than ``least``, the largest first."""
        support = self.support
        return tuple(head for head in ranked_heads(support) if support[head] > least)

    def table(self) -> pd.DataFrame:
        """One row per head, then one per layer as a whole (head 0), layers and heads from 1."""
        layers, columns = self.change.shape
        table = pd.DataFrame(
            {
                "layer": np.repeat(np.arange(1, layers + 1), columns),
                "head (0: all)": np.tile([*range(1, columns), 0], layers),
                "P(positive) without it": self.p_without.reshape(-1),
                "change of P(positive)": self.change.reshape(-1),
                "change of the logit difference": self.logit_change.reshape(-1),
            }
        )
        whole = table["head (0: all)"] == 0
        return pd.concat([table[~whole], table[whole]], ignore_index=True)


def logit_difference(logits: np.ndarray) -> np.ndarray:
    """z(positive) − z(negative) of logits (…, 2), in double precision: the log-odds of POSITIVE."""
    return np.diff(logits.astype(np.float64))[..., 0]


def ablate_every_head(
    model: LoadedModel, text: str, *, progress: Progress = no_progress
) -> AblationGrid:
    """Silence every head of the model in turn, and every layer's heads together.

    The heads of a layer are silenced side by side in one batch, and the layers below are computed
    once: for 72 heads that is as much work as about 45 answers.

    Raises:
        NotAvailable: the model was not fine-tuned, or is of a family whose heads cannot be reached.
    """
    model.require_head()
    ids, done = torch.tensor([model.tokens(text).ids], device=model.device), 0
    found = np.empty((model.layers, model.heads + 1, len(LABELS)))
    with torch.inference_mode():
        masked = _MaskedModel(model)
        hidden = input_embeddings(masked.model.bert, ids)
        for layer in range(model.layers):
            found[layer] = masked.variants(hidden, layer)
            hidden = masked.layers[layer](hidden, None)
            done += model.layers - layer
            progress(2 * done / (model.layers * (model.layers + 1)))
    return AblationGrid(model.logits([text])[0], model.checked(found))


def logits_without(model: LoadedModel, text: str, sets: Sequence[Collection[Head]]) -> np.ndarray:
    """Logits of a review without each set of heads, (n, 2). Without none they are exactly what the
    model answers.

    Raises:
        NotAvailable: the model was not fine-tuned, or is of a family whose heads cannot be reached.
        BadInput: a set names a head that the model does not have.
    """
    model.require_head()
    mask = _head_mask(model, sets)
    ids = torch.tensor([model.tokens(text).ids], device=model.device)
    found = np.empty((len(sets), len(LABELS)))
    with torch.inference_mode():
        masked = _MaskedModel(model)
        for part in _parts(len(sets), ids.shape[1], model.device.type):
            rows = ids.expand(part.stop - part.start, -1)
            masked.head_mask = list(mask[part].unbind(1))
            found[part] = masked.model(rows, torch.ones_like(rows)).cpu().numpy()
    if not all(sets):  # a batch rounds otherwise
        found[[not heads for heads in sets]] = model.logits([text])[0]
    return model.checked(found)


def probabilities_without(
    model: LoadedModel, text: str, sets: Sequence[Collection[Head]]
) -> np.ndarray:
    """P(positive) of a review without each set of heads, (n,); see ``logits_without``."""
    return probabilities_of(logits_without(model, text, sets))[:, 1]


def flipping_set(
    model: LoadedModel, text: str, grid: AblationGrid, *, most: int = MOST_TOGETHER
) -> tuple[Head, ...]:
    """The first of the supporting heads, the most important first, that flip the answer when
    silenced together; empty when ``most`` do not.

    It is found by going down one list, not by trying all sets: a smaller one may exist.
    """
    heads = grid.supporting_heads()[:most]
    sets = [heads[: count + 1] for count in range(len(heads))]
    p_positive = probabilities_without(model, text, sets)
    flipping = np.flatnonzero((p_positive > 0.5) != (grid.p_positive > 0.5))
    return sets[flipping[0]] if len(flipping) else ()


def label_of(p_positive: float) -> str:
    """The label of that P(positive)."""
    return LABELS[int(p_positive > 0.5)]


def without_sentence(heads: Sequence[Head], before: float, after: float) -> str:
    """What became of the answer without these heads; always one line."""
    if not heads:
        return "Silence a head to see how the answer changes."
    named = f"head {head_name(heads[0])}" if len(heads) == 1 else f"{len(heads)} heads"
    verb = "stays" if label_of(before) == label_of(after) else "flips to"
    return f"Without {named} the answer {verb} {label_of(after)}."


def largest_effect_sentence(grid: AblationGrid) -> str:
    """Which head changes the answer most."""
    head = ranked_heads(np.abs(grid.logit_change[:, :-1]))[0]
    return (
        f"Head {head_name(head)} matters most here: without it P(positive) is "
        f"{100 * grid.p_without[head]:.1f} % instead of {100 * grid.p_positive:.1f} %, and the "
        f"logit difference changes by {grid.logit_change[head]:+.2f}."
    )


def supporting_table(grid: AblationGrid, maps: AttentionMaps) -> pd.DataFrame:
    """The heads that support the answer most, with what they look at; P and ΔP in percent."""
    heads = grid.supporting_heads(LEAST_SUPPORT)[:MOST_LISTED]
    return pd.DataFrame(
        {
            "head": [head_name(head) for head in heads],
            "P(positive) without it": [100 * grid.p_without[head] for head in heads],
            "ΔP in points": [100 * grid.change[head] for head in heads],
            "Δ logit difference": [grid.logit_change[head] for head in heads],
            "what it looks at": [
                strongest_pair_sentence(attention_matrix(maps, layer, str(head + 1)))
                for layer, head in heads
            ],
        }
    )


def flipping_sentence(answer: str, truth: str | None, flipping: Sequence[Head]) -> str:
    """Whether silencing flips the answer; ``truth`` is what an ironic review means, None for any
    other.
    """
    names = " and ".join(head_name(head) for head in flipping[:2])
    said = {
        0: "The answer stays the same however many of them are silenced together: it depends on "
        "many heads.",
        1: f"Silencing {names} flips the answer.",
        2: f"Silencing {names} together flips the answer.",
    }.get(len(flipping), f"Silencing the first {len(flipping)} of them together flips the answer.")
    if truth is None:
        return said
    return f"{said} The review is ironic" + (
        " and the model sees it: without these heads the answer moves towards the literal words."
        if truth == answer
        else ", and the model takes it literally: these heads support the wrong answer."
    )


class _MaskedModel:
    """A copy of a model over the same weights, with a head mask: for each layer what its heads are
    multiplied by, (B, heads), or None.
    """

    def __init__(self, model: LoadedModel) -> None:
        self.model = shared_weight_copy(model.model)
        self.heads, self.device = model.heads, model.device
        self.layers = encoder_layers(self.model.bert)
        self.head_mask: list[torch.Tensor | None] = [None] * len(self.layers)
        for number, layer in enumerate(self.layers):
            output_projection(layer).register_forward_pre_hook(partial(self._mask, number))

    def _mask(
        self, layer: int, _module: torch.nn.Module, given: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, ...] | None:
        mask = self.head_mask[layer]
        if mask is None:
            return None
        gathered = given[0].unflatten(-1, (self.heads, -1))  # (B, T, heads, width / heads)
        return ((gathered * mask[:, None, :, None]).flatten(-2), *given[1:])

    def variants(self, hidden: torch.Tensor, layer: int) -> np.ndarray:
        """Logits from what goes into ``layer``, (1, T, width), without each of its heads and
        without all: (H + 1, 2).
        """
        mask = torch.cat([1 - torch.eye(self.heads), torch.zeros(1, self.heads)]).to(hidden)
        found = np.empty((len(mask), len(LABELS)))
        for part in _parts(len(mask), hidden.shape[1], self.device.type):
            self.head_mask[layer] = mask[part]
            states = hidden.expand(part.stop - part.start, -1, -1)
            for block in self.layers[layer:]:
                states = block(states, None)
            real = torch.ones(states.shape[:2], dtype=torch.long, device=states.device)
            found[part] = self.model.classify(states, real).cpu().numpy()
        self.head_mask[layer] = None
        return found


def _parts(rows: int, tokens: int, device: str) -> Iterator[slice]:
    """Slices of ``rows`` that a device takes at once."""
    many = max(1, TOKENS_AT_ONCE.get(device, TOKENS_AT_ONCE["cpu"]) // tokens)
    for start in range(0, rows, many):
        yield slice(start, min(rows, start + many))


def _head_mask(model: LoadedModel, sets: Sequence[Collection[Head]]) -> torch.Tensor:
    """(n, L, H): 0 for the heads of a set, 1 for all others."""
    mask = torch.ones(len(sets), model.layers, model.heads)
    for row, heads in enumerate(sets):
        for head in heads:
            check_head(head, model.layers, model.heads)
            mask[(row, *head)] = 0
    return mask.to(model.device, model.model.bert.dtype)
