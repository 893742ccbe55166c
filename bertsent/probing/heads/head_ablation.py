"""One review in, what the model would answer without some of its attention heads out: a single set,
or every head in turn.

Silencing a head means that nothing of what it gathered goes on: its columns of the input of the
layer's output projection become
zero (Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", with ξ = 0). The
library has no head mask any
more, so pre-hooks do it, on modules of their own over the same weights: whoever else asks the model
meanwhile notices nothing,
and nothing has to be put back.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from bertsent.errors import BadInput, NotAvailable
from bertsent.models.sentiment import shared_weight_copy
from bertsent.probing.heads.attention_modules import encoder_layers, output_projection

if TYPE_CHECKING:
    from bertsent.models.sentiment import BertForSentiment
    from bertsent.probing.loaded_model import LoadedModel

Head = tuple[int, int]  # layer and head, from 0
Progress = Callable[[float], None]  # told a fraction from 0 to 1; may raise Cancelled
TOKENS_AT_ONCE = {"cpu": 512, "cuda": 32_768}  # on a CPU few stay in its caches
MOST_TOGETHER = 24  # heads that are silenced together at the most to turn an answer


@dataclass(frozen=True)
class AblationGrid:
    """P(positive) of one review: as it is, without each ``head`` (L, H), and without all heads of
    each ``layer`` (L,).
    """

    p_positive: float
    heads: np.ndarray
    layers: np.ndarray

    @property
    def change(self) -> np.ndarray:
        """ΔP(positive) by silencing each head, (L, H)."""
        return self.heads - self.p_positive

    @property
    def layer_change(self) -> np.ndarray:
        """ΔP(positive) by silencing a whole layer's heads, (L,)."""
        return self.layers - self.p_positive

    @property
    def support(self) -> np.ndarray:
        """How much each head holds up the answer that was given, (L, H): what P(answer) loses
        without it.
        """
        return -self.change if self.p_positive > 0.5 else self.change

    def carriers(self, least: float = 0.0) -> tuple[Head, ...]:
        """The heads that hold up the answer by more than ``least``, the most needed first."""
        found = [
            (int(n), int(h))
            for n, h in zip(
                *np.unravel_index(np.argsort(-self.support, axis=None), self.support.shape),
                strict=True,
            )
        ]
        return tuple(head for head in found if self.support[head] > least)


def ablate_every_head(
    learner: "LoadedModel", text: str, *, progress: Progress | None = None
) -> AblationGrid:
    """Silence every head of the model in turn, and every layer's heads together.

    The heads of a layer are silenced side by side in one batch, and what the layers below them make
    of the review is worked out
    only once: for 72 heads that is as much work as about 45 answers.

    Raises:
        NotAvailable: the model was not fine-tuned, or is of a family whose heads cannot be reached.
    """
    _needs_answer(learner)
    ids, done, board = _ids(learner, text), 0, np.empty((learner.layers, learner.heads + 1))
    with torch.inference_mode():
        silenced = _MaskedModel(learner)
        hidden = silenced.model.bert.embeddings(input_ids=ids)
        work = sum(range(1, learner.layers + 1))
        for layer in range(learner.layers):
            board[layer] = silenced.variants(hidden, layer)
            hidden = silenced.layers[layer](hidden, None)
            done += learner.layers - layer
            if progress:
                progress(done / work)
    return AblationGrid(float(learner.probabilities([text])[0, 1]), board[:, :-1], board[:, -1])


def probabilities_without(
    learner: "LoadedModel",
    text: str,
    sets: Sequence[Collection[Head]],
    *,
    progress: Progress | None = None,
) -> np.ndarray:
    """P(positive) of a review without each set of heads, (n,) float64. Without none it is exactly
    what the model answers.

    Raises:
        NotAvailable: the model was not fine-tuned, or is of a family whose heads cannot be reached.
        BadInput: a set names a head that the model does not have.
    """
    _needs_answer(learner)
    keep = _kept(learner, sets)
    ids, found = _ids(learner, text), np.empty(len(sets))
    with torch.inference_mode():
        silenced = _MaskedModel(learner)
        for part in _parts(len(sets), ids.shape[1], learner.device.type):
            rows = ids.expand(part.stop - part.start, -1)
            silenced.keep = list(keep[part].unbind(1))
            found[part] = _p_positive(silenced.model(rows, torch.ones_like(rows)))
            if progress:
                progress(part.stop / len(sets))
    if not all(sets):  # the model has shorter ways to an answer, which round otherwise
        found[[not heads for heads in sets]] = learner.probabilities([text])[0, 1]
    return found


def flipping_set(
    learner: "LoadedModel", text: str, board: AblationGrid, *, most: int = MOST_TOGETHER
) -> tuple[Head, ...]:
    """The first of the carriers, most needed first, whose silence together turns the answer; empty
    when ``most`` do not.

    It is found by going down one list, not by trying all sets: a smaller one may exist.
    """
    carriers = board.carriers()[:most]
    sets = [carriers[: count + 1] for count in range(len(carriers))]
    if not sets:
        return ()
    turned = (probabilities_without(learner, text, sets) > 0.5) != (board.p_positive > 0.5)
    return sets[int(turned.argmax())] if turned.any() else ()


class _MaskedModel:
    """A private twin of a learner's model. ``keep`` has for each layer what its heads are
    multiplied by, or None.
    """

    def __init__(self, learner: "LoadedModel") -> None:
        self.model: BertForSentiment = shared_weight_copy(learner.model)
        self.heads, self.device = learner.heads, learner.device
        self.layers = encoder_layers(self.model.bert)
        self.keep: list[torch.Tensor | None] = [None] * len(self.layers)  # each (B, heads)
        for number, layer in enumerate(self.layers):
            output_projection(layer).register_forward_pre_hook(partial(self._hush, number))

    def _hush(
        self, layer: int, _module: torch.nn.Module, given: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, ...] | None:
        keep = self.keep[layer]
        if keep is None:
            return None
        gathered = given[0].unflatten(-1, (self.heads, -1))  # (B, T, heads, width / heads)
        return ((gathered * keep[:, None, :, None]).flatten(-2), *given[1:])

    def variants(self, hidden: torch.Tensor, layer: int) -> np.ndarray:
        """P(positive) from what goes into ``layer``, (1, T, width), without each of its heads and
        without all: (H + 1,).
        """
        keep = torch.cat([1 - torch.eye(self.heads), torch.zeros(1, self.heads)]).to(hidden)
        found = np.empty(len(keep))
        for part in _parts(len(keep), hidden.shape[1], self.device.type):
            self.keep[layer] = keep[part]
            states = hidden.expand(part.stop - part.start, -1, -1)
            for block in self.layers[layer:]:
                states = block(states, None)
            mask = torch.ones(states.shape[:2], dtype=torch.long, device=states.device)
            found[part] = _p_positive(self.model.classify(states, mask))
        self.keep[layer] = None
        return found


def _needs_answer(learner: "LoadedModel") -> None:
    if "sentiment" not in learner.gives:
        raise NotAvailable(
            f"{learner.name} was not fine-tuned: it has no opinion that could change.",
            "Choose a fine-tuned model.",
        )


def _p_positive(logits: torch.Tensor) -> np.ndarray:
    """(n,) of logits (n, 2), to the last digit as ``LoadedModel.probabilities`` works it out."""
    values = logits.cpu().numpy()
    shifted = np.exp(values.astype(np.float64) - values.max(-1, keepdims=True))
    return (shifted / shifted.sum(-1, keepdims=True))[:, 1]


def _ids(learner: "LoadedModel", text: str) -> torch.Tensor:
    return torch.tensor([learner.tokens(text).ids], device=learner.device)


def _parts(rows: int, tokens: int, device: str) -> Iterator[slice]:
    """Slices of ``rows`` that a device takes at once."""
    many = max(1, TOKENS_AT_ONCE.get(device, TOKENS_AT_ONCE["cpu"]) // tokens)
    for start in range(0, rows, many):
        yield slice(start, min(rows, start + many))


def _kept(learner: "LoadedModel", sets: Sequence[Collection[Head]]) -> torch.Tensor:
    """(n, L, H): 0 for the heads of a set, 1 for all others."""
    keep = torch.ones(len(sets), learner.layers, learner.heads)
    for row, heads in enumerate(sets):
        for layer, head in heads:
            if not (0 <= layer < learner.layers and 0 <= head < learner.heads):
                raise BadInput(
                    f"There is no head {layer + 1}·{head + 1}.",
                    f"{learner.name} has {learner.layers} layers of {learner.heads} heads.",
                )
            keep[row, layer, head] = 0
    return keep.to(learner.device, learner.model.classifier.weight.dtype)
