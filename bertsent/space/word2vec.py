"""Texts in, word vectors out, learned from nothing but which words stand near each other: skip-gram
with negative sampling (Mikolov, Sutskever, Chen, Corrado and Dean 2013, "Distributed
representations of words and phrases and their compositionality", section 2).

For a word with the vector v and a word of its window with the output vector u, the loss is equation
4 with its sign turned: −log σ(u·v) − Σ log σ(−u_n·v) over a few random words n. Frequent words are
left out at random (equation 5), the random words are drawn by their counts to the power of 3/4.
Gradients are written out below: there is nothing else to this model.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bertsent.errors import BadInput
from bertsent.space.word_vectors import WordVectors

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
POWER = 0.75  # of the counts by which random words are drawn
SMALLEST = 5  # words that a vocabulary needs


@dataclass(frozen=True)
class Word2VecConfig:
    """Architecture and training. Window, random words and the power are the paper's; few texts need
    a milder thinning of frequent words than its 1e-5, and many passes.
    """

    dimensions: int = 64
    window: int = 5
    negatives: int = 5
    min_count: int = 5  # a rarer word has no vector
    thinning: float = 1e-3  # t of equation 5
    epochs: int = 12
    batch_size: int = 2_048  # pairs
    learning_rate: float = 1e-2  # of Adam, falling to a tenth
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts as numbers: ``ids`` (N,) of the words that have a vector, in order, and ``texts`` (N,),
    the text in which each stands; ``counts`` (V,), the most frequent word first.
    """

    words: tuple[str, ...]
    counts: np.ndarray
    ids: np.ndarray
    texts: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """(V,): the share of all words that each one is."""
        return np.asarray(self.counts / self.counts.sum())


class Frame(NamedTuple):
    """Where a training stands: pairs were learned from in ``step`` of ``steps`` batches, with a
    mean ``loss`` since the frame before; ``vectors`` (V, H) is a copy.
    """

    step: int
    steps: int
    loss: float
    vectors: np.ndarray


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, without marks and numbers."""
    return _WORD.findall(text.lower().replace("’", "'"))


def read_corpus(texts: Sequence[str], min_count: int = Word2VecConfig.min_count) -> Corpus:
    """Count the words of texts; rarer words than ``min_count`` are taken out of them.

    Raises:
        BadInput: too few words are left.
    """
    split = [words_of(text) for text in texts]
    counted = Counter(word for row in split for word in row)
    often = [word for word, count in counted.items() if count >= min_count]
    words = tuple(sorted(often, key=lambda word: (-counted[word], word)))
    occur = "word occurs" if len(words) == 1 else "words occur"
    BadInput.raise_if(
        len(words) < SMALLEST,
        f"Only {len(words)} {occur} {min_count} times in these texts; {SMALLEST} are needed.",
        "Give more text.",
    )
    place = {word: number for number, word in enumerate(words)}
    rows = [[place[word] for word in row if word in place] for row in split]
    return Corpus(
        words,
        np.array([counted[word] for word in words]),
        np.array([each for row in rows for each in row], dtype=np.int64),
        np.repeat(np.arange(len(rows)), [len(row) for row in rows]),
    )


def kept_probability(shares: np.ndarray, thinning: float) -> np.ndarray:
    """(V,): with which probability a word stays where it stands: 1 minus equation 5, √(t / f)."""
    return np.minimum(1.0, np.sqrt(thinning / shares))


def noise_distribution(counts: np.ndarray) -> np.ndarray:
    """(V,): with which probability each word is drawn as a random one."""
    weights = counts.astype(np.float64) ** POWER
    return np.asarray(weights / weights.sum())


def window_pairs(
    ids: np.ndarray, texts: np.ndarray, reach: np.ndarray | int
) -> tuple[np.ndarray, np.ndarray]:
    """Every word with every other one at most ``reach`` words away in its own text: (P,) the words,
    (P,) those around them.

    Args:
        ids: (N,) words.
        texts: (N,) the text that each stands in, from the first to the last.
        reach: the window to either side, of all words or of each (N,).
    """
    reaches = np.broadcast_to(reach, ids.shape)
    words, around = [], []
    for offset in range(1, int(reaches.max(initial=0)) + 1):
        same = texts[offset:] == texts[:-offset]
        left, right = ids[:-offset], ids[offset:]
        ahead = same & (reaches[:-offset] >= offset)
        back = same & (reaches[offset:] >= offset)
        words += [left[ahead], right[back]]
        around += [right[ahead], left[back]]
    if not words:
        return ids[:0], ids[:0]
    return np.concatenate(words), np.concatenate(around)


def pair_gradients(word: Tensor, around: Tensor, random: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Loss and gradients of B pairs by equation 4, written out: the derivative of −log σ(x) is
    σ(x) − 1, that of −log σ(−x) is σ(x).

    Args:
        word: (B, H) vectors of the words.
        around: (B, H) output vectors of the words of their windows.
        random: (B, K, H) output vectors of random words.

    Returns:
        (B,) losses, (B, H) gradients for ``word``, (B, 1 + K, H) for ``around`` and ``random``.
    """
    output = torch.cat([around[:, None], random], dim=1)  # B, 1 + K, H
    scores = (output @ word[:, :, None]).squeeze(-1)  # B, 1 + K
    signs = -torch.ones_like(scores)
    signs[:, 0] = 1
    losses = torch.nn.functional.softplus(-signs * scores).sum(dim=1)  # -log sigmoid
    errors = torch.sigmoid(scores)
    errors[:, 0] -= 1
    return losses, (errors[:, None] @ output).squeeze(1), errors[:, :, None] * word[:, None]


class Word2Vec:
    """The two tables of a corpus' words, ``vectors`` and ``outputs`` (V, H), and what trains them.

    Equal texts and settings give equal vectors.
    """

    def __init__(self, corpus: Corpus, config: Word2VecConfig) -> None:
        self.corpus, self.config = corpus, config
        self._random = torch.Generator().manual_seed(config.seed)
        shape = (len(corpus.words), config.dimensions)
        spread = 0.5 / config.dimensions
        self.vectors = torch.empty(shape).uniform_(-spread, spread, generator=self._random)
        self.outputs = torch.zeros(shape)
        self._optimizer = torch.optim.Adam(
            [self.vectors, self.outputs], lr=config.learning_rate, eps=1e-6
        )
        self._noise = torch.from_numpy(noise_distribution(corpus.counts).cumsum()).float()
        self._kept = torch.from_numpy(kept_probability(corpus.shares, config.thinning))

    def epoch_pairs(self) -> tuple[Tensor, Tensor]:
        """The pairs of one pass, shuffled: frequent words are left out at random, and every word
        has a window of its own, up to the longest.
        """
        corpus, config = self.corpus, self.config
        ids = torch.from_numpy(corpus.ids)
        draw = torch.rand(len(ids), generator=self._random, dtype=torch.float64)
        kept = (draw < self._kept[ids]).numpy()
        reach = torch.randint(1, config.window + 1, (int(kept.sum()),), generator=self._random)
        words, around = window_pairs(corpus.ids[kept], corpus.texts[kept], reach.numpy())
        order = torch.randperm(len(words), generator=self._random)
        return torch.from_numpy(words)[order], torch.from_numpy(around)[order]

    def step(self, words: Tensor, around: Tensor, rate: float) -> float:
        """One update with B pairs; gives back their mean loss."""
        size = (len(words), self.config.negatives)
        drawn = torch.rand(size, generator=self._random)
        random = torch.searchsorted(self._noise, drawn).clamp_(max=len(self._noise) - 1)
        found = pair_gradients(self.vectors[words], self.outputs[around], self.outputs[random])
        losses, of_words, of_outputs = found
        seen = torch.cat([around[:, None], random], dim=1)
        width = self.config.dimensions
        self.vectors.grad = torch.zeros_like(self.vectors).index_add_(0, words, of_words)
        self.outputs.grad = torch.zeros_like(self.outputs).index_add_(
            0, seen.reshape(-1), of_outputs.reshape(-1, width)
        )
        self._optimizer.param_groups[0]["lr"] = rate
        self._optimizer.step()
        return float(losses.mean())

    def train(self, frames: int = 60) -> Iterator[Frame]:
        """Learn from every pass over the texts; a frame at the start, then about ``frames`` evenly
        spread ones, the last one at the end.
        """
        config, done, losses = self.config, 0, list[float]()
        yield Frame(0, 0, 0.0, self.vectors.numpy().copy())
        total, every = 0, 1
        for epoch in range(config.epochs):
            words, around = self.epoch_pairs()
            batches = -(-len(words) // config.batch_size)
            if not epoch:  # later passes have about as many pairs
                total, every = batches * config.epochs, max(1, batches * config.epochs // frames)
            total = done + batches * (config.epochs - epoch)
            for start in range(0, len(words), config.batch_size):
                stretch = slice(start, start + config.batch_size)
                rate = config.learning_rate * max(0.1, 1 - done / total)
                losses.append(self.step(words[stretch], around[stretch], rate))
                done += 1
                if done % every == 0 or done == total:
                    yield Frame(done, total, float(np.mean(losses)), self.vectors.numpy().copy())
                    losses.clear()

    def word_vectors(self) -> WordVectors:
        """What was learned so far, to be looked at as the vectors of an encoder are."""
        return WordVectors(self.corpus.words, self.vectors.numpy().copy())
