"""Rows of several tasks in, batches that hold rows of each out."""

import math
from collections.abc import Sequence

import numpy as np

from bertsent.text.batches import POOL


def mixed_batches(
    lengths: Sequence[int],
    parts: Sequence[int],
    batch_size: int,
    *,
    seed: int,
    epoch: int,
    rows: int = 0,
) -> list[tuple[int, ...]]:
    """The batches of one epoch over rows of several tasks, for each row the number of its part.

    With ``rows`` so many are drawn at random, as many of each part: a larger part is not seen whole
    in one epoch, a smaller one is seen again (4,096 of each in Mejia et al. 2023, section 4.2.6).
    Without, every row comes once. Any stretch of rows holds those of each part in proportion, so
    every batch does, and what accumulates as well; lengths within it are similar, part by part.
    The order depends on ``seed`` and ``epoch`` alone.
    """
    random = np.random.default_rng([seed, epoch])
    part, measured = np.asarray(parts), np.asarray(lengths)
    found, places = [], []
    present = np.unique(part)
    for number, each in enumerate(present):
        own = np.flatnonzero(part == each)
        drawn = _drawn(own, _share(rows, len(present), number) if rows else len(own), random)
        found.append(_similar(drawn, measured, batch_size, rows or len(part)))
        places.append((np.arange(len(drawn)) + 0.5) / max(1, len(drawn)))
    order = np.concatenate(found)[np.argsort(np.concatenate(places), kind="stable")]
    starts = range(0, len(order), batch_size)
    batches = [tuple(map(int, order[start : start + batch_size])) for start in starts]
    return [batches[i] for i in random.permutation(len(batches))]


def _share(rows: int, parts: int, number: int) -> int:
    """How many of ``rows`` fall to a part; the first ones get what is left over."""
    return rows // parts + (number < rows % parts)


def _drawn(own: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """``count`` of the rows in random order, none again before all have come."""
    rounds = [random.permutation(own) for _ in range(max(1, math.ceil(count / len(own))))]
    return np.concatenate(rounds)[:count]


def _similar(drawn: np.ndarray, lengths: np.ndarray, batch_size: int, rows: int) -> np.ndarray:
    """The rows with those of sixteen batches sorted by length, longest first."""
    pool = max(1, round(POOL * batch_size * len(drawn) / rows))
    stretches = [drawn[start : start + pool] for start in range(0, len(drawn), pool)]
    return np.concatenate([each[np.argsort(-lengths[each], kind="stable")] for each in stretches])
