"""A review and a model in, the units that can be left out of it and the answers to what remains
out.

A unit is a whole word or a word piece. What is left out is taken from the token ids that the model
reads, so nothing else changes: the rest keeps its order, closes the gap, and no word that was cut
off slips in. Leave-one-out (Zeiler and Fergus 2014; Li et al. 2016) leaves every unit out once.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.pairs.alignment import words_of
from bertsent.progress import Progress, no_progress

UnitKind = Literal["words", "pieces"]
JOINS = frozenset("'’-")


@dataclass(frozen=True)
class Unit:
    """A word or word piece: ``text[start:end]`` of the review, and its positions among the
    tokens.
    """

    text: str
    start: int
    end: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class SegmentedReview:
    """What a model reads of a review: its token ids with [CLS] and [SEP], and its units in order.

    ``text`` is the clean review up to where the model stops reading; ``cut`` says that there was
    more.
    """

    text: str
    ids: tuple[int, ...]
    units: tuple[Unit, ...]
    cut: bool

    def without(self, units: Iterable[int]) -> tuple[int, ...]:
        """The token ids with these units left out."""
        gone = {token for unit in units for token in self.units[unit].tokens}
        return tuple(value for token, value in enumerate(self.ids) if token not in gone)

    def per_unit(self, values: np.ndarray) -> np.ndarray:
        """Values of tokens, (T,) or (..., T), summed over the tokens of each unit: (..., units)."""
        table = np.zeros((len(self.ids), len(self.units)))
        for number, unit in enumerate(self.units):
            table[list(unit.tokens), number] = 1
        return np.asarray(values, np.float64) @ table


@dataclass(frozen=True)
class LeaveOneOut:
    """``p_positive`` of the review, and ``added`` (n,): what each of ``units`` adds to it, which is
    P(positive) of the review minus that of the review without the unit; above 0 where the unit
    speaks for a positive review.
    """

    p_positive: float
    units: tuple[int, ...]
    added: np.ndarray


def segment_review(model: LoadedModel, text: str, by: UnitKind = "words") -> SegmentedReview:
    """The clean review as the model reads it, in whole words ("isn't" and "well-made" are one each)
    or in word pieces.

    Raises:
        BadInput: there is no word that the model can read.
    """
    text = clean_text(text)
    tokens, spans = model.tokens(text), model.tokenizer.spans(text, model.max_length)
    real = [place for place, special in enumerate(tokens.special) if not special]
    BadInput.raise_if(not real, "The model finds no word in this review.", "Type a longer review.")
    end = max(spans[place][1] for place in real)
    units = (
        tuple(Unit(tokens.pieces[place], *spans[place], (place,)) for place in real)
        if by == "pieces"
        else _words(text, real, spans, tokens.words)
    )
    cut = len(tokens) == model.max_length and bool(text[end:].strip())
    return SegmentedReview(text[:end], tokens.ids, units, cut)


def _words(
    text: str, real: list[int], spans: Sequence[tuple[int, int]], numbers: Sequence[int | None]
) -> tuple[Unit, ...]:
    """Tokens grouped by the tokenizer's words; what an apostrophe or a hyphen joins is one word."""
    joined = (word for word in words_of(text) if JOINS & set(word.text) and len(word.text) > 1)
    joint = {place: word.start for word in joined for place in range(word.start, word.end)}
    groups: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for place in real:
        start = spans[place][0]
        name = ("joined", joint[start]) if start in joint else ("one", numbers[place])
        groups[name].append(place)
    bounds = [(spans[places[0]][0], spans[places[-1]][1], places) for places in groups.values()]
    return tuple(Unit(text[start:end], start, end, tuple(places)) for start, end, places in bounds)


def leave_one_out(
    model: LoadedModel,
    review: SegmentedReview,
    units: Sequence[int],
    *,
    progress: Progress = no_progress,
) -> LeaveOneOut:
    """Leave each of ``units`` out once.

    Raises:
        NotAvailable: this model has no trained head.
    """
    whole, *left = positive_probabilities(
        model, [review.ids, *(review.without([unit]) for unit in units)], progress=progress
    )
    return LeaveOneOut(float(whole), tuple(units), whole - np.array(left))


def positive_probabilities(
    model: LoadedModel, rows: Sequence[Sequence[int]], *, progress: Progress = no_progress
) -> np.ndarray:
    """P(positive) of each row of token ids, (n,) float64; equal rows are asked once.

    Raises:
        NotAvailable: this model has no trained head.
    """
    different = list(dict.fromkeys(tuple(row) for row in rows))
    logits = model.logits_of_ids(different, progress=progress).astype(np.float64)
    found = dict(zip(different, expit(logits[:, 1] - logits[:, 0]), strict=True))
    return np.array([found[tuple(row)] for row in rows], np.float64)


def coverage_sentence(
    model: LoadedModel,
    review: SegmentedReview,
    by: UnitKind,
    drawn: tuple[int, int],
    compared: tuple[int, int],
) -> str:
    """How many units the review has, and which of them are drawn and compared."""
    units = len(review.units)
    said = (
        f"{model.name} · {units:,} {'words and marks' if by == 'words' else 'word pieces'}.",
        f"Drawn as bars: {drawn[0] + 1} to {drawn[1]}." if drawn != (0, units) else "",
        f"Compared with each other: {compared[0] + 1} to {compared[1]}; the model always reads all "
        f"{units:,}."
        if compared != (0, units)
        else "",
        f"The review is longer, but this model reads at most {model.max_length} tokens."
        if review.cut
        else "",
    )
    return " ".join(filter(None, said))
