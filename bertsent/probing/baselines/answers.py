"""Classifiers and labelled reviews in; their answers, the comparison of methods (row 001-14) and
where they disagree out.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.probing.array_cache import StoredArrays, array_path, load_arrays, save_arrays
from bertsent.probing.slices import accuracy_by_slice

Progress = Callable[[float], None]
TIMED = 20  # reviews that are answered one at a time for the milliseconds
ANY, ALONE_RIGHT, ALONE_WRONG = "any two differ", "BERT alone is right", "BERT alone is wrong"
FILTERS = (ANY, ALONE_RIGHT, ALONE_WRONG)


@dataclass(frozen=True)
class Classifier:
    """Somebody who answers: (n,) P(positive) for n texts. ``key`` names the weights; what is not
    known is None.
    """

    name: str
    key: str
    answer: Callable[[Sequence[str]], np.ndarray]
    seconds: float | None = None  # of training
    disk_bytes: int | None = None


@dataclass(frozen=True)
class BaselineAnswers:
    """What everybody said: (n,) P(positive) and the milliseconds for one review, by name."""

    reviews: Reviews
    p_positive: dict[str, np.ndarray]
    milliseconds: dict[str, float]


def answer_reviews(
    entrants: Sequence[Classifier],
    reviews: Reviews,
    cache: Path,
    *,
    progress: Progress | None = None,
) -> BaselineAnswers:
    """Have everybody answer every review; what somebody answered before is recalled from ``cache``.

    Raises:
        BadInput: there are no reviews.
        Cancelled: ``progress`` raised it; finished answers are kept.
    """
    if not len(reviews):
        raise BadInput("There are no reviews to answer.", "Choose others.")
    found: dict[str, np.ndarray] = {}
    times: dict[str, float] = {}
    for number, entrant in enumerate(entrants):
        if progress:
            progress(number / len(entrants))
        found[entrant.name], times[entrant.name] = _answers(entrant, reviews, cache)
    return BaselineAnswers(reviews, found, times)


def milliseconds(answer: Callable[[Sequence[str]], np.ndarray], texts: Sequence[str]) -> float:
    """The median time of one answer to one review, over at most ``TIMED`` of the texts spread over
    all lengths.
    """
    ordered = sorted(texts, key=len)
    chosen = [ordered[int(i)] for i in np.linspace(0, len(ordered) - 1, min(TIMED, len(ordered)))]
    answer(chosen[:1])
    took = []
    for text in chosen:
        began = time.perf_counter()
        answer([text])
        took.append(1_000 * (time.perf_counter() - began))
    return float(np.median(took))


def compare_classifiers(entrants: Sequence[Classifier], answers: BaselineAnswers) -> pd.DataFrame:
    """One row a method: accuracy with its 95 % interval (Wilson), macro-F1, training seconds, ms a
    review, bytes, then each slice.

    Columns: method, accuracy, low, high, macro_f1, train_seconds, ms_per_review, bytes, and one
        accuracy for each phenomenon.
    """
    rows = []
    for entrant in entrants:
        p = answers.p_positive[entrant.name]
        slices = dict(accuracy_by_slice(answers.reviews, p))
        whole = slices.pop("all")
        low, high = whole.interval
        rows.append(
            {
                "method": entrant.name,
                "accuracy": whole.accuracy,
                "low": low,
                "high": high,
                "macro_f1": macro_f1(np.array(answers.reviews.labels), p > 0.5),
                "train_seconds": entrant.seconds,
                "ms_per_review": answers.milliseconds[entrant.name],
                "bytes": entrant.disk_bytes,
                **{name: found.accuracy for name, found in slices.items() if name != "(none)"},
            }
        )
    return pd.DataFrame(rows).astype({"train_seconds": float, "bytes": float})


def macro_f1(labels: np.ndarray, predicted: np.ndarray) -> float:
    """The mean of both classes' F1; 0 for a class that is never right."""
    scores = []
    for side in (0, 1):
        hits = int(((labels == side) & (predicted == side)).sum())
        said = int((labels == side).sum() + (predicted == side).sum())
        scores.append(2 * hits / said if said else 0.0)
    return float(np.mean(scores))


def disagreements(
    reviews: Reviews, p_positive: Mapping[str, np.ndarray], *, among: str = ANY, bert: str = ""
) -> pd.DataFrame:
    """The reviews on which not all say the same, the most torn first: id, text, phenomenon, true,
    positive, then a P(positive) each.

    Args:
        p_positive: (n,) for each method.
        among: ``any two differ``; or only where ``bert`` is right and all others wrong, or the
            other way round.
        bert: which of the methods that is.

    ``positive`` is how many said so, as in "2 of 5".

    Raises:
        BadInput: there is no such filter or method.
    """
    if among not in FILTERS or (among != ANY and bert not in p_positive):
        raise BadInput(
            f"There is no filter “{among[:40]}” for {bert[:40] or 'nobody'}.",
            f"Choose one of {', '.join(FILTERS)}.",
        )
    names = list(p_positive)
    p = np.stack([p_positive[name] for name in names], axis=1)  # (n, methods)
    says = p > 0.5
    chosen = says.any(axis=1) & ~says.all(axis=1)
    if among != ANY:
        right = says == (np.array(reviews.labels) == 1)[:, None]
        alone = right if among == ALONE_RIGHT else ~right
        own = names.index(bert)
        chosen &= alone[:, own] & ~np.delete(alone, own, axis=1).any(axis=1)
    places = np.flatnonzero(chosen)
    places = places[np.argsort(-p[places].std(axis=1), kind="stable")]
    rows = [
        (
            e.id,
            clean_text(e.text),
            e.phenomenon,
            "" if e.label is None else LABELS[e.label],
            f"{says[i].sum()} of {len(names)}",
            *p[i],
        )
        for i, e in ((i, reviews.examples[i]) for i in places)
    ]
    return pd.DataFrame(rows, columns=["id", "text", "phenomenon", "true", "positive", *names])


def _answers(entrant: Classifier, reviews: Reviews, cache: Path) -> tuple[np.ndarray, float]:
    path = array_path(cache, "answers", cache_key(entrant.key, reviews.sha256))
    kept = load_arrays(path)
    if kept is not None and kept.arrays.get("p_positive", np.empty(0)).shape == (len(reviews),):
        return kept.arrays["p_positive"], float(kept.facts["milliseconds"])
    p = np.asarray(entrant.answer(reviews.texts), float)
    took = milliseconds(entrant.answer, reviews.texts)
    save_arrays(path, StoredArrays({"p_positive": p}, {"milliseconds": took}))
    return p, took
