"""Reviews in, a small recurrent classifier out: word vectors, a bidirectional LSTM, the maximum
over time, one logit.

Hochreiter and Schmidhuber (1997), both directions as in Graves and Schmidhuber (2005), pooling as
in Conneau et al. (2017). It reads words in their order and learns from these reviews alone: nothing
is pretrained. All random numbers come from one generator, so the same seed gives the same weights
whatever else the program does.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import torch
from scipy.special import expit
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.probing.baselines.pipelines import LSTM
from bertsent.progress import Progress, no_progress
from bertsent.text.batches import shuffled_batches, sorted_batches

PAD, UNKNOWN = 0, 1
SHORTEST, LONGEST = 64, 256  # words that are read; more where the reviews are long
ANSWER_BATCH = 128
LOSS = nn.functional.binary_cross_entropy_with_logits
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?()\"“”]")


@dataclass(frozen=True)
class LstmConfig:
    """Architecture and training of the LSTM; the defaults are a usual first choice, nothing was
    searched.
    """

    embedding_size: int = 64
    hidden_size: int = 64  # in each direction
    vocabulary_size: int = 20_000
    min_count: int = 2  # a rarer word has no vector of its own
    dropout: float = 0.3
    word_dropout: float = 0.1  # share of the words that are hidden during training
    epochs: int = 8
    batch_size: int = 64
    learning_rate: float = 2e-3
    validation_share: float = 0.1  # of the training reviews; decides which epoch is kept
    seed: int = 42


class LstmNetwork(nn.Module):
    """(B, T) word ids in, (B,) logits of positive out."""

    def __init__(self, words: int, config: LstmConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, config.embedding_size, padding_idx=PAD)
        self.lstm = nn.LSTM(
            config.embedding_size, config.hidden_size, batch_first=True, bidirectional=True
        )
        self.head = nn.Linear(2 * config.hidden_size, 1)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights from ``generator``."""
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.zero_()
                elif name.startswith("embedding"):
                    weight.normal_(0, 0.3, generator=generator)[PAD] = 0
                else:
                    reach = weight.shape[1] ** -0.5
                    weight.uniform_(-reach, reach, generator=generator)
            size = self.lstm.hidden_size
            for name in ("bias_ih_l0", "bias_ih_l0_reverse"):
                # the forget gate is open at first (Jozefowicz et al. 2015)
                self.lstm.get_parameter(name)[size : 2 * size] = 1.0

    def forward(
        self, ids: Tensor, lengths: Tensor, drop: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        vectors = self.embedding(ids)  # B, T, vectors
        return self.answer(drop(vectors) if drop else vectors, lengths, drop)

    def answer(
        self, vectors: Tensor, lengths: Tensor, drop: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        """(B,) logits of word vectors (B, T, vectors)."""
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=float("-inf")
        )  # B, T, 2 · hidden
        pooled = states.max(dim=1).values
        return self.head(drop(pooled) if drop else pooled).squeeze(-1)


class LstmClassifier:
    """A trained network with its vocabulary."""

    def __init__(
        self, words: Sequence[str], length: int, network: LstmNetwork, config: LstmConfig
    ) -> None:
        self.name, self.words, self.length, self.config = LSTM, tuple(words), length, config
        self.network = network
        self._place = {word: place for place, word in enumerate(self.words, start=UNKNOWN + 1)}

    def ids(self, text: str) -> list[int]:
        """The first words of a text as numbers, at least one."""
        found = [self._place.get(word, UNKNOWN) for word in split_words(text)[: self.length]]
        return found or [UNKNOWN]

    def logits(self, texts: Sequence[str]) -> np.ndarray:
        """(n,) float64."""
        return self.logits_of_ids([self.ids(text) for text in texts])

    def logits_of_ids(self, rows: Sequence[list[int]]) -> np.ndarray:
        """(n,) float64."""
        return network_logits(self.network, rows)

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return expit(self.logits(texts))

    def to_arrays(self) -> dict[str, Any]:
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        return {"words": self.words, "length": self.length, "config": asdict(self.config)} | weights

    @classmethod
    def from_arrays(cls, kept: Mapping[str, Any]) -> Self:
        words, length, config = kept["words"], kept["length"], LstmConfig(**kept["config"])
        network = LstmNetwork(len(words) + UNKNOWN + 1, config)
        network.load_state_dict(
            {name: torch.from_numpy(kept[name].copy()) for name in network.state_dict()}
        )
        return cls(words, length, network, config)


def split_words(text: str) -> list[str]:
    """Lower-case words and marks, as the LSTM reads them."""
    return _WORD.findall(text.lower())


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where those words and marks begin and end in the text."""
    return [found.span() for found in _WORD.finditer(text)]


@torch.inference_mode()
def network_logits(network: nn.Module, rows: Sequence[list[int]]) -> np.ndarray:
    """(n,) float64: what a network of ids and lengths answers to rows of word ids."""
    network.eval()
    out = np.empty(len(rows))
    for positions in sorted_batches([len(row) for row in rows], ANSWER_BATCH):
        out[list(positions)] = network(*_padded([rows[i] for i in positions])).numpy()
    return out


def fit_lstm(
    reviews: Reviews, config: LstmConfig, *, progress: Progress = no_progress
) -> LstmClassifier:
    """Train an LSTM; equal reviews and settings give equal weights.

    Args:
        progress: called with a fraction from 0 to 1 after every update; may raise ``Cancelled``.
    """
    generator = torch.Generator().manual_seed(config.seed)
    words, length = read_vocabulary(reviews, config)
    network = LstmNetwork(len(words) + UNKNOWN + 1, config)
    network.initialise(generator)
    model = LstmClassifier(words, length, network, config)
    rows = [model.ids(text) for text in reviews.texts]
    fit_network(network, rows, reviews, config, generator, progress=progress)
    return model


def read_vocabulary(reviews: Reviews, config: LstmConfig) -> tuple[list[str], int]:
    """The words that get a vector, the most frequent first, and how many of a review are read."""
    split = [split_words(text) for text in reviews.texts]
    length = int(np.clip(np.percentile([len(row) for row in split], 95), SHORTEST, LONGEST))
    return _vocabulary(split, config), length


def fit_network(
    network: nn.Module,
    rows: Sequence[list[int]],
    reviews: Reviews,
    config: LstmConfig,
    generator: torch.Generator,
    *,
    progress: Progress = no_progress,
) -> None:
    """Train a network of ids, lengths and a dropout to answer the ``rows`` of word ids of some
    reviews; it ends with the weights of the epoch with the lowest loss on reviews held back.

    Args:
        progress: called with a fraction from 0 to 1 after every update; may raise ``Cancelled``.
    """
    labels = torch.tensor(reviews.labels, dtype=torch.float64)
    training, validation = _halves(reviews, config)
    best, lowest = network.state_dict(), np.inf
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=1e-2)
    for epoch in range(config.epochs):
        batches = shuffled_batches(
            [len(rows[i]) for i in training], config.batch_size, seed=config.seed, epoch=epoch
        )
        network.train()
        for number, batch in enumerate(batches, start=1):
            chosen = training[list(batch)]
            ids, lengths = _padded([rows[i] for i in chosen])
            _update(network, optimizer, ids, lengths, labels[chosen].float(), config, generator)
            progress((epoch + number / len(batches)) / config.epochs)
        logits = torch.from_numpy(network_logits(network, [rows[i] for i in validation]))
        loss = float(LOSS(logits, labels[validation]))
        if loss < lowest:
            best, lowest = {k: tensor.clone() for k, tensor in network.state_dict().items()}, loss
    network.load_state_dict(best)


def _vocabulary(split: list[list[str]], config: LstmConfig) -> list[str]:
    counts = Counter(word for row in split for word in row)
    often = [word for word, count in counts.items() if count >= config.min_count]
    return sorted(often, key=lambda word: (-counts[word], word))[: config.vocabulary_size]


def _halves(reviews: Reviews, config: LstmConfig) -> tuple[np.ndarray, np.ndarray]:
    """Positions to learn from and to choose the epoch by; groups stay whole. Few reviews are all
    used for both.
    """
    from sklearn.model_selection import GroupShuffleSplit

    everything, share = np.arange(len(reviews)), config.validation_share
    splitter = GroupShuffleSplit(1, test_size=share, random_state=config.seed)
    training, validation = next(splitter.split(everything, groups=review_groups(reviews)))
    return (training, validation) if len(validation) >= 10 else (everything, everything)


def _update(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    ids: Tensor,
    lengths: Tensor,
    labels: Tensor,
    config: LstmConfig,
    generator: torch.Generator,
) -> None:
    """One step on one batch: (B, T) ids, (B,) lengths and labels."""

    def drop(values: Tensor) -> Tensor:
        kept = torch.rand(values.shape, generator=generator) >= config.dropout
        return values * kept / (1 - config.dropout)

    hidden = (torch.rand(ids.shape, generator=generator) < config.word_dropout) & (ids != PAD)
    logits = network(ids.masked_fill(hidden, UNKNOWN), lengths, drop)
    optimizer.zero_grad()
    LOSS(logits, labels).backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()


def _padded(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    """(B, T) ids and (B,) lengths."""
    ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)
    return ids, torch.tensor([len(row) for row in rows])
