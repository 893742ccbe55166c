"""A review and a model in, the units that can be left out of it and the answers to what remains
out.

A unit is a whole word or a word piece. What is left out is taken from the token ids that the model
reads, so nothing else changes: the rest keeps its order, closes the gap, and no word that was cut
off slips in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import expit

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput, NotAvailable
from bertsent.probing.pairs.alignment import words_of
from bertsent.progress import Progress

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

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

    def text_without(self, unit: int) -> str:
        """The review with one whole word left out, for people and for ``predict``."""
        return close_gap(self.text[: self.units[unit].start], self.text[self.units[unit].end :])

    def per_unit(self, values: np.ndarray) -> np.ndarray:
        """Values of tokens, (T,) or (..., T), summed over the tokens of each unit: (..., units)."""
        table = np.zeros((len(self.ids), len(self.units)))
        for number, unit in enumerate(self.units):
            table[list(unit.tokens), number] = 1
        return np.asarray(values, np.float64) @ table


def close_gap(left: str, right: str) -> str:
    """Two pieces of text with one space in between at the most, and one where two words would grow
    together.
    """
    left, blank, right = left.rstrip(), left[-1:].isspace() or right[:1].isspace(), right.lstrip()
    grow = left[-1:].isalnum() and right[:1].isalnum()
    return f"{left} {right}".strip() if blank or grow else left + right


def segment_review(model: "LoadedModel", text: str, by: UnitKind = "words") -> SegmentedReview:
    """The clean review as the model reads it, in whole words ("isn't" and "well-made" are one each)
    or in word pieces.

    Raises:
        BadInput: there is no word that the model can read, or no such kind of unit.
    """
    if by not in ("words", "pieces"):
        raise BadInput(f"A review has no “{by}”.", "Choose words or pieces.")
    text = clean_text(text)
    tokens, spans = model.tokens(text), model.tokenizer.spans(text, model.max_length)
    real = [place for place, special in enumerate(tokens.special) if not special]
    if not real:
        raise BadInput("The model finds no word in this review.", "Type a longer review.")
    end = max(spans[place][1] for place in real)
    if by == "pieces":
        units = tuple(Unit(tokens.pieces[place], *spans[place], (place,)) for place in real)
    else:
        units = _words(text, real, spans, tokens.words)
    cut = len(tokens) == model.max_length and bool(text[end:].strip())
    return SegmentedReview(text[:end], tokens.ids, units, cut)


def _words(
    text: str, real: list[int], spans: Sequence[tuple[int, int]], numbers: Sequence[int | None]
) -> tuple[Unit, ...]:
    """Tokens grouped by the tokenizer's words; what an apostrophe or a hyphen joins is one word."""
    joint: dict[int, int] = {}
    for number, word in enumerate(words_of(text)):
        if JOINS & set(word.text) and word.end - word.start > 1:
            joint |= dict.fromkeys(range(word.start, word.end), number)
    groups: dict[tuple[str, int | None], list[int]] = {}
    for place in real:
        start = spans[place][0]
        name = ("joined", joint[start]) if start in joint else ("one", numbers[place])
        groups.setdefault(name, []).append(place)
    bounds = [(spans[places[0]][0], spans[places[-1]][1], places) for places in groups.values()]
    return tuple(Unit(text[start:end], start, end, tuple(places)) for start, end, places in bounds)


def positive_probabilities(
    model: "LoadedModel", rows: Sequence[Sequence[int]], *, progress: Progress | None = None
) -> np.ndarray:
    """P(positive) of each row of token ids, (n,) float64; equal rows are asked once.

    Raises:
        NotAvailable: this model has no trained head.
    """
    require_sentiment(model)
    different = list(dict.fromkeys(tuple(row) for row in rows))
    logits = model.logits_of_ids(different, progress=progress).astype(np.float64)
    found = dict(zip(different, expit(logits[:, 1] - logits[:, 0]), strict=True))
    return np.array([found[tuple(row)] for row in rows], np.float64)


def require_sentiment(model: "LoadedModel") -> None:
    """Raise ``NotAvailable`` when the model was not trained to answer."""
    if "sentiment" not in model.gives:
        raise NotAvailable(
            f"{model.name} was not fine-tuned: it has no opinion on reviews.",
            "Choose a fine-tuned model.",
        )


def coverage_sentence(
    model: "LoadedModel",
    review: SegmentedReview,
    by: UnitKind,
    drawn: tuple[int, int],
    compared: tuple[int, int],
) -> str:
    """How many units the review has, and which of them are drawn and compared."""
    units = len(review.units)
    said = [f"{model.name} · {units:,} {'words and marks' if by == 'words' else 'word pieces'}."]
    if drawn != (0, units):
        said.append(f"Drawn: {drawn[0] + 1} to {drawn[1]}.")
    if compared != (0, units):
        said.append(
            f"Compared with each other: {compared[0] + 1} to {compared[1]}; the model always reads "
            f"all {units:,}."
        )
    if review.cut:
        said.append(
            f"The review is longer, but this model reads at most {model.max_length} tokens."
        )
    return " ".join(said)
