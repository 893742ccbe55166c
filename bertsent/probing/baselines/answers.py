"""Classifiers and labelled reviews in; their answers, the comparison of methods (row 001-14) and
the reviews on which they disagree out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.probing.array_cache import StoredArrays, array_path, load_arrays, save_arrays
from bertsent.probing.slices import accuracy_by_slice
from bertsent.probing.timing import TimingSpread, time_answers
from bertsent.statistics import (
    best_of,
    best_of_sentence,
    majority_class_sentence,
    paired_difference,
)

Progress = Callable[[float], None]
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


class Baseline(Protocol):
    """A trained model that can be kept as arrays: (n,) P(positive) for n texts."""

    @property
    def name(self) -> str: ...

    def p_positive(self, texts: Sequence[str]) -> np.ndarray: ...

    def to_arrays(self) -> StoredArrays: ...


@dataclass(frozen=True)
class Classifier:
    """Anything that answers, with what it cost. ``key`` names its weights: equal keys mean equal
    answers.

    ``train_seconds`` and ``disk_bytes`` are None where they are not known; the bytes of a frozen
    BERT include its encoder. ``baseline`` is the model itself where it is one of the baselines.
    """

    name: str
    key: str
    p_positive: Callable[[Sequence[str]], np.ndarray]
    train_seconds: float | None = None
    disk_bytes: int | None = None
    baseline: Baseline | None = None


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
    progress: Progress | None = None,
) -> BaselineAnswers:
    """Have every classifier answer every review, and time each on some of them.

    Answers are kept in ``cache``; times never are, because they hold only for the moment.

    Raises:
        BadInput: there are no reviews.
        Cancelled: ``progress`` raised it; finished answers are kept.
    """
    if not len(reviews):
        raise BadInput("There are no reviews to answer.", "Choose others.")
    found: dict[str, np.ndarray] = {}
    for number, each in enumerate(classifiers):
        if progress:
            progress(number / (len(classifiers) + 1))
        found[each.name] = _answers(each, reviews, cache)
    if progress:
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


def _answers(classifier: Classifier, reviews: Reviews, cache: Path) -> np.ndarray:
    path = array_path(cache, "answers", cache_key(classifier.key, reviews.sha256))
    kept = load_arrays(path)
    if kept is not None and kept.arrays.get("p_positive", np.empty(0)).shape == (len(reviews),):
        return kept.arrays["p_positive"]
    p = np.asarray(classifier.p_positive(reviews.texts), float)
    save_arrays(path, StoredArrays({"p_positive": p}))
    return p


def compare_classifiers(
    classifiers: Sequence[Classifier], answers: BaselineAnswers
) -> pd.DataFrame:
    """One row a method: the columns ``MEASURES``, then the accuracy on each phenomenon and on
    minimal pairs.

    ``low`` and ``high`` are the 95 % interval of the accuracy, clustered by minimal pair;
    ``ms_per_review`` is a median and ``ms_low`` and ``ms_high`` are its quartiles.
    """
    from sklearn.metrics import f1_score

    labels = np.array(answers.reviews.labels)
    rows = []
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
    baseline = majority_class_sentence(answers.reviews.labels)
    others = [name for name in names if name != bert]
    if not others:
        return f"{bert} is right for {correct[bert].mean():.1%}. {baseline}"
    rival = max(others, key=lambda name: correct[name].mean())
    found = paired_difference(correct[rival], correct[bert], groups)
    points = f"{100 * found.difference:+.1f} points ({100 * found.low:+.1f} to "
    points += f"{100 * found.high:+.1f})"
    verdict = best_of_sentence(names, best_of(np.stack(list(correct.values())), groups))
    return (
        f"{bert} is right for {found.second:.1%}, {rival} for {found.first:.1%}: a difference of "
        f"{points.replace('-', '−')} with its 95 % interval. {verdict} {baseline}"
    )


def answers_sentence(answers: Mapping[str, float], bert: str) -> str:
    """Who says what of one review; those that differ from ``bert`` are named.

    Args:
        answers: P(positive) by method, ``bert`` among them.
    """
    label = LABELS[int(answers[bert] > 0.5)]
    names = differing(answers, bert)
    if len(answers) == 1:
        return f"{bert} says {label}."
    if not names:
        return f"All {len(answers)} say {label}."
    listed = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
    positive = sum(p > 0.5 for p in answers.values())
    verb = "disagrees" if len(names) == 1 else "disagree"
    return f"{positive} of {len(answers)} say POSITIVE. {listed} {verb} with {bert} (outlined)."


def differing(answers: Mapping[str, float], against: str) -> list[str]:
    """The methods whose label is not that of ``against``, by P(positive)."""
    if against not in answers:
        return []
    return [name for name, p in answers.items() if (p > 0.5) != (answers[against] > 0.5)]


def answer_table(
    answers: Mapping[str, float], milliseconds: Mapping[str, TimingSpread], bert: str
) -> pd.DataFrame:
    """One row a method: method, says, P(positive), ms (a median), ms from and ms to (its
    quartiles), same as BERT.
    """
    differ = differing(answers, bert)
    rows = []
    for name, p in answers.items():
        spread = milliseconds[name]
        times = (spread.median, spread.low, spread.high)
        rows.append((name, LABELS[int(p > 0.5)], p, *times, name not in differ))
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
    if among not in FILTERS or (among != ANY and bert not in p_positive):
        raise BadInput(
            f"There is no filter “{among[:40]}” for {bert[:40] or 'no method'}.",
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
    rows = []
    for i in places[np.argsort(-p[places].std(axis=1), kind="stable")]:
        e = reviews.examples[i]
        true = "" if e.label is None else LABELS[e.label]
        count = f"{says[i].sum()} of {len(names)}"
        rows.append((e.id, e.text, e.phenomenon, true, count, *p[i]))
    return pd.DataFrame(rows, columns=["id", "text", "phenomenon", "true", "positive", *names])
