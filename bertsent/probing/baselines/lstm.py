"""Reviews in, a small recurrent classifier out: word vectors, a bidirectional LSTM, the maximum
over time, one logit.

Hochreiter and Schmidhuber (1997), both directions as in Graves and Schmidhuber (2005), pooling as
in Conneau et al. (2017). It
knows the order of words and learns it from these reviews alone: nothing is pretrained. All chance
comes from one generator, so
the same seed gives the same weights whatever else the program does.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from bertsent.data.examples import Reviews
from bertsent.probing.array_cache import StoredArrays
from bertsent.probing.baselines.pipelines import LSTM
from bertsent.probing.baselines.platt_scaling import groups
from bertsent.text.batches import shuffled_batches, sorted_batches

PAD, UNKNOWN = 0, 1
SHORTEST, LONGEST = 64, 256  # words that are read; more where the reviews are long
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?()\"“”]")


@dataclass(frozen=True)
class LstmConfig:
    """How the LSTM is built and learns; the defaults are a usual first choice; nothing was
    searched.
    """

    vectors: int = 64
    hidden: int = 64  # in each direction
    words: int = 20_000
    twice: int = 2  # a word has to come so often to get a vector of its own
    dropout: float = 0.3
    forget: float = 0.1  # share of the words that are hidden while it learns
    epochs: int = 8
    batch: int = 64
    rate: float = 2e-3
    held_out: float = 0.1  # of the training reviews: the epoch with the lowest loss on them is kept
    seed: int = 42


class LstmNetwork(nn.Module):
    """(B, T) word ids in, (B,) logits of positive out."""

    def __init__(self, words: int, config: LstmConfig) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, config.vectors, padding_idx=PAD)
        self.lstm = nn.LSTM(config.vectors, config.hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * config.hidden, 1)

    def start(self, chance: torch.Generator) -> None:
        """Draw all weights from ``chance``."""
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.zero_()
                elif name.startswith("vectors"):
                    weight.normal_(0, 0.3, generator=chance)[PAD] = 0
                else:
                    reach = weight.shape[1] ** -0.5
                    weight.uniform_(-reach, reach, generator=chance)
            size = self.lstm.hidden_size
            for name, bias in self.lstm.named_parameters():
                if name.startswith("bias_ih"):
                    bias[size : 2 * size] = (
                        1.0  # the forget gate is open at first (Jozefowicz et al. 2015)
                    )

    def forward(
        self, ids: Tensor, lengths: Tensor, drop: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        vectors = self.vectors(ids)  # B, T, vectors
        packed = pack_padded_sequence(
            drop(vectors) if drop else vectors, lengths, batch_first=True, enforce_sorted=False
        )
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
        self.network = network.eval()
        self._place = {word: place for place, word in enumerate(self.words, start=UNKNOWN + 1)}

    def ids(self, text: str) -> list[int]:
        """The first words of a text as numbers, at least one."""
        found = [self._place.get(word, UNKNOWN) for word in split_words(text)[: self.length]]
        return found or [UNKNOWN]

    @torch.inference_mode()
    def logits(self, texts: Sequence[str]) -> np.ndarray:
        """(n,) float64."""
        rows, out = [self.ids(text) for text in texts], np.empty(len(texts))
        for positions in sorted_batches([len(row) for row in rows], 128):
            out[list(positions)] = (
                self.network(*_padded([rows[i] for i in positions])).double().numpy()
            )
        return out

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return 1 / (1 + np.exp(-np.clip(self.logits(texts), -500, 500)))

    def parts(self) -> StoredArrays:
        arrays = {
            name: tensor.detach().numpy() for name, tensor in self.network.state_dict().items()
        }
        return StoredArrays(
            arrays,
            {"words": list(self.words), "length": self.length, "config": asdict(self.config)},
        )

    @classmethod
    def of(cls, parts: StoredArrays) -> Self:
        config = LstmConfig(**parts.facts["config"])
        network = LstmNetwork(len(parts.facts["words"]) + UNKNOWN + 1, config)
        network.load_state_dict(
            {name: torch.from_numpy(np.array(array)) for name, array in parts.arrays.items()}
        )
        return cls(parts.facts["words"], parts.facts["length"], network, config)


def split_words(text: str) -> list[str]:
    """Lower-case words and marks, as the LSTM reads them."""
    return _WORD.findall(text.lower())


def fit_lstm(
    reviews: Reviews,
    config: LstmConfig | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> LstmClassifier:
    """Train an LSTM; equal reviews and settings give equal weights.

    Args:
        progress: told a fraction from 0 to 1 after every update; may raise ``Cancelled``.
    """
    config = config or LstmConfig()
    chance = torch.Generator().manual_seed(config.seed)
    split = [split_words(text) for text in reviews.texts]
    words = _vocabulary(split, config)
    length = int(np.clip(np.percentile([len(row) for row in split], 95), SHORTEST, LONGEST))
    network = LstmNetwork(len(words) + UNKNOWN + 1, config)
    network.start(chance)
    model = LstmClassifier(words, length, network, config)
    rows, labels = (
        [model.ids(text) for text in reviews.texts],
        torch.tensor(reviews.labels, dtype=torch.float32),
    )
    learned, held = _halves(reviews, config)
    kept, lowest = None, np.inf
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.rate, weight_decay=1e-2)
    for epoch in range(config.epochs):
        told = progress and (lambda part, epoch=epoch: progress((epoch + part) / config.epochs))
        _epoch(network, optimizer, rows, labels, learned, epoch, config, chance, told)
        loss = _loss(network, rows, labels, held)
        if loss < lowest or kept is None:
            kept, lowest = (
                {name: tensor.clone() for name, tensor in network.state_dict().items()},
                loss,
            )
    network.load_state_dict(kept)
    network.eval()
    return model


def _vocabulary(split: list[list[str]], config: LstmConfig) -> list[str]:
    counts = Counter(word for row in split for word in row)
    often = [(word, count) for word, count in counts.items() if count >= config.twice]
    return [word for word, _ in sorted(often, key=lambda pair: (-pair[1], pair[0]))[: config.words]]


def _halves(reviews: Reviews, config: LstmConfig) -> tuple[np.ndarray, np.ndarray]:
    """Positions to learn from and to choose the epoch by; groups stay whole. Few reviews are all
    used for both.
    """
    group = groups(reviews)
    count = group.max() + 1
    held = np.random.default_rng(config.seed).permutation(count)[: int(count * config.held_out)]
    mask = np.isin(group, held)
    if mask.sum() < 10:
        return np.arange(len(reviews)), np.arange(len(reviews))
    return np.flatnonzero(~mask), np.flatnonzero(mask)


def _epoch(
    network: LstmNetwork,
    optimizer: torch.optim.Optimizer,
    rows: list[list[int]],
    labels: Tensor,
    learned: np.ndarray,
    epoch: int,
    config: LstmConfig,
    chance: torch.Generator,
    told: Callable[[float], None] | None,
) -> None:
    def drop(values: Tensor) -> Tensor:
        kept = torch.rand(values.shape, generator=chance) >= config.dropout
        return values * kept / (1 - config.dropout)

    network.train()
    batches = shuffled_batches(
        [len(rows[i]) for i in learned], config.batch, seed=config.seed, epoch=epoch
    )
    for number, batch in enumerate(batches, start=1):
        chosen = learned[list(batch)]
        ids, lengths = _padded([rows[i] for i in chosen])
        hidden = (torch.rand(ids.shape, generator=chance) < config.forget) & (ids != PAD)
        logits = network(ids.masked_fill(hidden, UNKNOWN), lengths, drop)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if told:
            told(number / len(batches))


@torch.inference_mode()
def _loss(network: LstmNetwork, rows: list[list[int]], labels: Tensor, held: np.ndarray) -> float:
    network.eval()
    total = 0.0
    for batch in sorted_batches([len(rows[i]) for i in held], 128):
        chosen = held[list(batch)]
        logits = network(*_padded([rows[i] for i in chosen]))
        total += float(
            nn.functional.binary_cross_entropy_with_logits(logits, labels[chosen], reduction="sum")
        )
    return total / max(1, len(held))


def _padded(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    """(B, T) ids and (B,) lengths."""
    lengths = torch.tensor([len(row) for row in rows])
    ids = nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD
    )
    return ids, lengths
