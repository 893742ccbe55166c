"""Every row once, few different widths, little padding, and an order that a resumed run finds
again.
"""

import random

import pytest
import torch

from bertsent.text.batches import (
    MULTIPLE,
    POOL,
    TokenBatch,
    answering_batches,
    collate,
    shuffled_batches,
    sorted_batches,
    width,
)

CHANCE = random.Random(5)
LENGTHS = [CHANCE.choice([5, 12, 40, 90, 200, 256]) + n % 7 for n in range(1_003)]


def padding(batches):
    wide = sum(len(batch) * max(LENGTHS[row] for row in batch) for batch in batches)
    return 1 - sum(LENGTHS) / wide


def in_order(size):
    return [
        tuple(range(start, min(start + size, len(LENGTHS))))
        for start in range(0, len(LENGTHS), size)
    ]


@pytest.mark.parametrize("size", [1, 7, 16, 64, 5_000])
def test_every_row_comes_exactly_once(size):
    for batches in (
        shuffled_batches(LENGTHS, size, seed=1, epoch=0),
        list(sorted_batches(LENGTHS, size)),
    ):
        assert sorted(row for batch in batches for row in batch) == list(range(len(LENGTHS)))
        assert len(batches) == -(-len(LENGTHS) // size)
        assert max(map(len, batches)) <= size
        assert sum(len(batch) < size for batch in batches) <= 1
        assert all(type(row) is int for row in batches[0])


def test_the_order_follows_seed_and_epoch_alone():
    here = shuffled_batches(LENGTHS, 16, seed=3, epoch=2)
    random.seed(99)
    torch.manual_seed(99)
    shuffled_batches(LENGTHS, 16, seed=8, epoch=8)
    assert shuffled_batches(LENGTHS, 16, seed=3, epoch=2) == here
    others = [
        shuffled_batches(LENGTHS, 16, seed=seed, epoch=epoch)
        for seed, epoch in ((3, 1), (2, 2), (2, 3))
    ]
    assert all(other != here for other in others)
    assert shuffled_batches(tuple(LENGTHS), 16, seed=3, epoch=2) == here


def test_an_epoch_is_random_across_and_within_batches():
    batches = shuffled_batches(LENGTHS, 16, seed=1, epoch=0)
    assert batches != sorted(batches, key=lambda batch: -max(LENGTHS[row] for row in batch)), (
        "long batches do not come first"
    )
    partners = [
        next(
            set(batch) for batch in shuffled_batches(LENGTHS, 16, seed=1, epoch=epoch) if 0 in batch
        )
        for epoch in range(4)
    ]
    assert len(set.intersection(*partners)) < 4, "a row meets other rows in each epoch"


def test_alike_lengths_together_save_padding():
    unsorted = padding(in_order(16))
    assert padding(list(sorted_batches(LENGTHS, 16))) < 0.03
    assert padding(shuffled_batches(LENGTHS, 16, seed=1, epoch=0)) < unsorted / 3


def test_the_longest_rows_come_first_when_sorted():
    tops = [max(LENGTHS[row] for row in batch) for batch in sorted_batches(LENGTHS, 16)]
    assert tops == sorted(tops, reverse=True) and tops[0] == max(LENGTHS)


def test_few_rows_and_none():
    assert shuffled_batches([5], 16, seed=1, epoch=0) == [(0,)] == list(sorted_batches([5], 16))
    assert shuffled_batches([], 16, seed=1, epoch=0) == [] == list(sorted_batches([], 16))
    assert len(shuffled_batches([9] * (POOL * 4 + 1), 4, seed=1, epoch=0)) == POOL + 1


@pytest.mark.parametrize(
    ("longest", "limit", "expected"),
    [
        (1, 512, 32),
        (32, 512, 32),
        (33, 512, 64),
        (200, 200, 200),
        (190, 200, 192),
        (5, 8, 8),
        (512, 512, 512),
    ],
)
def test_widths_are_multiples_of_32_or_the_limit(longest, limit, expected):
    assert width(longest, limit) == expected


def test_collated_batches_hold_the_rows_and_nothing_else():
    ids = [[101, *range(1_000, 1_000 + length - 2), 102] for length in LENGTHS[:300]]
    widths = set()
    for rows in sorted_batches(LENGTHS[:300], 16):
        batch = collate(ids, rows, pad_id=9, limit=256 + 7)
        assert isinstance(batch, TokenBatch) and batch.positions == rows
        assert (
            batch.input_ids.shape
            == batch.attention_mask.shape
            == (len(rows), batch.input_ids.shape[1])
        )
        assert batch.input_ids.dtype == batch.attention_mask.dtype == torch.long
        widths.add(batch.input_ids.shape[1])
        for row, line, mask in zip(rows, batch.input_ids, batch.attention_mask, strict=True):
            assert line[mask.bool()].tolist() == ids[row]
            assert mask.tolist() == [1] * len(ids[row]) + [0] * (len(mask) - len(ids[row]))
            assert (line[~mask.bool()] == 9).all()
    assert all(wide % MULTIPLE == 0 or wide == 263 for wide in widths) and len(widths) > 3


def test_both_sides_of_a_pair_meet_in_one_batch():
    names = [f"pair {row // 2}" if row < 600 else f"row {row}" for row in range(len(LENGTHS))]
    batches = shuffled_batches(LENGTHS, 32, seed=1, epoch=0, groups=names)
    assert sorted(row for batch in batches for row in batch) == list(range(len(LENGTHS)))
    torn = (
        sum((row in batch) != (row + 1 in batch) for batch in batches for row in range(0, 600, 2))
        / 2
    )
    assert torn < 30, "at most where the edge of a batch falls between them"
    assert padding(batches) < 0.35


def test_answering_takes_every_row_once_and_short_ones_more_at_a_time():
    ids = [[1] * length for length in [3, 500, 40, 7, 130, *[12] * 60, 512]]
    batches = list(answering_batches(ids, pad_id=0, limit=512))
    assert sorted(p for batch in batches for p in batch.positions) == list(range(len(ids)))
    assert [len(batch.positions) for batch in batches] == [4, 32, 28, 2]
    for batch in batches:
        longest = max(len(ids[p]) for p in batch.positions)
        assert batch.input_ids.shape[1] == min(-(-longest // 8) * 8, 512)
        assert batch.attention_mask.sum(1).tolist() == [len(ids[p]) for p in batch.positions]
    (alone,) = answering_batches([[1] * 13], pad_id=0, limit=512)
    assert alone.input_ids.shape == (1, 13)
    assert not list(answering_batches([], pad_id=0, limit=512))
