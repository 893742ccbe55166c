"""A finished classifier in, two tables out: its scores beside those of the baselines, and how sure
it is on each set.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.no_opinion import no_opinion
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS, baseline_pipeline
from bertsent.probing.calibration import at_temperature, expected_calibration_error
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.shipped_scores import (
    BERT,
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    COLUMNS,
    COMMENTS,
    NO_OPINION,
    ONE_LINERS,
    SURE,
)
from bertsent.probing.slices import PAIRS, Slice, accuracy_by_slice
from bertsent.recipe.datasets import HELD_OUT, RecipeData, builtin, one_liners, register
from bertsent.recipe.sentiment_sets import NEITHER, sentiment_rows

CONFIDENCE_COLUMNS = [
    *("set", "n", "confidence", "right", "error", "error_without", "sure", "sure_right"),
]
Answers = Mapping[str, tuple[Reviews, np.ndarray]]  # of each set: its reviews, P(positive)


def judging_sets(data: RecipeData) -> dict[str, Reviews]:
    """All labelled sets that the model is judged on, those of this project first."""
    own = {
        BUILTIN_VALIDATION: builtin("validation"),
        COMMENTS: register("validation"),
        ONE_LINERS: one_liners("validation"),
        BUILTIN_TEST: builtin("test"),
    }
    return {
        **{name: Reviews(name, tuple(rows)) for name, rows in own.items()},
        HELD_OUT: data.held_out(),
        **data.development_sets(),
    }


def answers_of(model: LoadedModel, sets: Mapping[str, Reviews]) -> Answers:
    """What the model answers to each set."""
    return {
        name: (reviews, model.probabilities(reviews.texts)[:, 1]) for name, reviews in sets.items()
    }


def score_table(answers: Answers, data: RecipeData) -> pd.DataFrame:
    """The scores of the model and of the baselines, which learn from all that the recipe learns
    from and that has a side: one row a set, slice and model.

    Args:
        answers: those of the model.
        data: what the baselines learn from.
    """
    rows: list[tuple[object, ...]] = []
    for name, (reviews, p_positive) in answers.items():
        rows += _rows(name, BERT, reviews, p_positive)
    learned = {
        text: int(positive)
        for each in sentiment_rows(data).values()
        for (text, _), positive in zip(each.inputs, each.targets["sentiment"], strict=True)
        if positive != NEITHER
    }
    for baseline in BAGS_OF_WORDS:
        pipeline = baseline_pipeline(baseline).fit(list(learned), list(learned.values()))
        for name, (reviews, _) in answers.items():
            rows += _rows(name, baseline, reviews, pipeline.predict(reviews.texts).astype(float))
    return pd.DataFrame(rows, columns=COLUMNS)


def confidence_table(model: LoadedModel, answers: Answers, temperature: float) -> pd.DataFrame:
    """How sure the model is on each set, and on texts that judge nothing, where nothing is right.

    Args:
        model: the finished one.
        answers: what it says to the labelled sets.
        temperature: what its logits are divided by.
    """
    rows: list[tuple[object, ...]] = []
    for name, (reviews, p_positive) in answers.items():
        labels = np.array(reviews.labels)
        sure, right = _confidence(p_positive), (p_positive > 0.5) == labels
        before = at_temperature(p_positive, 1 / temperature)
        errors = (expected_calibration_error(each, labels) for each in (p_positive, before))
        counts = (int((sure > SURE).sum()), int((right & (sure > SURE)).sum()))
        rows.append((name, len(labels), sure.mean(), int(right.sum()), *errors, *counts))
    nothing = [row.text for row in no_opinion() if row.split != "train"]
    sure = _confidence(model.probabilities(nothing)[:, 1])
    nan = float("nan")
    rows.append((NO_OPINION, len(sure), sure.mean(), nan, nan, nan, int((sure > SURE).sum()), nan))
    return pd.DataFrame(rows, columns=CONFIDENCE_COLUMNS)


def _confidence(p_positive: np.ndarray) -> np.ndarray:
    return np.maximum(p_positive, 1 - p_positive)


def _rows(
    name: str, model: str, reviews: Reviews, p_positive: np.ndarray
) -> list[tuple[object, ...]]:
    slices = accuracy_by_slice(reviews, p_positive).values()
    return [(name, s.name, model, s.n, s.right, *_labels(s)) for s in slices if s.name != "(none)"]


def _labels(found: Slice) -> tuple[int, ...]:
    """Reviews and right answers of both labels; nothing of pairs, which have one of each."""
    if found.name == PAIRS:
        return (0, 0, 0, 0)
    negative, positive = found.labels
    return (*negative, *positive)
