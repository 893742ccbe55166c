"""What one set gives a training of the recipe: texts, what is true of each for one or several
heads, and their batches, epoch after epoch.
"""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from bertsent.text.batches import TokenBatch, collate, shuffled_batches
from bertsent.text.tokens import ReviewTokenizer


@dataclass(frozen=True)
class LearnedRows:
    """The rows of a set. ``targets`` has (n,) or (n, K) values for each head that learns from them;
    rows of one name in ``pairs`` are the two sides of a minimal pair.
    """

    inputs: Sequence[tuple[str, str]]
    targets: Mapping[str, np.ndarray]
    pairs: Sequence[str] = field(default=())

    def sha256(self) -> str:
        """Of texts and targets in their order, so that a card can say what was learned from."""
        digest = hashlib.sha256()
        for first, second in self.inputs:
            digest.update(f"{first}\0{second}\0".encode())
        for name in sorted(self.targets):
            digest.update(name.encode() + self.targets[name].astype("<f4").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class LearnedBatch:
    """Tokens, what is true of the rows for each head, and which of them are sides of a pair:
    (pairs, 2), the negative one first; empty where there are none.
    """

    tokens: TokenBatch
    targets: Mapping[str, torch.Tensor]
    sides: torch.Tensor


def token_counts(ids: Sequence[Sequence[int]], vocabulary: int) -> np.ndarray:
    """How often each of the word pieces, (vocabulary,), is in token lists."""
    return np.bincount(np.fromiter(itertools.chain.from_iterable(ids), int), minlength=vocabulary)


class BatchStream:
    """The batches of a set without an end; ``taken`` is how many have been, and decides with the
    seed which one is next.
    """

    def __init__(
        self,
        rows: LearnedRows,
        tokenizer: ReviewTokenizer,
        *,
        longest: int,
        batch_size: int,
        seed: int,
    ) -> None:
        self.taken = 0
        self._ids = tokenizer.input_ids(rows.inputs, longest)
        self._targets = {name: torch.tensor(v).float() for name, v in rows.targets.items()}
        self._pairs = rows.pairs
        self._pad_id, self._longest = tokenizer.pad_id, longest
        self._batch_size, self._seed = batch_size, seed
        self._epoch, self._batches = -1, list[tuple[int, ...]]()

    def next(self) -> LearnedBatch:
        """The next batch."""
        epoch, place = divmod(self.taken, -(-len(self._ids) // self._batch_size))
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._shuffled(epoch)
        self.taken += 1
        positions = list(self._batches[place])
        tokens = collate(self._ids, positions, pad_id=self._pad_id, limit=self._longest)
        targets = {name: values[positions] for name, values in self._targets.items()}
        return LearnedBatch(tokens, targets, self._sides(positions))

    def token_counts(self, vocabulary: int) -> np.ndarray:
        """How often each word piece is in the rows, as far as they are read."""
        return token_counts(self._ids, vocabulary)

    def _shuffled(self, epoch: int) -> list[tuple[int, ...]]:
        groups = [name or str(n) for n, name in enumerate(self._pairs)] or None
        lengths = [len(row) for row in self._ids]
        return shuffled_batches(
            lengths, self._batch_size, seed=self._seed, epoch=epoch, groups=groups
        )

    def _sides(self, positions: Sequence[int]) -> torch.Tensor:
        """Where in the batch both sides of a pair stand."""
        found = dict[str, list[int]]()
        for place, position in enumerate(positions if self._pairs else ()):
            if name := self._pairs[position]:
                found.setdefault(name, []).append(place)
        truth = self._targets["sentiment"] if self._pairs else torch.empty(0)
        whole = [sides for sides in found.values() if len(sides) == 2]
        ordered = [sorted(sides, key=lambda side: truth[positions[side]]) for sides in whole]
        return torch.tensor(ordered, dtype=torch.long).reshape(-1, 2)
