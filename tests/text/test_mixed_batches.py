"""Batches of several tasks: what is drawn, how often, and that every batch has rows of each."""

from collections import Counter

import numpy as np
import pytest

from bertsent.text.mixed_batches import mixed_batches

PARTS = [0] * 90 + [1] * 30 + [2] * 60
LENGTHS = np.random.default_rng(1).integers(5, 60, len(PARTS)).tolist()


def _drawn(batches) -> Counter:
    return Counter(row for batch in batches for row in batch)


def test_every_row_comes_once_and_every_batch_has_each_part_in_proportion() -> None:
    batches = mixed_batches(LENGTHS, PARTS, 12, seed=1, epoch=0)
    assert _drawn(batches) == Counter(range(len(PARTS))) and len(batches) == 15
    for batch in batches:
        assert Counter(PARTS[row] for row in batch) == {0: 6, 1: 2, 2: 4}
        assert {PARTS[row] for row in batch[:6]} == {0, 1, 2}  # and half of it, when it is cut


@pytest.mark.parametrize("rows", [60, 150, 100])
def test_as_many_are_drawn_of_each_part_and_none_again_too_early(rows) -> None:
    batches = mixed_batches(LENGTHS, PARTS, 10, seed=1, epoch=0, rows=rows)
    drawn = _drawn(batches)
    each = Counter(PARTS[row] for row in drawn.elements())
    assert sum(each.values()) == rows and max(each.values()) - min(each.values()) <= 1
    for part, size in ((0, 90), (1, 30), (2, 60)):
        times = [drawn[row] for row, of in enumerate(PARTS) if of == part]
        assert max(times) - min(times) <= 1 and max(times) == -(-each[part] // size)
    assert {len(batch) for batch in batches} <= {10} and len(batches) == rows // 10


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    def of(seed, epoch):
        return mixed_batches(LENGTHS, PARTS, 12, seed=seed, epoch=epoch, rows=60)

    assert of(1, 2) == of(1, 2)
    assert len({str(of(1, 1)), str(of(1, 2)), str(of(2, 1))}) == 3


def test_lengths_of_a_part_are_similar_within_a_batch() -> None:
    parts, lengths = [0, 1] * 400, np.random.default_rng(2).integers(5, 200, 800).tolist()
    batches = mixed_batches(lengths, parts, 8, seed=1, epoch=0)

    def padding(batches):
        return sum(max(lengths[row] for row in b) * len(b) for b in batches) / sum(lengths)

    shuffled = np.random.default_rng(3).permutation(800).reshape(-1, 8)
    assert padding(batches) < 1.25 < 1.6 < padding(shuffled.tolist())
