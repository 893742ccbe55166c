"""How often the heads of pretraining are right: measured on held-out texts when they were made,
read from the ``scores.csv`` beside them.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bertsent.errors import NotAvailable
from bertsent.statistics import Interval

SCORES_FILE = "scores.csv"
COLUMNS = ("set", "model", "metric", "n", "value", "low", "high")
WITH_HEAD, WITHOUT, COUNTS = "with the head", "without", "word counts"
TOP_1, TOP_10, PERPLEXITY, NEXT = "top 1", "top 10", "perplexity", "next sentence"


@dataclass(frozen=True)
class WordScore:
    """A share of right answers to ``n`` questions from the set ``of``, with its interval."""

    of: str
    n: int
    value: float
    interval: Interval

    def written(self) -> str:
        """“45.6 % (44.0 to 47.2)”."""
        low, high = self.interval
        return f"{100 * self.value:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def word_scores(folder: Path, metric: str) -> list[WordScore]:
    """One score of the heads for each set that has this metric; none where they were not measured.

    Args:
        folder: of the heads.
        metric: ``TOP_1``, ``TOP_10`` or ``NEXT``.

    Raises:
        NotAvailable: the file is damaged.
    """
    path = folder / SCORES_FILE
    if not path.is_file():
        return []
    try:
        table = pd.read_csv(path)
        rows = table[(table["metric"] == metric) & (table["model"] == WITH_HEAD)]
        return [
            WordScore(row.set, int(row.n), float(row.value), (float(row.low), float(row.high)))
            for row in rows.itertuples()
        ]
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise NotAvailable(
            f"The scores in {path.name} of the language-model heads are damaged.",
            "Get assets/models/words of the repository again.",
        ) from error


def guesses_sentence(folder: Path) -> str:
    """How often the true word is the likeliest, and among ten; empty where it was not measured."""
    first, ten = word_scores(folder, TOP_1), word_scores(folder, TOP_10)
    said = (
        f"{one.of}: likeliest {one.written()}, among ten {other.written()}, of {one.n:,} words"
        for one, other in zip(first, ten, strict=False)
    )
    listed = "; ".join(said)
    return (
        f"How often the true word is found in texts not learned from. {listed}." if listed else ""
    )


def next_sentence_sentence(folder: Path) -> str:
    """How often neighbours and random pairs are told apart; empty where it was not measured."""
    return " ".join(
        f"{score.of}: {score.written()} of {score.n:,} pairs are told apart, half of them "
        "neighbours; guessing gets 50 %."
        for score in word_scores(folder, NEXT)
    )
