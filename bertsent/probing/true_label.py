"""A review in, the label that it is known to have out."""

from functools import lru_cache

from bertsent.data.examples import LABELS, NEGATIVE, POSITIVE
from bertsent.data.sources import load_reviews

# the examples that the app offers; the praise in the first two is meant ironically
OFFERED = {
    "Great, another boring movie": NEGATIVE,
    "Great, another boring superhero movie": NEGATIVE,
    "This is not a bad film": POSITIVE,
    "Absolutely incredible": POSITIVE,
    "Somewhat good": POSITIVE,
    "Blew my mind how bad it was. What a waste.": NEGATIVE,
}


@lru_cache(maxsize=1)
def _built_in() -> dict[str, int]:
    reviews = load_reviews("builtin")
    return {review.text: review.label for review in reviews if review.label is not None}


def known_label(text: str) -> int | None:
    """0 or 1 for one of the examples and the built-in reviews, None for any other text."""
    return OFFERED.get(text, _built_in().get(text))


def label_sentence(text: str, label: int, answered: int) -> str:
    """Where the usual label comes from, or that somebody chose another."""
    known = known_label(text)
    usual = answered if known is None else known
    if label != usual:
        return f"You say that this review is {LABELS[label]}."
    if known is None:
        return "Nobody has labelled this review: until you choose, the answer is taken for true."
    source = "an example of this app" if text in OFFERED else "one of the built-in reviews"
    return f"It is {source}, with the label {LABELS[known]}."
