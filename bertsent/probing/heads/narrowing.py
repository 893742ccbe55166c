"""Attention over all word pieces of a review in, the part that can be looked at out: whole words,
no markers, a stretch of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bertsent.probing.attribution.units import Unit
    from bertsent.probing.heads.attention_maps import AttentionMaps


@dataclass(frozen=True)
class TokenSelection:
    """What of a review is looked at: whole words or pieces, markers or not, ``size`` tokens from
    ``start`` on (from 0).
    """

    by_words: bool = False
    hidden: bool = False
    start: int = 0
    size: int | None = None


def select_tokens(
    maps: "AttentionMaps", part: TokenSelection, units: Sequence["Unit"] = ()
) -> "AttentionMaps":
    """The part of ``maps``; ``units`` are the whole words of the same tokens
    (``probing.why.reading``), for ``by_words``.

    Without markers and in a stretch every row is scaled to sum to 1 again over what is left.

    Raises:
        BadInput: nothing is left without the markers.
    """
    if part.by_words and units:
        maps = in_words(maps, units)
    if part.hidden:
        maps = maps.without_special()
    size = len(maps.tokens) if part.size is None else part.size
    if part.start == 0 and size >= len(maps.tokens):
        return maps
    return stretch(maps, part.start, size)


def in_words(maps: "AttentionMaps", units: Sequence["Unit"]) -> "AttentionMaps":
    """Word pieces as whole words: what goes to a word is the sum over its pieces, what it sends the
    mean over them (Clark et al. 2019).

    Rows still sum to 1. [CLS] and [SEP] stay what they are.
    """
    named = {unit.tokens[0]: (unit.text, unit.tokens) for unit in units}
    inside = {token for unit in units for token in unit.tokens}
    alone = {
        place: (token, (place,)) for place, token in enumerate(maps.tokens) if place not in inside
    }
    groups = [group for _, group in sorted({**named, **alone}.items())]
    member = np.zeros((len(groups), len(maps.tokens)))
    for row, (_, places) in enumerate(groups):
        member[row, list(places)] = 1
    mean = member / member.sum(1, keepdims=True)
    weights = (mean @ maps.weights.astype(np.float64) @ member.T).astype(np.float32)
    special = tuple(maps.special[places[0]] for _, places in groups)
    return replace(
        maps, tokens=tuple(token for token, _ in groups), special=special, weights=weights
    )


def stretch(maps: "AttentionMaps", start: int, size: int) -> "AttentionMaps":
    """``size`` tokens from ``start`` on, fewer where the review ends, at least the last; rows
    scaled to sum to 1 again.
    """
    start = max(0, min(start, len(maps.tokens) - 1))
    return maps.keep(range(start, min(start + size, len(maps.tokens))))


def rollout_maps(maps: "AttentionMaps") -> "AttentionMaps":
    """Attention rollout (Abnar and Zuidema 2020) of all layers as a map of one layer of one
    head.
    """
    from bertsent.probing.attribution.rollout import attention_rollout

    return replace(maps, weights=attention_rollout(maps.weights).astype(np.float32)[None, None])
