"""Reviews and their P(positive) in, the two ends of the list out: what a model takes for the best and the worst (row 000-21)."""

import numpy as np
import pandas as pd

from bertsent.data.cleaning import display_text, shorten
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput

BEGINNING = 75  # characters of the review, as printed in the paper


def extremes(reviews: Reviews, p_positive: np.ndarray, n: int = 5) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ``n`` most positive and the ``n`` most negative reviews, the most extreme first.

    Args:
        p_positive: (len(reviews),) the model's P(positive) of every review.

    Returns:
        Two frames with columns ``id``, ``score`` (P(positive)), ``text`` (its first 75 characters), ``full_text`` and
        ``label`` (the truth, empty where unknown). Equal scores are ordered by id. Fewer than ``n`` rows where there are fewer reviews.

    Raises:
        BadInput: not one finite probability a review, or ``n`` below 1.
    """
    scores = np.asarray(p_positive, dtype=np.float64)
    if scores.shape != (len(reviews),) or not np.isfinite(scores).all():
        raise BadInput("There is not one probability for every review.", "Score the reviews again.")
    if n < 1:
        raise BadInput(f"A list of {n} reviews is not possible.", "Choose 1 or more.")
    ids = np.array([example.id for example in reviews], dtype=str)
    top, bottom = (np.lexsort((ids, key))[:n] for key in (-scores, scores))
    return _rows(reviews, scores, top), _rows(reviews, scores, bottom)


def _rows(reviews: Reviews, scores: np.ndarray, positions: np.ndarray) -> pd.DataFrame:
    chosen = [reviews.examples[i] for i in positions]
    return pd.DataFrame(
        {
            "id": [example.id for example in chosen],
            "score": scores[positions],
            "text": [shorten(example.text, BEGINNING) for example in chosen],
            "full_text": [display_text(example.text) for example in chosen],
            "label": ["" if example.label is None else LABELS[example.label] for example in chosen],
        }
    )
