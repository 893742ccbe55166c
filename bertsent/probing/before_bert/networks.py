"""Word vectors in, one logit out: four small networks that differ in what they read in which order.

LSTMs of two layers (Hochreiter and Schmidhuber 1997) answer from where they stop: at the last word,
or, from right to left, at the first. With a single layer an LSTM that reads both ways is nothing
but two one-way LSTMs side by side; from the second layer on its directions see each other, while
those of ELMo (Peters et al. 2018) stay apart up to the end. The convolutional network is that of
Kim (2014): filters over some words at a time, the largest match of each.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from bertsent.probing.baselines.lstm import PAD, LstmConfig

LEFT, BOTH, JOINED, CNN = "left", "both", "joined", "cnn"
LAYERS = 2  # of each LSTM
WIDTHS, FILTERS = (2, 3, 4), 16  # words that a filter spans, and how many there are of each
Drop = Callable[[Tensor], Tensor]


class LastStates(nn.Module):
    """(B, T, vectors) and lengths in; the state in which each reading ends, (B, width), out.

    Args:
        kind: left to right only, both ways in every layer, or two one-way LSTMs joined.
    """

    def __init__(self, kind: str, config: LstmConfig) -> None:
        super().__init__()
        size, hidden = config.embedding_size, config.hidden_size
        two_way = kind == BOTH
        self.onward = nn.LSTM(size, hidden, LAYERS, batch_first=True, bidirectional=two_way)
        self.backward_only = (
            nn.LSTM(size, hidden, LAYERS, batch_first=True) if kind == JOINED else None
        )
        self.width = hidden if kind == LEFT else 2 * hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        ends = _ends(self.onward, vectors, lengths)
        if self.backward_only is None:
            return ends
        back = _ends(self.backward_only, _reversed(vectors, lengths), lengths)
        return torch.cat([ends, back], dim=-1)

    def states(self, vectors: Tensor) -> Tensor:
        """(T, width): the last layer at each word of one text (T, vectors)."""
        onward = self.onward(vectors)[0]
        if self.backward_only is None:
            return onward
        return torch.cat([onward, self.backward_only(vectors.flip(0))[0].flip(0)], dim=-1)


class WordFilters(nn.Module):
    """(B, T, vectors) and lengths in; the largest match of each filter, (B, width), out. A filter
    spans whole vectors: 2, 3 or 4 words times all their numbers.
    """

    def __init__(self, config: LstmConfig) -> None:
        super().__init__()
        self.filters = nn.ModuleList(
            nn.Conv1d(config.embedding_size, FILTERS, width) for width in WIDTHS
        )
        self.width = FILTERS * len(WIDTHS)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        return torch.cat([found.amax(dim=-1) for found in self.maps(vectors, lengths)], dim=-1)

    def maps(self, vectors: Tensor, lengths: Tensor) -> list[Tensor]:
        """For each width the matches at every place, at least 0: (B, filters, places). Texts that
        are shorter than the filters are filled up with vectors of zeros.
        """
        room = max(WIDTHS) - vectors.shape[1]
        columns = nn.functional.pad(vectors, (0, 0, 0, max(0, room))).transpose(1, 2)
        found = []
        for width, convolution in zip(WIDTHS, self.filters, strict=True):
            matches = convolution(columns).relu()
            last = (lengths - width).clamp(min=0)[:, None, None]
            beyond = torch.arange(matches.shape[-1]) > last
            found.append(matches.masked_fill(beyond, 0.0))  # as small as any match can be
        return found


class WordNetwork(nn.Module):
    """(B, T) word ids and (B,) lengths in, (B,) logits of positive out."""

    def __init__(self, kind: str, words: int, config: LstmConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, config.embedding_size, padding_idx=PAD)
        self.body: LastStates | WordFilters = (
            WordFilters(config) if kind == CNN else LastStates(kind, config)
        )
        self.head = nn.Linear(self.body.width, 1)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights from ``generator``; the forget gates are open at first."""
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.zero_()
                    if "bias_ih" in name:
                        weight[len(weight) // 4 : len(weight) // 2] = 1.0
                elif name.startswith("embedding"):
                    weight.normal_(0, 0.3, generator=generator)[PAD] = 0
                else:
                    reach = weight[0].numel() ** -0.5
                    weight.uniform_(-reach, reach, generator=generator)

    def forward(self, ids: Tensor, lengths: Tensor, drop: Drop | None = None) -> Tensor:
        vectors = self.embedding(ids)
        return self.answer(drop(vectors) if drop else vectors, lengths, drop)

    def answer(self, vectors: Tensor, lengths: Tensor, drop: Drop | None = None) -> Tensor:
        """(B,) logits of word vectors (B, T, vectors)."""
        features = self.body(vectors, lengths)
        return self.head(drop(features) if drop else features).squeeze(-1)


def _ends(lstm: nn.LSTM, vectors: Tensor, lengths: Tensor) -> Tensor:
    """(B, width): the last layer's state after the last word, and, where it reads both ways, after
    the first one from the right.
    """
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    ends = lstm(packed)[1][0]  # layers · directions, B, hidden
    return torch.cat(list(ends[-2:] if lstm.bidirectional else ends[-1:]), dim=-1)


def _reversed(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Each text from its last word to its first; the padding stays behind."""
    places = torch.arange(vectors.shape[1])[None]
    back = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    return vectors.gather(1, back[..., None].expand_as(vectors))
