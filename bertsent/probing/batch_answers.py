"""Up to 10,000 reviews in, one answer each out, and how many are right where the truth is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, Example, Reviews
from bertsent.errors import BadInput
from bertsent.probing.slices import Slice, accuracy_by_slice
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MOST = 10_000


@dataclass(frozen=True)
class BatchAnswers:
    """The answers. ``table`` has id, text, prediction, p_positive, tokens, cut; with labels also
    label, right, phenomenon.

    ``slices`` has the accuracy of all labelled reviews, of each phenomenon and of the minimal
    pairs; empty without labels.
    """

    table: pd.DataFrame
    slices: Mapping[str, Slice]


def pasted(text: str) -> Reviews:
    """Reviews that somebody pasted, one a line.

    Raises:
        BadInput: there is none, there are too many, or one is too long.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise BadInput("There is nothing to answer.", "Paste one review a line.")
    found = checked(
        Reviews(
            "Pasted reviews",
            tuple(Example(f"line-{i}", line) for i, line in enumerate(lines, start=1)),
        )
    )
    long = next((e for e in found if len(e.text) > LIMITS.row_chars), None)
    if long is not None:
        raise BadInput(
            f"{long.id} has {len(long.text):,} characters; the limit is {LIMITS.row_chars:,}.",
            "Cut it.",
        )
    return found


def checked(reviews: Reviews) -> Reviews:
    """The reviews, when they are not too many.

    Raises:
        BadInput: there are more than ``MOST``.
    """
    if len(reviews) > MOST:
        raise BadInput(
            f"{reviews.name} has {len(reviews):,} reviews; the limit here is {MOST:,}.",
            "Take a sample of its rows.",
        )
    return reviews


def answer_all(
    learner: "LoadedModel", reviews: Reviews, *, progress: Callable[[float], None] | None = None
) -> BatchAnswers:
    """Ask for every review.

    Args:
        progress: told a fraction; may raise ``Cancelled``.

    Raises:
        BadInput: more than ``MOST`` reviews.
        NotAvailable: the model has no trained head.
    """
    texts = checked(reviews).texts
    p = learner.probabilities(texts, progress=progress)[:, 1]
    counts, cut = _lengths(learner, texts)
    table = pd.DataFrame(
        {
            "id": [e.id for e in reviews],
            "text": texts,
            "prediction": [LABELS[int(q > 0.5)] for q in p],
            "p_positive": p,
            "tokens": counts,
            "cut": cut,
        }
    )
    known = np.array([label is not None for label in reviews.labels], bool)
    if not known.any():
        return BatchAnswers(table, {})
    label = [None if value is None else LABELS[value] for value in reviews.labels]
    right = pd.array(
        [q == t if t else pd.NA for q, t in zip(table["prediction"], label, strict=True)],
        dtype="boolean",
    )
    table = table.assign(label=label, right=right)
    if any(e.phenomenon for e in reviews):
        table["phenomenon"] = [e.phenomenon for e in reviews]
    found = accuracy_by_slice(reviews.where(known), p[known])
    return BatchAnswers(table, {name: each for name, each in found.items() if name != "(none)"})


def _lengths(learner: "LoadedModel", texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """How many tokens the model reads of each text, and whether there were more."""
    counts = np.array([len(ids) for ids in learner.tokenizer.ids(texts, learner.max_length)], int)
    full = np.flatnonzero(counts == learner.max_length)
    cut = np.zeros(len(texts), bool)
    if learner.max_length < LIMITS.longest_length:
        longer = learner.tokenizer.ids([texts[i] for i in full], learner.max_length + 1)
        cut[full] = [len(ids) > learner.max_length for ids in longer]
    else:
        cut[full] = True
    return counts, cut
