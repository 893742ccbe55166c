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
from bertsent.written_numbers import written

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MOST = 64  # tokens


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


def read_directions(
    model: "LoadedModel", text: str, place: int | None = None, changed: str = ""
) -> Directions:
    """Read the first ``MOST`` tokens of ``text`` in both directions; and ``changed``, which begins
    with the same tokens up to ``place`` (from 0), or where that is empty the text cut after that
    token. Without ``place`` it is the word that changes most when it is read left to right.

    Raises:
        BadInput: there is no such token, or ``changed`` begins with other tokens.
        NotAvailable: the model gives no attention weights.
    """
    tokens = model.tokens(text)
    last = tokens.ids[-1]
    ids = [*tokens.ids[:-1][: MOST - 1], last]
    pieces, special = (
        [*part[: len(ids) - 1], part[-1]] for part in (tokens.pieces, tokens.special)
    )
    both, left_to_right = (_read(model, ids, pieces, special, causal) for causal in (False, True))
    if place is None:
        place = least_alike(_cosines(both.states, left_to_right.states), pieces, special)
    BadInput.raise_if(
        not 0 <= place < len(ids) - 1,
        f"There is no word {place + 1}.",
        f"{len(ids)} tokens are read here.",
    )
    other = [*ids[: place + 1], last]
    if changed:
        other = list(model.tokens(changed).ids)
        BadInput.raise_if(
            other[: place + 1] != ids[: place + 1],
            "The two texts differ before the word that is compared.",
            "Change only what follows it.",
        )
    both_changed, causal_changed = (_read(model, other, (), (), causal) for causal in (False, True))
    return Directions(both, left_to_right, both_changed, causal_changed, place)


def least_alike(cosines: np.ndarray, tokens: Sequence[str], special: Sequence[bool]) -> int:
    """The word whose vector changes most when it is read left to right, among those that something
    follows: of letters, where there is one; 0 where there is no word at all.
    """
    inner = [place for place, marker in enumerate(special) if not marker]
    places = inner[:-1] or inner
    words = [place for place in places if tokens[place].isalpha()] or places
    return min(words, key=lambda place: cosines[place], default=0)


def seen_sentence(found: Directions, both: np.ndarray, left_to_right: np.ndarray) -> str:
    """What the mask does to one word in one head, or a mean of heads, both (T, T)."""
    place, tokens = found.place, found.both.maps.tokens
    ahead = both[place, place + 1 :]
    if not len(ahead):
        return ""
    most = place + 1 + int(ahead.argmax())
    return (
        f"Both ways “{tokens[place]}” gives {100 * ahead.sum():.0f} % to what follows it, most to "
        f"“{tokens[most]}” ({100 * both[place, most]:.0f} %); left to right "
        f"{100 * left_to_right[place, place + 1 :].sum():.0f} %."
    )


def kept_sentence(found: Directions, what: str) -> str:
    """How the vector of the word takes a change of what follows it; ``what`` says what is done."""
    both, left_to_right = found.kept
    word, form = found.both.maps.tokens[found.place], ".2f" if both < 0.99 else ".5f"
    if both > 1 - 1e-7:
        return f"Nothing that follows “{word}” changes its vector in either direction."
    return (
        f"{what}, the last vector of “{word}” changes both ways (cosine {written(both, form)}), "
        f"left to right it cannot ({written(left_to_right, form)})."
    )


def answer_sentence(found: Directions) -> str:
    """What a model that answers from [CLS] would say left to right; empty without an answer."""
    p_positive = found.left_to_right.p_positive
    if p_positive is None:
        return ""
    return (
        "[CLS] stands first and would see nothing: "
        f"{100 * p_positive:.1f} % positive, whatever is written."
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
