"""A review and the CNN in, what each of its filters found there out: the best-matching words, the
match, and what it adds to the answer.

After the maximum over places everything is a sum: logit = Σ weight · match + bias. So the answer
can be taken apart filter by filter without any approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from scipy.special import expit

from bertsent.probing.baselines.lstm import LONGEST, split_words
from bertsent.probing.before_bert.networks import FILTERS, WIDTHS, WordFilters
from bertsent.probing.before_bert.reach import review_words
from bertsent.probing.before_bert.word_reader import WordReader

LISTED = 3  # best matches of a filter in other reviews


@dataclass(frozen=True)
class FilterMatches:
    """The CNN on one review: ``maps`` has for each filter its matches at every place, (places,);
    ``rows`` one row a filter, the strongest contribution first: filter (from 1), spans, place (from
    0, of the first word; -1 where it matches nothing), words, match, weight, contribution.
    """

    words: tuple[str, ...]
    maps: tuple[np.ndarray, ...]
    rows: pd.DataFrame
    bias: float
    logit: float

    @property
    def p_positive(self) -> float:
        """P(positive)."""
        return float(expit(self.logit))

    def places(self, number: int) -> list[str]:
        """The words that a filter, from 1, stands on at each place."""
        spans = width_of(number)
        return [
            " ".join(self.words[start : start + spans])
            for start in range(len(self.maps[number - 1]))
        ]


def filter_matches(reader: WordReader, text: str) -> FilterMatches:
    """What the filters of the CNN find in a review.

    Raises:
        BadInput: there is no word.
    """
    words = review_words(text)[:LONGEST]
    maps = _maps(reader, words)
    weights = reader.network.head.weight[0].detach().double().numpy()
    bias = reader.network.head.bias.item()
    rows = pd.DataFrame(
        [
            (number, width_of(number), *_best(words, matches, width_of(number)))
            for number, matches in enumerate(maps, start=1)
        ],
        columns=["filter", "spans", "place", "words", "match"],
    )
    rows["weight"] = weights
    rows["contribution"] = rows["weight"] * rows["match"]
    logit = float(rows["contribution"].sum() + bias)
    rows = rows.sort_values("contribution", key=np.abs, ascending=False, kind="stable")
    return FilterMatches(words, tuple(maps), rows.reset_index(drop=True), bias, logit)


def width_of(number: int) -> int:
    """How many words filter ``number``, from 1, spans."""
    return WIDTHS[(number - 1) // FILTERS]


def matches_sentence(found: FilterMatches) -> str:
    """Which filters decided, and that their sum is the answer."""
    strongest = [row for row in found.rows.itertuples() if row.contribution][:2]
    silent = int((found.rows["match"] == 0).sum())
    said = " and ".join(
        f"filter {row.filter} on “{row.words}” ({row.contribution:+.2f})" for row in strongest
    ).replace("-", "\N{MINUS SIGN}")
    decided = f"Most is added by {said}. " if strongest else ""
    others = f"{silent} of {len(found.rows)} filters match nothing here. " if silent else ""
    logit = f"{found.logit:+.2f}".replace("-", "\N{MINUS SIGN}")
    return (
        f"{decided}{others}All contributions and the bias add up to the logit {logit}: "
        f"P(positive) = {100 * found.p_positive:.1f} %."
    )


def best_matches(reader: WordReader, texts: Sequence[str], number: int) -> pd.DataFrame:
    """Where a filter, from 1, matches best in other texts: match, words, text; the same words are
    listed once.
    """
    spans, rows = width_of(number), []
    for text in texts:
        words = split_words(text)[:LONGEST]
        if words:
            place, phrase, match = _best(words, _maps(reader, words)[number - 1], spans)
            if place >= 0:
                rows.append((match, phrase.lower(), text))
    table = pd.DataFrame(rows, columns=["match", "words", "text"])
    table = table.sort_values("match", ascending=False, kind="stable").drop_duplicates("words")
    return table.head(LISTED).reset_index(drop=True)


@torch.inference_mode()
def _maps(reader: WordReader, words: Sequence[str]) -> list[np.ndarray]:
    """(places,) for each filter."""
    body = reader.network.body
    assert isinstance(body, WordFilters)
    found = body.maps(reader.vectors(words)[None], torch.tensor([len(words)]))
    places = [max(1, len(words) - width + 1) for width in WIDTHS]
    return [
        row[:last].double().numpy()
        for group, last in zip(found, places, strict=True)
        for row in group[0]
    ]


def _best(words: Sequence[str], matches: np.ndarray, spans: int) -> tuple[int, str, float]:
    """Place, words and match; place -1 and no words where nothing matches."""
    place = int(matches.argmax())
    if not matches[place]:
        return -1, "", 0.0
    return place, " ".join(words[place : place + spans]), float(matches[place])
