"""One review in, what the model makes of it out when it reads both ways, as it was trained to, and
left to right, with a causal mask laid over the same weights.

Left to right a token sees itself and what stands before it (Radford et al. 2018), so its vector
cannot depend on what follows. BERT was trained to see everything (Devlin et al. 2019, section 3.1):
under the mask it is out of its element. What is compared is which information reaches a word, not
how good a model would be that was trained left to right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput
from bertsent.probing.heads.attention_maps import AttentionMaps

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class Reading:
    """One pass over a review: the attention, the last layer's vectors ``states`` (T, width), and
    P(positive) where the model has a trained head.
    """

    maps: AttentionMaps
    states: np.ndarray
    p_positive: float | None


@dataclass(frozen=True)
class Directions:
    """A review read in both directions, and again with all that follows token ``place`` changed."""

    both: Reading
    left_to_right: Reading
    both_changed: Reading
    left_to_right_changed: Reading
    place: int

    @property
    def cosines(self) -> np.ndarray:
        """(T,): of each token's last vector, both ways against left to right."""
        return _cosines(self.both.states, self.left_to_right.states)

    @property
    def kept(self) -> tuple[float, float]:
        """The cosine of the vector of token ``place`` before and after what follows it is changed:
        both ways, and left to right, where nothing that follows is seen.
        """
        pairs = (self.both, self.both_changed), (self.left_to_right, self.left_to_right_changed)
        both, left_to_right = (
            float(_cosines(now.states[[self.place]], then.states[[self.place]])[0])
            for now, then in pairs
        )
        return both, left_to_right


def read_directions(model: "LoadedModel", text: str, place: int, changed: str = "") -> Directions:
    """Read ``text`` in both directions; and ``changed``, which begins with the same tokens up to
    ``place`` (from 0), or where that is empty the text cut after that token.

    Raises:
        BadInput: there is no such token, or ``changed`` begins with other tokens.
        NotAvailable: the model gives no attention weights.
    """
    tokens = model.tokens(text)
    BadInput.raise_if(
        not 0 <= place < len(tokens) - 1,
        f"There is no word {place + 1}.",
        f"The model reads {len(tokens)} tokens of this review.",
    )
    ids, cut = list(tokens.ids), [*tokens.ids[: place + 1], tokens.ids[-1]]
    other = list(model.tokens(changed).ids) if changed else cut
    BadInput.raise_if(
        other[: place + 1] != ids[: place + 1],
        "The two texts differ before the word that is compared.",
        "Change only what follows it.",
    )
    special = tokens.special
    return Directions(
        _read(model, ids, tokens.pieces, special, causal=False),
        _read(model, ids, tokens.pieces, special, causal=True),
        _read(model, other, (), (), causal=False),
        _read(model, other, (), (), causal=True),
        place,
    )


def least_alike(cosines: np.ndarray, special: Sequence[bool]) -> int:
    """The word whose vector changes most when it is read left to right; 0 where there is none."""
    if all(special):
        return 0
    return int(np.where(special, np.inf, cosines).argmin())


def seen_sentence(found: Directions, both: np.ndarray, left_to_right: np.ndarray) -> str:
    """What the mask does to one word in one head, or a mean of heads, both (T, T)."""
    place, tokens = found.place, found.both.maps.tokens
    ahead = both[place, place + 1 :]
    if not len(ahead):
        return ""
    most = place + 1 + int(ahead.argmax())
    return (
        f"Both ways “{tokens[place]}” gives {100 * ahead.sum():.0f} % of its attention to what "
        f"follows it, most to “{tokens[most]}” ({100 * both[place, most]:.0f} %); left to right "
        f"{100 * left_to_right[place, place + 1 :].sum():.0f} %."
    )


def kept_sentence(found: Directions, what: str) -> str:
    """How the vector of the word takes a change of what follows it; ``what`` says what is done."""
    both, left_to_right = found.kept
    word = found.both.maps.tokens[found.place]
    return (
        f"{what}: both ways the last vector of “{word}” is a different one (cosine {both:.2f}), "
        f"left to right it stays as it is ({left_to_right:.2f})."
    )


def _cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of each row of both, (T, width): (T,)."""
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    return (first * second).sum(-1) / np.maximum(lengths, 1e-12)


def _read(
    model: "LoadedModel",
    ids: Sequence[int],
    pieces: Sequence[str],
    special: Sequence[bool],
    *,
    causal: bool,
) -> Reading:
    import torch

    rows = torch.tensor([ids], device=model.device)
    weights, states = model.attention_of_ids(rows, causal=causal)
    p_positive = None
    if "sentiment" in model.gives:
        with torch.inference_mode():
            logits = model.model.classify(states, torch.ones_like(rows))
        p_positive = float(torch.softmax(logits.double(), -1)[0, 1])
    return Reading(
        AttentionMaps(tuple(pieces), tuple(special), weights),
        states[0].double().cpu().numpy(),
        p_positive,
    )
