"""Token lists in, ``TokenBatch`` out: similar lengths together, widths rounded up.

Length buckets save padding. Training rounds widths to a multiple of 32, which keeps the number of
shapes small: the CPU backend keeps a compiled primitive for every shape it has met (7 GB after 25
minutes of freely varying widths). Answering keeps none and rounds to a multiple of 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

MULTIPLE, ANSWERING_MULTIPLE = 32, 8
POOL = 16  # batches that are shuffled together, then sorted by length
# of one answering pass: tokens, fewest and most texts
TOKENS_PER_PASS, FEWEST, TEXTS_PER_PASS = 4_096, 8, {"cpu": 32, "cuda": 64}
# texts of one pass have at least this share of its longest, except the first few: half the time
SIMILAR_LENGTH, ALWAYS = 0.75, 4


@dataclass(frozen=True)
class TokenBatch:
    """Padded ids and mask, both (B, T); ``positions`` says which rows of the set they are."""

    input_ids: "torch.Tensor"
    attention_mask: "torch.Tensor"
    positions: tuple[int, ...]

    def segments(self, sep_id: int) -> "torch.Tensor":
        """The ``token_type_ids`` (B, T) of rows of two texts: 1 for the second, its [SEP] included.

        What a person typed never becomes a [SEP], so the first one ends the first text.
        """
        separators = (self.input_ids == sep_id).long()
        return (separators.cumsum(1) - separators).clamp(max=1) * self.attention_mask


def width(longest: int, limit: int, multiple: int = MULTIPLE) -> int:
    """``longest`` rounded up to a multiple of ``multiple``, but never over ``limit``."""
    return min(-(-longest // multiple) * multiple, limit)


def collate(
    ids: Sequence[Sequence[int]] | Mapping[int, Sequence[int]],
    positions: Sequence[int],
    *,
    pad_id: int,
    limit: int,
    multiple: int = MULTIPLE,
) -> TokenBatch:
    """Pad the chosen rows to one width, a multiple of ``multiple`` where ``limit`` allows."""
    import torch

    rows = [ids[position] for position in positions]
    wide = width(max(map(len, rows)), limit, multiple)
    input_ids = torch.full((len(rows), wide), pad_id, dtype=torch.long)
    mask = torch.zeros((len(rows), wide), dtype=torch.long)
    for index, row in enumerate(rows):
        input_ids[index, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[index, : len(row)] = 1
    return TokenBatch(input_ids, mask, tuple(positions))


def shuffled_batches(
    lengths: Sequence[int],
    batch_size: int,
    *,
    seed: int,
    epoch: int,
    groups: Sequence[str] | None = None,
) -> list[tuple[int, ...]]:
    """The batches of one training epoch: random, with similar lengths within a batch.

    Rows of one name in ``groups`` (the two sides of a minimal pair) follow each other, so that one
    batch holds both unless its edge falls between them: what they share cancels out of the
    gradient, and their difference remains.

    Rows are shuffled, pools of sixteen batches are sorted by length, and the batches of the epoch
    are shuffled again. The order depends on ``seed`` and ``epoch`` alone, so a resumed run finds
    its position by counting.
    """
    random = np.random.default_rng([seed, epoch])
    order, measured = random.permutation(len(lengths)), np.asarray(lengths)
    if groups is not None:
        group = np.unique(np.asarray(groups, str), return_inverse=True)[1]
        longest = np.zeros(group.max() + 1, int)
        np.maximum.at(longest, group, measured)
        order, measured = _side_by_side(order, group), longest[group]
    pools = [
        order[start : start + POOL * batch_size]
        for start in range(0, len(order), POOL * batch_size)
    ]
    batches = [
        batch
        for pool in pools
        for batch in _cut(pool[np.argsort(-measured[pool], kind="stable")], batch_size)
    ]
    return [batches[i] for i in random.permutation(len(batches))]


def _side_by_side(order: np.ndarray, group: np.ndarray) -> np.ndarray:
    """``order`` with the rows of each group moved up to the first of them."""
    places = np.arange(len(order))
    first = np.full(group.max() + 1, len(order))
    np.minimum.at(first, group[order], places)
    return order[np.argsort(first[group[order]], kind="stable")]


def sorted_batches(lengths: Sequence[int], batch_size: int) -> Iterator[tuple[int, ...]]:
    """Every row once, longest first: the least padding, and memory runs out at once or never."""
    yield from _cut(np.argsort(-np.asarray(lengths), kind="stable"), batch_size)


def answering_batches(
    ids: Sequence[Sequence[int]], *, pad_id: int, limit: int, device: str = "cpu"
) -> Iterator[TokenBatch]:
    """Every row once, longest first, short ones more at a time; a row alone keeps its own width."""
    order = np.argsort([-len(row) for row in ids], kind="stable").tolist()
    if len(ids) == 1:
        limit = min(limit, len(ids[0]))
    start = 0
    while start < len(order):
        size = _similar(
            [len(ids[row]) for row in order[start : start + max(TEXTS_PER_PASS.values())]], device
        )
        yield collate(
            ids,
            order[start : start + size],
            pad_id=pad_id,
            limit=limit,
            multiple=ANSWERING_MULTIPLE,
        )
        start += size


def _similar(lengths: Sequence[int], device: str) -> int:
    """How many rows go together, of those that come next with their falling lengths."""
    longest, most = max(1, lengths[0]), TEXTS_PER_PASS.get(device, TEXTS_PER_PASS["cpu"])
    if device == "cpu":
        most = max(FEWEST, min(most, TOKENS_PER_PASS // longest))
    alike = next(
        (
            place
            for place, length in enumerate(lengths)
            if place >= ALWAYS and length < SIMILAR_LENGTH * longest
        ),
        len(lengths),
    )
    return min(most, alike)


def _cut(order: np.ndarray, size: int) -> list[tuple[int, ...]]:
    return [
        tuple(int(i) for i in order[start : start + size]) for start in range(0, len(order), size)
    ]
