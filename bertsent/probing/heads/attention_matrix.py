"""Attention maps in, the one matrix that is shown large out: a head, a mean of heads or the
rollout, with what it says in sentences and tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.probing.heads.attention_maps import (
    AttentionMaps,
    TokenSelection,
    between_words,
    head_name,
    largest_pair,
    ranked_heads,
)

if TYPE_CHECKING:
    from bertsent.probing.attribution.units import Unit

STRONGEST = "strongest of the layer"
MEAN_OF_LAYER, MEAN_OF_ALL, ROLLOUT = "mean of the layer", "mean of all", "rollout"
# pairs that reviews of this lab turn on, looked for in this order
USUAL_PAIRS = (("great", "boring"), ("another", "boring"), ("not", "bad"))
LEAST_LINK = 0.01  # weights below this are no links


@dataclass(frozen=True)
class AttentionMatrix:
    """``weights`` (T, T) over the tokens of ``maps``; ``layer`` and ``head`` from 0, None where it
    is a mean.
    """

    name: str
    maps: AttentionMaps
    weights: np.ndarray
    layer: int | None = None
    head: int | None = None

    @property
    def place(self) -> tuple[int, int] | None:
        """Layer and head, when it is one."""
        return None if self.layer is None or self.head is None else (self.layer, self.head)

    def table(self) -> pd.DataFrame:
        """One row per token that looks, one column a token it looks at, numbered because a word may
        come twice.
        """
        tokens = self.maps.tokens
        columns = {
            f"{position} {token}": self.weights[:, position - 1]
            for position, token in enumerate(tokens, start=1)
        }
        return pd.DataFrame({"position": range(1, len(tokens) + 1), "token": tokens, **columns})

    def links(self, *, most: int, of: int | None = None) -> pd.DataFrame:
        """The ``most`` largest weights between two different places, the largest first: from, to,
        weight, and both positions from 1; with ``of`` only those of that token, from 0.
        """
        whole = replace(self.maps, weights=self.weights[None, None].astype(np.float64)).table()
        links = whole.drop(columns=["layer", "head"]).rename(columns={"value": "weight"})
        other = links["from position"] != links["to position"]
        own = links["from position"] == (links["from position"] if of is None else of + 1)
        large = links[other & own & (links["weight"] >= LEAST_LINK)]
        return large.sort_values("weight", ascending=False, kind="stable", ignore_index=True)[:most]


def strongest_head(maps: AttentionMaps, layer: int) -> int:
    """The head of a layer (both from 0) with the largest weight from one word to another."""
    return int(between_words(maps.weights[layer], maps.special).max(axis=(1, 2)).argmax())


def strongest_of_all(maps: AttentionMaps) -> tuple[int, int] | None:
    """The head, (layer, head) from 0, with the largest weight from one word to another; None with
    fewer than two words.
    """
    largest = between_words(maps.weights, maps.special).max(axis=(2, 3))
    layer, head = divmod(int(largest.argmax()), maps.heads)
    return (layer, head) if largest[layer, head] >= 0 else None


def attention_matrix(maps: AttentionMaps, layer: int, head: str) -> AttentionMatrix:
    """One head or a mean of heads: ``layer`` from 0; ``head`` from 1, as a word, or ``STRONGEST``,
    ``MEAN_OF_LAYER``, ``MEAN_OF_ALL``.
    """
    if head == MEAN_OF_ALL:
        name = f"Mean of all {maps.layers * maps.heads} heads"
        return AttentionMatrix(name, maps, maps.head_mean())
    if head == MEAN_OF_LAYER:
        name = f"Mean of the {maps.heads} heads of layer {layer + 1}"
        return AttentionMatrix(name, maps, maps.head_mean(layer), layer)
    number = strongest_head(maps, layer) if head == STRONGEST else int(head) - 1
    weights = maps.weights[layer, number].copy()
    return AttentionMatrix(f"Head {head_name((layer, number))}", maps, weights, layer, number)


def rollout_matrix(
    whole: AttentionMaps, selection: TokenSelection, units: Sequence["Unit"] = ()
) -> AttentionMatrix:
    """The rollout of all layers over all tokens, of which ``selection`` is shown."""
    maps = whole.rollout().select(selection, units)
    return AttentionMatrix("Rollout of all layers", maps, maps.weights[0, 0])


def usual_pair(tokens: Sequence[str], special: Sequence[bool], mean: np.ndarray) -> tuple[int, int]:
    """Which two tokens to begin with, from 0: a pair of ``USUAL_PAIRS`` where the review has one,
    else the two words with the largest ``mean`` (T, T). A single word is paired with itself.
    """
    names = [token.casefold() for token in tokens]
    for first, second in USUAL_PAIRS:
        if first in names and second in names:
            return names.index(first), names.index(second)
    alone = next((place for place, marker in enumerate(special) if not marker), 0)
    return largest_pair(mean, special) or (alone, alone)


def weights_between(maps: AttentionMaps, source: int, target: int) -> pd.DataFrame:
    """One row per head, layer by layer: layer and head from 1, the weight from token ``source`` to
    ``target`` (both from 0), and its rank among all that ``source`` looks at, 1 the largest; equal
    weights share the better rank. IndexError: no such token.
    """
    layers, heads, _, _ = maps.weights.shape
    rows = maps.weights[:, :, source, :].reshape(layers * heads, -1)  # (L·H, T)
    return pd.DataFrame(
        {
            "layer": np.repeat(np.arange(1, layers + 1), heads),
            "head": np.tile(np.arange(1, heads + 1), layers),
            "weight": rows[:, target].astype(float),
            "rank": rank_in(rows, target),
        }
    )


def ranked_weights(
    maps: AttentionMaps, every: pd.DataFrame, source: int, target: int
) -> pd.DataFrame:
    """The rows of ``weights_between``, the largest weight first, with both tokens and their
    positions from 1.
    """
    tokens = {"from position": source + 1, "from": maps.tokens[source]}
    tokens |= {"to position": target + 1, "to": maps.tokens[target]}
    ranked = every.sort_values("weight", ascending=False, kind="stable", ignore_index=True)
    return ranked.assign(**tokens)[["layer", "head", *tokens, "weight", "rank"]]


def largest_weight_sentence(ranked: pd.DataFrame) -> str:
    """Which head comes first in ``ranked_weights``."""
    first = ranked.iloc[0]
    head = head_name((int(first["layer"]) - 1, int(first["head"]) - 1))
    return f"Most in head {head}, {100 * first['weight']:.1f} %."


def rank_in(rows: np.ndarray, target: int) -> np.ndarray:
    """The rank of column ``target`` in each row of (n, T), 1 the largest: (n,) int."""
    return 1 + (rows > rows[:, [target]]).sum(axis=1)


def strongest_pair_sentence(shown: AttentionMatrix) -> str:
    """Which word looks hardest at which other one. [CLS] and [SEP] often take most of the attention
    and would always win; when they take more than half, that is said too.
    """
    maps, found = shown.maps, largest_pair(shown.weights, shown.maps.special)
    if found is None:
        return f"{shown.name} has no two words to compare."
    source, target = (maps.tokens[place] for place in found)
    share = f"{shown.name} sends {_percent(shown.weights[found])} of “{source}” to “{target}”"
    if maps.renormalised:
        return f"{share}, as a share of what goes to the tokens shown."
    words = ~np.asarray(maps.special, dtype=bool)
    resting = 1.0 - shown.weights[words][:, words].sum(axis=1, dtype=np.float64).mean()
    rests = f" {_percent(resting)} of the words’ attention rests on [CLS] and [SEP]."
    return f"{share}.{rests if any(maps.special) and resting > 0.5 else ''}"


def grid_sentence(maps: AttentionMaps) -> str:
    """How many heads rest on [CLS] and [SEP], and which head connects two words most strongly."""
    rest, every = "", maps.layers * maps.heads
    if any(maps.special) and not maps.renormalised:
        markers = maps.weights[..., np.asarray(maps.special)].sum(-1, dtype=np.float64).mean(-1)
        rest = f"{(markers > 0.5).sum()} of {every} heads give more than half to [CLS] and [SEP]. "
    between = between_words(maps.weights, maps.special)
    head = ranked_heads(between.max(axis=(2, 3)))[0]
    pair = largest_pair(maps.weights[head], maps.special)
    if pair is None:
        return rest.strip()
    source, target = (maps.tokens[place] for place in pair)
    return (
        f"{rest}The strongest link between two words is in head {head_name(head)}: “{source}” to "
        f"“{target}”, {_percent(maps.weights[head][pair])}."
    )


def marked_sentence(shown: AttentionMatrix, marked: Sequence[int]) -> str:
    """What the first of the ``marked`` tokens, from 0, looks at most; empty without one."""
    if not marked:
        return ""
    row, tokens = shown.weights[marked[0]], shown.maps.tokens
    return f"“{tokens[marked[0]]}” looks most at “{tokens[row.argmax()]}” ({_percent(row.max())})."


def weight_sentence(shown: AttentionMatrix, source: int, target: int) -> str:
    """One number exactly: what it is, its rank in its row, and what even attention would be."""
    tokens, row = shown.maps.tokens, shown.weights[source]
    weight, rank = float(row[target]), int(rank_in(row[None], target)[0])
    to = "itself" if source == target else f"“{tokens[target]}”"
    said = f"“{tokens[source]}” gives {weight:.4f} of its attention to {to}"
    if shown.maps.renormalised:
        said = f"of what “{tokens[source]}” gives to the tokens shown, {weight:.4f} goes to {to}"
    return (
        f"{shown.name}: {said}, {100 * weight:.1f} %. That is rank {rank} of {len(tokens)} in its "
        f"row; even attention would be {1 / len(tokens):.4f}."
    )


def row_sentence(shown: AttentionMatrix, source: int) -> str:
    """The three tokens that this one looks at most."""
    tokens, row = shown.maps.tokens, shown.weights[source]
    listed = ", ".join(
        f"“{tokens[n]}” ({100 * row[n]:.1f} %)" for n in np.argsort(-row, kind="stable")[:3]
    )
    return f"“{tokens[source]}” looks most at {listed}."


def links_sentence(shown: AttentionMatrix, links: pd.DataFrame) -> str:
    """How much of all attention the drawn links are."""
    share = _percent(float(links["weight"].sum()) / float(shown.weights.sum()))
    return f"The {len(links)} arcs are {share} of all its attention." if len(links) else ""


def _percent(share: float) -> str:
    return f"{100 * float(share):.0f} %"
