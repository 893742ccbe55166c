"""Reviews in, what to know of them before one trains on them out: labels, lengths, duplicates."""

from dataclasses import dataclass

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.splits import duplicate_key


@dataclass(frozen=True)
class ReviewFacts:
    """Counts of a set of reviews. ``repeated`` texts stand there more than once, letter case and
    spaces aside; ``contradicting`` ones with both labels.
    """

    rows: int
    positive: int
    negative: int
    shortest: int  # in words
    median: int
    longest: int
    repeated: int
    contradicting: int

    def sentence(self) -> str:
        """All of it in words."""
        share = 100 * self.positive / max(1, self.positive + self.negative)
        twice = f"{self.repeated:,} texts stand there more than once"
        both = f", {self.contradicting:,} of them with both labels" if self.contradicting else ""
        return (
            f"{self.rows:,} reviews: {self.positive:,} positive ({share:.1f} %), "
            f"{self.negative:,} negative. They have {self.shortest:,} to {self.longest:,} words, "
            f"half of them up to {self.median:,}. {twice if self.repeated else 'No text repeats'}"
            f"{both}."
        )


def review_facts(reviews: Reviews) -> ReviewFacts:
    """Count."""
    words = np.array([len(text.split()) for text in reviews.texts] or [0])
    labels: dict[str, list[int | None]] = {}
    for text, label in zip(reviews.texts, reviews.labels, strict=True):
        labels.setdefault(duplicate_key(text), []).append(label)
    repeated = [found for found in labels.values() if len(found) > 1]
    return ReviewFacts(
        rows=len(reviews),
        positive=reviews.labels.count(1),
        negative=reviews.labels.count(0),
        shortest=int(words.min()),
        median=int(np.median(words)),
        longest=int(words.max()),
        repeated=len(repeated),
        contradicting=sum({0, 1} <= set(found) for found in repeated),
    )
