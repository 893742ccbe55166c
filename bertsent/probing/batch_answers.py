"""Up to 10,000 reviews in, one answer each out, and how many are right where the label is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, UNDECIDED, Example, Reviews
from bertsent.errors import BadInput
from bertsent.probing.slices import Slice, accuracy_by_slice
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MOST = 10_000


@dataclass(frozen=True)
class BatchAnswers:
    """The answers. ``table`` has id, text, prediction, p_positive, tokens, unknown, cut, cleaned;
    with labels also label, right, phenomenon.

    The prediction is UNDECIDED where the model knows no token. ``unknown`` counts such tokens,
    ``cleaned`` what ``clean_text`` took out. ``slices`` has the accuracy of all labelled reviews
    that were decided, of each phenomenon and of the minimal pairs; it is empty without labels.
    """

    table: pd.DataFrame
    slices: Mapping[str, Slice]

    @property
    def accuracies(self) -> pd.DataFrame:
        """One row a slice: slice, n, right, accuracy, from, to, majority class."""
        rows = [
            (s.name, s.n, s.right, s.accuracy, *s.interval, s.majority)
            for s in self.slices.values()
        ]
        columns = ["slice", "n", "right", "accuracy", "from", "to", "majority class"]
        return pd.DataFrame(rows, columns=columns)


def pasted_reviews(text: str) -> Reviews:
    """Reviews that somebody pasted, one a line.

    Raises:
        BadInput: there is none, there are too many, or one is too long.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise BadInput("There is nothing to answer.", "Paste one review a line.")
    rows = tuple(Example(f"line-{number}", line) for number, line in enumerate(lines, start=1))
    found = check_count(Reviews("Pasted reviews", rows))
    long = next((e for e in found if len(e.text) > LIMITS.row_chars), None)
    if long is not None:
        raise BadInput(
            f"{long.id} has {len(long.text):,} characters; the limit is {LIMITS.row_chars:,}.",
            "Cut it.",
        )
    empty = next((e for e in found if not e.text), None)
    if empty is not None:
        raise BadInput(f"{empty.id} holds nothing but markup.", "Leave it out.")
    return found


def check_count(reviews: Reviews) -> Reviews:
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
    model: "LoadedModel", reviews: Reviews, *, progress: Callable[[float], None] | None = None
) -> BatchAnswers:
    """Ask for every review.

    Args:
        model: the model that answers.
        reviews: at most ``MOST``.
        progress: told a fraction; may raise ``Cancelled``.

    Raises:
        BadInput: more than ``MOST`` reviews.
        NotAvailable: the model has no trained head.
    """
    texts = check_count(reviews).texts
    answers = model.predict(texts, progress=progress)
    counts, cut = model.token_counts(texts)
    table = pd.DataFrame(
        {
            "id": [e.id for e in reviews],
            "text": texts,
            "prediction": [answer.label for answer in answers],
            "p_positive": [answer.p_positive for answer in answers],
            "tokens": counts,
            "unknown": [answer.unknown for answer in answers],
            "cut": cut,
            "cleaned": [sum(e.removed.values()) for e in reviews],
        }
    )
    if not any(label is not None for label in reviews.labels):
        return BatchAnswers(table, {})
    table = table.assign(
        label=[None if value is None else LABELS[value] for value in reviews.labels]
    )
    counted = table["label"].notna() & (table["prediction"] != UNDECIDED)
    right = (table["prediction"] == table["label"]).astype("boolean")
    table = table.assign(right=right.where(counted))
    if any(e.phenomenon for e in reviews):
        table["phenomenon"] = [e.phenomenon for e in reviews]
    if not counted.any():
        return BatchAnswers(table, {})
    found = accuracy_by_slice(
        reviews.where(counted), table.loc[counted, "p_positive"].to_numpy(np.float64)
    )
    return BatchAnswers(table, {name: each for name, each in found.items() if name != "(none)"})


def batch_sentence(found: BatchAnswers, model: "LoadedModel") -> str:
    """How many answers, of which label, what was cut, cleaned or not known, and the accuracy."""
    table = found.table
    predictions = table["prediction"].value_counts()
    said = [
        f"{model.name} · {len(table):,} reviews, {predictions.get('POSITIVE', 0):,} of them "
        f"positive; {int(table['cut'].sum()):,} cut at {model.max_length} tokens."
    ]
    cleaned = int((table["cleaned"] > 0).sum())
    if cleaned:
        said.append(f"HTML or control characters were removed from {cleaned:,}.")
    if UNDECIDED in predictions:
        said.append(
            f"{predictions[UNDECIDED]:,} are undecided, because the model knows none of their "
            "words; no accuracy counts them."
        )
    if found.slices:
        whole = found.slices["all"]
        low, high = whole.interval
        said.append(
            f"{whole.right:,} of {whole.n:,} labels found: accuracy {whole.accuracy:.1%} "
            f"({low:.1%} to {high:.1%}). Always answering the more frequent label would be right "
            f"for {whole.majority:.1%}."
        )
    return " ".join(said)
