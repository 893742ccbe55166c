"""Two reviews and a model in, what the difference does to the answer out: word by word, head by
head.

The evidence of a word is how much P(positive) falls when the word is left out (Li, Monroe and
Jurafsky 2016, "Understanding Neural
Networks through Representation Erasure"), as in ``bertsent.probing.attribution.leave_one_out``; attention is
read from [CLS] or from a word that
both texts have (Vaswani et al. 2017).
Each text is looked at by itself, so that equal texts differ by exactly nothing and swapped ones by
exactly the opposite.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.probing.attribution.units import positive_probabilities
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.pairs.alignment import AlignmentRow, Word, align, words_of

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

Progress = Callable[[float], None]
Head = tuple[int, int] | None  # layer and head from 0; None: the mean of all
SIDES = ("first", "second")


@dataclass(frozen=True)
class PairSide:
    """One text as one model sees it."""

    text: str
    words: tuple[Word, ...]
    p_positive: float
    evidence: np.ndarray  # (W,) P(positive) of the text minus that without the word
    owner: np.ndarray  # (T,) the word that each token belongs to, -1 for [CLS] and [SEP]
    maps: AttentionMaps
    vector: np.ndarray  # (width,) pooled as the model pools
    cut: bool  # whether words at the end were not read

    @property
    def label(self) -> str:
        return LABELS[int(self.p_positive > 0.5)]

    def attention(self, source: int | None = None) -> np.ndarray:
        """(L, H, W): the share that ``source`` gives to every word in each head. None: [CLS].

        A word's pieces give their mean and take their sum; what [CLS] and [SEP] take is left out,
        so a row sums to at most 1.
        """
        rows = (
            self.maps.weights[:, :, [0]]
            if source is None
            else self.maps.weights[:, :, self.owner == source]
        )
        if not rows.shape[2]:  # a word that was cut off looks at nothing
            return np.zeros((self.maps.layers, self.maps.heads, len(self.words)))
        member = self.owner[:, None] == np.arange(len(self.words))  # (T, W)
        return rows.mean(axis=2, dtype=np.float64) @ member


@dataclass(frozen=True)
class PairComparison:
    """Two texts side by side. Differences are second minus first."""

    first: PairSide
    second: PairSide

    @property
    def swapped(self) -> "PairComparison":
        return PairComparison(self.second, self.first)

    @property
    def difference(self) -> float:
        """How much higher P(positive) of the second is."""
        return self.second.p_positive - self.first.p_positive

    @property
    def turns(self) -> bool:
        """Whether the two get different labels."""
        return self.first.label != self.second.label

    @cached_property
    def steps(self) -> tuple[AlignmentRow, ...]:
        return align(
            [word.text for word in self.first.words], [word.text for word in self.second.words]
        )

    @property
    def shared(self) -> tuple[AlignmentRow, ...]:
        """The words that both texts have."""
        return tuple(step for step in self.steps if step.kind == "same")

    def attention_difference(self, source: AlignmentRow | None = None) -> np.ndarray:
        """(L, H, R): for each row of the alignment how much more of its attention the source gives
        there in the second text.

        NaN where a row has a word in one text only. ``source`` is a row that has a word in both;
        None: [CLS].
        """
        taken = self._taken(source)
        return taken[1] - taken[0]

    def most_changed_head(self, source: AlignmentRow | None = None) -> tuple[int, int]:
        """Layer and head, from 0, whose attention differs most, added up over the rows."""
        total = np.nansum(np.abs(self.attention_difference(source)), axis=2)
        layer, head = np.unravel_index(int(total.argmax()), total.shape)
        return int(layer), int(head)

    def frame(self, source: AlignmentRow | None = None, head: Head = None) -> pd.DataFrame:
        """One row of the alignment each: the words, the kind of change, evidence and attention of
        both and their difference.
        """
        rows: dict[str, object] = {}
        for side, name in ((self.first, "first"), (self.second, "second")):
            places = [getattr(step, name) for step in self.steps]
            rows[name] = ["" if at is None else side.words[at].text for at in places]
        rows["change"] = [step.kind for step in self.steps]
        evidence = [
            self._spread(i, side.evidence) for i, side in enumerate((self.first, self.second))
        ]
        taken = [
            chosen.mean(axis=(0, 1)) if head is None else chosen[head]
            for chosen in self._taken(source)
        ]
        for what, (a, b) in (("evidence", evidence), ("attention", taken)):
            rows |= {f"{what}_first": a, f"{what}_second": b, f"{what}_difference": b - a}
        return pd.DataFrame(rows)

    def _taken(self, source: AlignmentRow | None) -> tuple[np.ndarray, np.ndarray]:
        """(L, H, R) of both sides, spread over the rows of the alignment."""
        if source is not None and (
            source not in self.steps or None in (source.first, source.second)
        ):
            raise BadInput("That word is not in both texts.", "Choose one that is.")
        at = (None, None) if source is None else (source.first, source.second)
        return tuple(
            self._spread(i, side.attention(at[i]))
            for i, side in enumerate((self.first, self.second))
        )

    def _spread(self, which: int, values: np.ndarray) -> np.ndarray:
        """(…, W) of one side as (…, R), NaN where it has no word."""
        places = [getattr(step, SIDES[which]) for step in self.steps]
        out = np.full((*values.shape[:-1], len(places)), np.nan)
        known = [row for row, at in enumerate(places) if at is not None]
        out[..., known] = values[..., [places[row] for row in known]]
        return out


def probe_side(learner: "LoadedModel", text: str, *, progress: Progress | None = None) -> PairSide:
    """One text by itself: its answer, the evidence of every word, its attention, its vector.

    Args:
        progress: told a fraction; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word.
        NotAvailable: the model has no trained head.
    """
    text = clean_text(text)
    words = words_of(text)
    if not words:
        raise BadInput("There is no word in one of the two texts.", "Type at least one in each.")
    tokens, spans = learner.tokens(text), learner.tokenizer.spans(text, learner.max_length)
    owner = _owners(words, spans)
    p = float(learner.probabilities([text])[0, 1])
    read = np.unique(owner[owner >= 0])
    evidence = np.zeros(len(words))  # of words that are not read: none
    rows = [
        [value for value, own in zip(tokens.ids, owner, strict=True) if own != word]
        for word in read
    ]
    if rows:
        evidence[read] = p - positive_probabilities(learner, rows, progress=progress)
    cut = bool(len(spans) == learner.max_length and read.size and read[-1] < len(words) - 1)
    vector = learner.embed([text], pooling=learner.pooling)[0]
    return PairSide(text, words, p, evidence, owner, learner.attend(text), vector, cut)


def compare_pair(
    learner: "LoadedModel", first: str, second: str, *, progress: Progress | None = None
) -> PairComparison:
    """Two texts side by side.

    Raises:
        BadInput: one of them has no word.
        NotAvailable: the model has no trained head.
    """
    halves = [progress and (lambda part, i=i: progress((i + part) / 2)) for i in (0, 1)]
    one = probe_side(learner, first, progress=halves[0])
    return PairComparison(
        one, one if first == second else probe_side(learner, second, progress=halves[1])
    )


def _owners(words: tuple[Word, ...], spans: tuple[tuple[int, int], ...]) -> np.ndarray:
    """(T,): the word in which each token begins; -1 for a token that stands for no character."""
    ends = np.array([word.end for word in words])
    places = np.array(
        [min(int(np.searchsorted(ends, start, side="right")), len(words) - 1) for start, _ in spans]
    )
    return np.where([end > start for start, end in spans], places, -1)
