"""Up to 10,000 reviews in, one answer each out, and how many are right where the label is known."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from bertsent.data.examples import LABELS, UNDECIDED, Example, Reviews
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.slices import Slice, accuracy_by_slice
from bertsent.progress import Progress, no_progress
from bertsent.settings import LIMITS

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
        """One row per slice: slice, n, right, accuracy, from, to, majority class."""
        return pd.DataFrame(
            [
                (s.name, s.n, s.right, s.accuracy, *s.interval, s.majority)
                for s in self.slices.values()
            ],
            columns=["slice", "n", "right", "accuracy", "from", "to", "majority class"],
        )


def pasted_reviews(text: str) -> Reviews:
    """Pasted reviews, one per line.

    Raises:
        BadInput: there is none, there are too many, or one is too long.
    """
    lines = filter(None, map(str.strip, text.splitlines()))
    rows = tuple(Example(f"line-{number}", line) for number, line in enumerate(lines, start=1))
    BadInput.raise_if(not rows, "There is nothing to answer.", "Paste one review per line.")
    found = check_count(Reviews("Pasted reviews", rows))
    for e in found:
        BadInput.raise_if(
            len(e.text) > LIMITS.row_chars,
            f"{e.id} has {len(e.text):,} characters; the limit is {LIMITS.row_chars:,}.",
            "Shorten it.",
        )
        BadInput.raise_if(not e.text, f"{e.id} holds nothing but markup.", "Leave it out.")
    return found


def check_count(reviews: Reviews) -> Reviews:
    """The reviews, when they are not too many.

    Raises:
        BadInput: there are more than ``MOST``.
    """
    BadInput.raise_if(
        len(reviews) > MOST,
        f"{reviews.name} has {len(reviews):,} reviews; the limit here is {MOST:,}.",
        "Take a sample of its rows.",
    )
    return reviews


def contents_sentence(reviews: Reviews) -> str:
    """What was read of a file: how many reviews, how long, with which labels, and duplicates."""
    labels, texts = list(reviews.labels), reviews.texts
    lengths = sorted(len(text.split()) for text in texts)
    counts = [labels.count(number) for number in range(len(LABELS))]
    known = (
        ", ".join(f"{count:,} {name.lower()}" for count, name in zip(counts, LABELS, strict=True))
        if sum(counts)
        else "no labels"
    )
    without = (
        f", {len(labels) - sum(counts):,} without a label" if 0 < sum(counts) < len(labels) else ""
    )
    twice = len(texts) - len(set(texts))
    return (
        f"{reviews.name}: {len(reviews):,} reviews of {lengths[0]:,} to {lengths[-1]:,} words; "
        f"{known}{without}; {twice:,} {'duplicate' if twice == 1 else 'duplicates'}."
    )


def answer_all(
    model: LoadedModel, reviews: Reviews, *, progress: Progress = no_progress
) -> BatchAnswers:
    """The model's answer to every review.

    Args:
        model: the model that answers.
        reviews: at most ``MOST``.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

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
    labels = [None if value is None else LABELS[value] for value in reviews.labels]
    if not any(labels):
        return BatchAnswers(table, {})
    table["label"] = labels
    counted = table["label"].notna() & (table["prediction"] != UNDECIDED)
    table["right"] = table["prediction"].eq(table["label"]).astype("boolean").where(counted)
    if any(e.phenomenon for e in reviews):
        table["phenomenon"] = [e.phenomenon for e in reviews]
    decided, p_positive = reviews.where(counted), table.loc[counted, "p_positive"].to_numpy()
    found = accuracy_by_slice(decided, p_positive) if len(decided) else {}
    return BatchAnswers(table, {name: each for name, each in found.items() if name != "(none)"})


def batch_sentence(found: BatchAnswers, model: LoadedModel) -> str:
    """How many answers, of which label, what was cut, cleaned or not known, and the accuracy."""
    table = found.table
    predictions, cleaned = table["prediction"].value_counts(), int((table["cleaned"] > 0).sum())
    said = [
        f"{model.name} · {len(table):,} reviews, {predictions.get('POSITIVE', 0):,} of them "
        f"positive; {int(table['cut'].sum()):,} cut at {model.max_length} tokens.",
        f"HTML or control characters were removed from {cleaned:,}." if cleaned else "",
        f"{predictions[UNDECIDED]:,} are undecided, because the model knows none of their words; "
        "the accuracy does not count them."
        if UNDECIDED in predictions
        else "",
    ]
    if found.slices:
        whole = found.slices["all"]
        low, high, majority = (100 * share for share in (*whole.interval, whole.majority or 0))
        said.append(
            f"{whole.right:,} of {whole.n:,} labels found: accuracy {100 * whole.accuracy:.1f} % "
            f"({low:.1f} % to {high:.1f} %). Always answering the more frequent label would be "
            f"right for {majority:.1f} %."
        )
    return " ".join(filter(None, said))
