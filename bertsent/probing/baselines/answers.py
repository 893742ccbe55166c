"""Classifiers and labelled reviews in; their answers, the comparison of methods (row 001-14) and
the reviews on which they disagree out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bertsent.data.cache import array_path, cache_key, cached_arrays
from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.probing.slices import accuracy_by_slice
from bertsent.probing.timing import TimingSpread, time_answers
from bertsent.progress import Progress, no_progress
from bertsent.statistics import (
    best_of,
    best_of_sentence,
    majority_class_sentence,
    paired_difference,
)
from bertsent.written_numbers import written

TIMED = 20  # reviews that are answered one at a time for the milliseconds
ANY, ALONE_RIGHT, ALONE_WRONG = "any two differ", "BERT alone is right", "BERT alone is wrong"
FILTERS = (ANY, ALONE_RIGHT, ALONE_WRONG)
MEASURES = (  # the columns of ``compare_classifiers`` before the slices
    "method",
    "accuracy",
    "low",
    "high",
    "macro_f1",
    "train_seconds",
    "ms_per_review",
    "ms_low",
    "ms_high",
    "bytes",
)


@dataclass(frozen=True)
class Classifier:
    """Anything that gives n texts their probabilities, (n,) P(positive), and what it cost. ``key``
    names its weights: equal keys mean equal answers.

    ``train_seconds`` and ``disk_bytes`` are None where they are not known; the bytes of a frozen
    BERT include its encoder. ``baseline`` is the model itself if it is one of the baselines.
    """

    name: str
    key: str
    p_positive: Callable[[Sequence[str]], np.ndarray]
    train_seconds: float | None = None
    disk_bytes: int | None = None
    baseline: object = None


@dataclass(frozen=True)
class BaselineAnswers:
    """(n,) P(positive) of each classifier, and the milliseconds of one answer, by name."""

    reviews: Reviews
    p_positive: dict[str, np.ndarray]
    milliseconds: dict[str, TimingSpread]

    def correct(self, name: str) -> np.ndarray:
        """(n,) whether each answer of that classifier is right."""
        return (self.p_positive[name] > 0.5) == (np.array(self.reviews.labels) == 1)


def answer_reviews(
    classifiers: Sequence[Classifier],
    reviews: Reviews,
    cache: Path,
    progress: Progress = no_progress,
) -> BaselineAnswers:
    """Have every classifier answer every review, and time each on some of them.

    Answers are kept in ``cache``; times never are, because they hold only for the moment.

    Raises:
        BadInput: there are no reviews.
        Cancelled: ``progress`` raised it; finished answers are kept.
    """
    BadInput.raise_if(not len(reviews), "There are no reviews to answer.", "Choose others.")
    found: dict[str, np.ndarray] = {}
    for number, each in enumerate(classifiers):
        progress(number / (len(classifiers) + 1))
        found[each.name] = kept_answers(each, reviews, cache)
    progress(len(classifiers) / (len(classifiers) + 1))
    ordered = sorted(reviews.texts, key=len)
    places = np.linspace(0, len(ordered) - 1, min(TIMED, len(ordered))).astype(int)
    times = time_answers(
        {each.name: each.p_positive for each in classifiers},
        [ordered[place] for place in places],
        repetitions=len(places),
        budget=5.0,
    )
    return BaselineAnswers(reviews, found, times)


def kept_answers(classifier: Classifier, reviews: Reviews, cache: Path) -> np.ndarray:
    """(n,) P(positive) of one classifier, kept in ``cache`` under its weights and the reviews."""
    path = array_path(cache, "answers", cache_key(classifier.key, reviews.sha256))
    return cached_arrays(
        path, lambda: {"p_positive": np.asarray(classifier.p_positive(reviews.texts), float)}
    )["p_positive"]


def compare_classifiers(
    classifiers: Sequence[Classifier], answers: BaselineAnswers
) -> pd.DataFrame:
    """One row per method: the columns ``MEASURES``, then the accuracy on each phenomenon and on
    minimal pairs.

    ``low`` and ``high`` are the 95 % interval of the accuracy, clustered by minimal pair;
    ``ms_per_review`` is a median and ``ms_low`` and ``ms_high`` are its quartiles.
    """
    from sklearn.metrics import f1_score

    labels, rows = np.array(answers.reviews.labels), []
    for each in classifiers:
        p, spread = answers.p_positive[each.name], answers.milliseconds[each.name]
        slices = dict(accuracy_by_slice(answers.reviews, p))
        whole = slices.pop("all")
        values = (
            each.name,
            whole.accuracy,
            *whole.interval,
            f1_score(labels, p > 0.5, average="macro", zero_division=0),
            each.train_seconds,
            spread.median,
            spread.low,
            spread.high,
            each.disk_bytes,
        )
        named = {name: found.accuracy for name, found in slices.items() if name != "(none)"}
        rows.append(dict(zip(MEASURES, values, strict=True)) | named)
    return pd.DataFrame(rows).astype({"train_seconds": float, "bytes": float})


def slice_counts(reviews: Reviews, slices: Sequence[str]) -> dict[str, int]:
    """How many reviews each phenomenon has, and how many pairs the slice of minimal pairs."""
    found = accuracy_by_slice(reviews, np.zeros(len(reviews)))
    return {name: found[name].n for name in slices}


def comparison_sentence(answers: BaselineAnswers, bert: str) -> str:
    """How far ``bert`` is from the most accurate other method, review by review, which method is
    best, and what the majority class gets.
    """
    groups, names = review_groups(answers.reviews), list(answers.p_positive)
    correct = {name: answers.correct(name) for name in names}
    majority = majority_class_sentence(answers.reviews.labels)
    if names == [bert]:
        return f"{bert} is right for {100 * correct[bert].mean():.1f} %. {majority}"
    rival = max(set(names) - {bert}, key=lambda name: (correct[name].mean(), -names.index(name)))
    found = paired_difference(correct[rival], correct[bert], groups)
    points = [written(100 * x, "+.1f") for x in (found.difference, found.low, found.high)]
    verdict = best_of_sentence(names, best_of(np.stack(list(correct.values())), groups))
    return (
        f"{bert} is right for {100 * found.second:.1f} %, {rival} for {100 * found.first:.1f} %: a "
        f"difference of {points[0]} points (95 % interval {points[1]} to {points[2]}). {verdict} "
        f"{majority}"
    )


def answers_sentence(answers: Mapping[str, float], bert: str) -> str:
    """What the methods answer to one review; those that differ from ``bert`` are named.

    Args:
        answers: P(positive) by method, ``bert`` among them.
    """
    label, names = LABELS[int(answers[bert] > 0.5)], differing(answers, bert)
    if not names:
        return f"{bert} says {label}." if len(answers) == 1 else f"All {len(answers)} say {label}."
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    positive = sum(p > 0.5 for p in answers.values())
    return (
        f"{positive} of {len(answers)} say POSITIVE. {listed} "
        f"{'disagrees' if len(names) == 1 else 'disagree'} with {bert} (outlined)."
    )


def differing(answers: Mapping[str, float], against: str) -> list[str]:
    """The methods whose label is not that of ``against``, by P(positive)."""
    own = answers.get(against)
    return [name for name, p in answers.items() if own is not None and (p > 0.5) != (own > 0.5)]


def answer_table(
    answers: Mapping[str, float], milliseconds: Mapping[str, TimingSpread], bert: str
) -> pd.DataFrame:
    """One row per method: method, says, P(positive), ms (a median), ms from and ms to (its
    quartiles), same as BERT.
    """
    differ = differing(answers, bert)
    rows = [
        (name, LABELS[int(p > 0.5)], p, *astuple(milliseconds[name])[:3], name not in differ)
        for name, p in answers.items()
    ]
    columns = ["method", "says", "P(positive)", "ms", "ms from", "ms to", "same as BERT"]
    return pd.DataFrame(rows, columns=columns)


def disagreements(
    reviews: Reviews, p_positive: Mapping[str, np.ndarray], *, among: str = ANY, bert: str = ""
) -> pd.DataFrame:
    """The reviews on which not all methods agree, the widest spread of P(positive) first: id, text,
    phenomenon, true, positive, then a P(positive) each.

    Args:
        p_positive: (n,) for each method.
        among: ``any two differ``; or only where ``bert`` is right and all others wrong, or the
            other way round.
        bert: which of the methods that is.

    ``positive`` is how many said so, as in "2 of 5".

    Raises:
        BadInput: there is no such filter or method.
    """
    BadInput.raise_if(
        among not in FILTERS or (among != ANY and bert not in p_positive),
        f"There is no filter “{among[:40]}” for {bert[:40] or 'no method'}.",
        f"Choose one of {', '.join(FILTERS)}.",
    )
    p = pd.DataFrame(dict(p_positive))
    says = p > 0.5
    chosen = says.any(axis=1) & ~says.all(axis=1)
    if among != ANY:
        right = says.eq(np.array(reviews.labels) == 1, axis=0)
        alone = right if among == ALONE_RIGHT else ~right
        chosen &= alone[bert] & ~alone.drop(columns=bert).any(axis=1)
    about = pd.DataFrame(
        {
            "id": [e.id for e in reviews],
            "text": reviews.texts,
            "phenomenon": [e.phenomenon for e in reviews],
            "true": ["" if e.label is None else LABELS[e.label] for e in reviews],
            "positive": says.sum(axis=1).map(lambda count: f"{count} of {len(p.columns)}"),
        }
    )
    widest = p[chosen].std(axis=1, ddof=0).sort_values(ascending=False, kind="stable").index
    return about.join(p).loc[widest].reset_index(drop=True)
