"""Two reviews and a model in, what their difference does to the answer out: word by word, head by
head.

The attribution of a word is how much P(positive) falls when the word is left out (Li, Monroe and
Jurafsky 2016, "Understanding Neural Networks through Representation Erasure"), as in
``bertsent.probing.attribution.units``; attention is read from [CLS] or from a word that
both texts have (Vaswani et al. 2017). Each text is asked by itself, so that equal texts differ by
exactly nothing and swapped ones by exactly the opposite.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.spatial.distance import euclidean, pdist

from bertsent.data.cleaning import clean_text, shorten
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.probing.attribution.units import positive_probabilities
from bertsent.probing.heads.attention_maps import AttentionMaps, ranked_heads
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.pairs.alignment import AlignmentRow, Word, align, words_of
from bertsent.progress import Progress, no_progress, part

Head = tuple[int, int] | None  # layer and head from 0; None: the mean of all
SIDES = ("first", "second")


@dataclass(frozen=True)
class PairSide:
    """One text as one model sees it."""

    text: str
    words: tuple[Word, ...]
    p_positive: float
    attribution: np.ndarray  # (W,) P(positive) of the text minus that without the word
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
        rows = self.maps.weights[:, :, [0] if source is None else self.owner == source]
        member = self.owner[:, None] == np.arange(len(self.words))  # (T, W)
        # a word that was cut off has no rows, and no attention
        return rows.sum(axis=2, dtype=np.float64) / max(1, rows.shape[2]) @ member


@dataclass(frozen=True)
class PairComparison:
    """Two texts side by side. Differences are second minus first."""

    first: PairSide
    second: PairSide

    @property
    def difference(self) -> float:
        """How much higher P(positive) of the second is."""
        return self.second.p_positive - self.first.p_positive

    @property
    def turns(self) -> bool:
        """Whether the two get different labels."""
        return self.first.label != self.second.label

    @cached_property
    def rows(self) -> tuple[AlignmentRow, ...]:
        first, second = ([word.text for word in side.words] for side in (self.first, self.second))
        return align(first, second)

    @property
    def shared(self) -> tuple[AlignmentRow, ...]:
        """The words that both texts have."""
        return tuple(row for row in self.rows if row.kind == "same")

    def sentence(self) -> str:
        """How many words change, and what that does to P(positive)."""
        same = len(self.shared)
        changes = len(self.rows) - same
        if not changes:
            return (
                "The texts differ only in their spaces."
                if self.difference
                else "The two texts have the same words: nothing differs."
            )
        first, second = self.first.p_positive, self.second.p_positive
        return (
            f"{changes} change{'' if changes == 1 else 's'}, {same} words stay: P(positive) goes "
            f"from {100 * first:.1f} % to {100 * second:.1f} %, {100 * self.difference:+.1f} "
            f"points. The answer {'changes' if self.turns else 'stays the same'}."
        )

    def attention_difference(self, source: AlignmentRow | None = None) -> np.ndarray:
        """(L, H, R): for each row of the alignment how much more of its attention the source gives
        there in the second text.

        NaN where a row has a word in one text only. ``source`` is a row that has a word in both;
        None: [CLS].
        """
        first, second = self._attention(source)
        return second - first

    def most_changed_head(self, source: AlignmentRow | None = None) -> tuple[int, int]:
        """Layer and head, from 0, whose attention differs most, added up over the rows."""
        return ranked_heads(np.nansum(np.abs(self.attention_difference(source)), axis=2))[0]

    def frame(self, source: AlignmentRow | None = None, head: Head = None) -> pd.DataFrame:
        """One row of the alignment each: words, kind of change, attribution and attention of
        both and their difference.
        """
        table: dict[str, object] = {}
        for side, name in zip((self.first, self.second), SIDES, strict=True):
            places = [getattr(row, name) for row in self.rows]
            table[name] = ["" if at is None else side.words[at].text for at in places]
        added = self._spread(self.first.attribution, self.second.attribution)
        read = [
            weights.mean(axis=(0, 1)) if head is None else weights[head]
            for weights in self._attention(source)
        ]
        table["change"] = [row.kind for row in self.rows]
        for what, (a, b) in (("attribution", added), ("attention", read)):
            table |= {f"{what}_first": a, f"{what}_second": b, f"{what}_difference": b - a}
        return pd.DataFrame(table)

    def _attention(self, source: AlignmentRow | None) -> list[np.ndarray]:
        """(L, H, R) of both sides, spread over the rows of the alignment."""
        first, second = (None, None) if source is None else (source.first, source.second)
        return self._spread(self.first.attention(first), self.second.attention(second))

    def _spread(self, *both: np.ndarray) -> list[np.ndarray]:
        """(…, W) of each side as (…, R), NaN where a row has no word of it."""
        found = []
        for name, values in zip(SIDES, both, strict=True):
            padded = np.insert(values, values.shape[-1], np.nan, axis=-1)
            places = [getattr(row, name) for row in self.rows]
            found.append(padded[..., [-1 if place is None else place for place in places]])
        return found


def probe_side(model: LoadedModel, text: str, *, progress: Progress = no_progress) -> PairSide:
    """One text by itself: its answer, the attribution of every word, its attention, its vector.

    Args:
        model: the model that answers.
        text: cleaned before it is read.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word.
        NotAvailable: the model has no trained head.
    """
    text = clean_text(text)
    words = words_of(text)
    BadInput.raise_if(
        not words, "There is no word in one of the two texts.", "Type at least one in each."
    )
    tokens, spans = model.tokens(text), model.tokenizer.spans(text, model.max_length)
    owner = _owners(words, spans)
    p = float(model.probabilities([text])[0, 1])
    read = np.unique(owner[owner >= 0])
    attribution = np.zeros(len(words))  # of words that are not read: none
    rows = [
        [value for value, own in zip(tokens.ids, owner, strict=True) if own != word]
        for word in read
    ]
    attribution[read] = p - positive_probabilities(model, rows, progress=progress)
    cut = bool(len(spans) == model.max_length and read.size and read[-1] < len(words) - 1)
    vector = model.embed([text], pooling=model.pooling)[0]
    return PairSide(text, words, p, attribution, owner, model.attend(text), vector, cut)


def compare_pair(
    model: LoadedModel, first: str, second: str, *, progress: Progress = no_progress
) -> PairComparison:
    """Two texts side by side.

    Raises:
        BadInput: one of them has no word.
        NotAvailable: the model has no trained head.
    """
    one = probe_side(model, first, progress=part(progress, 0.0, 0.5))
    if first == second:
        return PairComparison(one, one)
    return PairComparison(one, probe_side(model, second, progress=part(progress, 0.5, 1.0)))


def largest_change_sentence(table: pd.DataFrame, source: str) -> str:
    """Which unchanged word's attribution, and which row's attention, differ most.

    Args:
        table: ``PairComparison.frame``.
        source: what the attention is read from, in words.
    """
    said = []
    same = table[table["change"] == "same"]
    if len(same) and same["attribution_difference"].abs().max() > 0:
        row = same.loc[same["attribution_difference"].abs().idxmax()]
        said.append(
            f"Of the words that stay, the attribution of “{shorten(row['first'], 20)}” changes "
            f"most: by {row['attribution_difference']:+.3f}."
        )
    if table["attention_difference"].abs().max() > 0:
        row = table.loc[table["attention_difference"].abs().idxmax()]
        words = dict.fromkeys((row["first"], row["second"]))
        said.append(
            f"Attention from {source} changes most at “{shorten(' → '.join(words), 40)}”: by "
            f"{100 * row['attention_difference']:+.1f} points."
        )
    return " ".join(said) or "Nothing differs."


def distance_sentence(pair: PairComparison, vectors: np.ndarray) -> str:
    """How far apart the vectors of both texts are, beside those of other reviews, (n, width)."""
    return (
        f"The two texts are {euclidean(pair.first.vector, pair.second.vector):.2f} apart in all "
        f"dimensions; two of {len(vectors):,} reviews are {np.median(pdist(vectors)):.2f} apart in "
        "the median."
    )


def _owners(words: tuple[Word, ...], spans: tuple[tuple[int, int], ...]) -> np.ndarray:
    """(T,): the word in which each token begins; -1 for a token that stands for no character."""
    start, end = np.array(spans).T
    places = np.searchsorted([word.end for word in words], start, side="right")
    return np.where(end > start, np.minimum(places, len(words) - 1), -1)
