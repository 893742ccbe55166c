"""A text in, its words, its answer and the gradient of the answer at each word out: what the small
networks from before BERT give.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self

import numpy as np
import torch
from scipy.special import expit

from bertsent.data.examples import Reviews
from bertsent.probing.baselines.lstm import (
    LONGEST,
    UNKNOWN,
    LstmConfig,
    fit_network,
    network_logits,
    read_vocabulary,
    split_words,
)
from bertsent.probing.before_bert.networks import BOTH, CNN, JOINED, LEFT, WordNetwork
from bertsent.progress import Progress, no_progress

READERS = {
    LEFT: "LSTM, left to right",
    BOTH: "LSTM, both ways",
    JOINED: "Two one-way LSTMs, joined (ELMo)",
    CNN: "CNN, filters over words",
}
SIZES = LstmConfig(
    embedding_size=40,
    hidden_size=40,
    vocabulary_size=6_000,
    min_count=3,
    dropout=0.4,
    epochs=6,
)


class WordReader:
    """A trained network of one ``kind`` with its vocabulary; ``length`` words were read of a review
    in training.
    """

    def __init__(
        self,
        kind: str,
        words: Sequence[str],
        length: int,
        network: WordNetwork,
        config: LstmConfig,
    ) -> None:
        self.kind, self.words, self.length, self.config = kind, tuple(words), length, config
        self.name, self.network = READERS[kind], network.eval()
        self._place = {word: place for place, word in enumerate(self.words, start=UNKNOWN + 1)}

    def ids(self, words: Sequence[str]) -> list[int]:
        """The first ``LONGEST`` words as numbers, at least one; more than were read in training."""
        return [self._place.get(w.lower(), UNKNOWN) for w in words[:LONGEST]] or [UNKNOWN]

    def knows(self, word: str) -> bool:
        """Whether that word has a vector of its own."""
        return word.lower() in self._place

    def logits(self, texts: Sequence[str]) -> np.ndarray:
        """(n,) float64."""
        return network_logits(self.network, [self.ids(split_words(text)) for text in texts])

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return expit(self.logits(texts))

    def vectors(self, words: Sequence[str]) -> torch.Tensor:
        """(T, vectors): what the network reads of some words."""
        return self.network.embedding.weight.detach()[torch.tensor(self.ids(words))]

    def to_arrays(self) -> dict[str, Any]:
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        return {"words": self.words, "length": self.length, "config": asdict(self.config)} | weights

    @classmethod
    def from_arrays(cls, kind: str, kept: Mapping[str, Any]) -> Self:
        words, config = kept["words"], LstmConfig(**kept["config"])
        network = WordNetwork(kind, len(words) + UNKNOWN + 1, config)
        network.load_state_dict(
            {name: torch.from_numpy(np.array(kept[name])) for name in network.state_dict()}
        )
        return cls(kind, words, kept["length"], network, config)


def fit_reader(
    kind: str, reviews: Reviews, config: LstmConfig = SIZES, *, progress: Progress = no_progress
) -> WordReader:
    """Train one of ``READERS``; equal reviews and settings give equal weights.

    Args:
        progress: called with a fraction from 0 to 1 after every update; may raise ``Cancelled``.
    """
    generator = torch.Generator().manual_seed(config.seed)
    words, length = read_vocabulary(reviews, config)
    network = WordNetwork(kind, len(words) + UNKNOWN + 1, config)
    network.initialise(generator)
    reader = WordReader(kind, words, length, network, config)
    rows = [reader.ids(split_words(text)[:length]) for text in reviews.texts]
    fit_network(network, rows, reviews, config, generator, progress=progress)
    network.eval()
    return reader


def untrained(kind: str, words: Sequence[str], config: LstmConfig = SIZES) -> WordReader:
    """One with weights as they are drawn, for tests and for what the shape alone allows."""
    network = WordNetwork(kind, len(words) + UNKNOWN + 1, config)
    network.initialise(torch.Generator().manual_seed(config.seed))
    return WordReader(kind, words, LONGEST, network, config)
