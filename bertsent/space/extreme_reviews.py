"""Reviews and their P(positive) in, the ends of the list out: what a model takes for the best and
the worst (row 000-21).

Also where it is sure and wrong, where it cannot decide, and what a training changed most. Ties are
ordered by id everywhere.
"""

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput

BEGINNING = 75  # characters of the review, as printed in the paper


def extremes(
    reviews: Reviews, p_positive: np.ndarray, n: int = 5
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ``n`` most positive and the ``n`` most negative reviews, the most extreme first.

    Args:
        p_positive: (len(reviews),) the model's P(positive) of every review.

    Returns:
        Two frames with columns ``id``, ``score`` (P(positive)), ``text`` (its first 75 characters),
        ``full_text`` and ``label`` (the truth, empty where unknown). Equal scores are ordered by
        id. Fewer than ``n`` rows where there are fewer reviews.

    Raises:
        BadInput: not one finite probability a review, or ``n`` below 1.
    """
    scores = _checked(reviews, p_positive, n)
    top, bottom = (_sorted(reviews, key)[:n] for key in (-scores, scores))
    return _rows(reviews, scores, top), _rows(reviews, scores, bottom)


def confident_and_wrong(reviews: Reviews, p_positive: np.ndarray, n: int = 5) -> pd.DataFrame:
    """The labelled reviews that are answered wrongly with the most confidence, in the columns of
    ``extremes``.

    Raises:
        BadInput: as for ``extremes``.
    """
    scores = _checked(reviews, p_positive, n)
    wrong = np.array(
        [
            e.label is not None and e.label != int(p > 0.5)
            for e, p in zip(reviews, scores, strict=True)
        ],
        dtype=bool,
    )
    return _rows(reviews, scores, _sorted(reviews, -np.abs(scores - 0.5), wrong)[:n])


def undecided(reviews: Reviews, p_positive: np.ndarray, n: int = 5) -> pd.DataFrame:
    """The reviews whose P(positive) is nearest to one half, in the columns of ``extremes``.

    Raises:
        BadInput: as for ``extremes``.
    """
    scores = _checked(reviews, p_positive, n)
    return _rows(reviews, scores, _sorted(reviews, np.abs(scores - 0.5))[:n])


def most_changed(
    reviews: Reviews, before: np.ndarray, after: np.ndarray, n: int = 5
) -> pd.DataFrame:
    """The reviews whose P(positive) a training moved farthest, in the columns of ``extremes`` and
    ``before`` and ``change``.

    Raises:
        BadInput: as for ``extremes``, of either.
    """
    first, last = _checked(reviews, before, n), _checked(reviews, after, n)
    chosen = _sorted(reviews, -np.abs(last - first))[:n]
    return _rows(reviews, last, chosen).assign(before=first[chosen], change=(last - first)[chosen])


def _checked(reviews: Reviews, p_positive: np.ndarray, n: int) -> np.ndarray:
    scores = np.asarray(p_positive, dtype=np.float64)
    if scores.shape != (len(reviews),) or not np.isfinite(scores).all():
        raise BadInput("There is not one probability for every review.", "Score the reviews again.")
    if n < 1:
        raise BadInput(f"A list of {n} reviews is not possible.", "Choose 1 or more.")
    return scores


def _sorted(reviews: Reviews, key: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
    """Positions by ``key``, the smallest first, then by id; only of those ``among``."""
    order = np.lexsort((np.array([example.id for example in reviews], dtype=str), key))
    return order if among is None else order[among[order]]


def _rows(reviews: Reviews, scores: np.ndarray, positions: np.ndarray) -> pd.DataFrame:
    chosen = [reviews.examples[i] for i in positions]
    return pd.DataFrame(
        {
            "id": [example.id for example in chosen],
            "score": scores[positions],
            "text": [shorten(example.text, BEGINNING) for example in chosen],
            "full_text": [example.text for example in chosen],
            "label": ["" if example.label is None else LABELS[example.label] for example in chosen],
        }
    )
