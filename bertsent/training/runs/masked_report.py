"""Losses and ranks of drawn words in, the report of a run that learned masked words out."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.tasks.masked_words import FEW, MASKED_WORDS

_RANKS = (("1", 1), (f"2 to {FEW}", FEW), (f"{FEW + 1} to 100", 100), ("above 100", math.inf))


@dataclass(frozen=True)
class MaskedReport:
    """How a model filled in the words that were drawn from the validation texts.

    ``table`` has a row for each stretch of ranks of the true word: rank, words, share; ``answers``
    one row a text, the hardest first: id, text, words (that were drawn), right, loss (their mean).
    """

    step: int
    metrics: dict[str, float]
    table: pd.DataFrame
    answers: pd.DataFrame
    rows: int  # drawn words

    @property
    def text(self) -> str:
        """The table as lines of a fixed width."""
        lines = [f"{'rank of the true word':<22}{'words':>9}{'share':>10}"]
        lines += [
            f"{row.rank:<22}{row.words:>9,}{100 * row.share:>8.1f} %"
            for row in self.table.itertuples()
        ]
        return "\n".join([*lines, "", f"{'perplexity':<22}{self.metrics['perplexity']:>9,.1f}"])

    def sentence(self) -> str:
        """How many of the drawn words were told, in words."""
        right, ten = self.metrics["masked_accuracy"], self.metrics["among_ten"]
        return (
            f"Of {self.rows:,} words drawn from the validation texts {100 * right:.1f} % are the "
            f"likeliest guess, {100 * ten:.1f} % are among the ten likeliest; the perplexity is "
            f"{self.metrics['perplexity']:,.1f}."
        )


def masked_report(reviews: Reviews, answers: np.ndarray, step: int = 0) -> MaskedReport:
    """The report of rows of loss, rank and place of the text, (n, 3)."""
    ranks, table, lower = answers[:, 1], [], 0.0
    for name, upper in _RANKS:
        words = int(((ranks > lower) & (ranks <= upper)).sum())
        table.append((name, words, words / len(ranks)))
        lower = upper
    drawn = pd.DataFrame(answers, columns=["loss", "rank", "place"])
    by = drawn.assign(right=drawn["rank"] == 1).groupby(drawn["place"].astype(int))
    texts = by.agg(words=("loss", "size"), right=("right", "sum"), loss=("loss", "mean"))
    examples = [reviews.examples[place] for place in texts.index]
    texts.insert(0, "text", [example.text for example in examples])
    texts.insert(0, "id", [example.id for example in examples])
    return MaskedReport(
        step=step,
        metrics=MASKED_WORDS.metrics(np.array([]), answers),
        table=pd.DataFrame(table, columns=["rank", "words", "share"]),
        answers=texts.sort_values("loss", ascending=False, kind="stable").reset_index(drop=True),
        rows=len(answers),
    )
