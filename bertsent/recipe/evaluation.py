"""A finished classifier in, its scores beside those of the baselines out, as one table: set, slice,
model, n, right.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.baselines.pipelines import BAG_OF_WORDS_PIPELINES, fitted
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.shipped_scores import (
    BERT,
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    COLUMNS,
    ONE_LINERS,
)
from bertsent.probing.slices import accuracy_by_slice
from bertsent.recipe.datasets import HELD_OUT, RecipeData, one_liners
from bertsent.recipe.stages import STAGES


def score_table(learner: LoadedModel, materials: RecipeData, held_out: np.ndarray) -> pd.DataFrame:
    """Judge the model and the baselines, which learn from the same reviews, on every development
    set and on the built-in test part.

    Args:
        learner: the finished model.
        materials: the data.
        held_out: (n,) its P(positive) for ``materials.held_out()``, which was asked already.
    """
    lines = Reviews(ONE_LINERS, tuple(one_liners("validation")))
    own = {
        BUILTIN_TEST: builtin("test"),
        BUILTIN_VALIDATION: builtin("validation"),
        ONE_LINERS: lines,
    }
    sets = {HELD_OUT: materials.held_out(), **materials.development_sets(), **own}
    answers = {
        name: learner.probabilities(reviews.texts)[:, 1]
        for name, reviews in sets.items()
        if name != HELD_OUT
    }
    rows = [
        row
        for name, p in {HELD_OUT: held_out, **answers}.items()
        for row in _rows(name, BERT, sets[name], p)
    ]
    for baseline, pipeline in _trained_baselines(materials):
        for name, reviews in sets.items():
            rows += _rows(name, baseline, reviews, pipeline.predict(reviews.texts).astype(float))
    return pd.DataFrame(rows, columns=COLUMNS)


def builtin(split: str) -> Reviews:
    """One part of the built-in reviews; on none but ``train`` anything was trained, by ``test``
    nothing was chosen.
    """
    reviews = load_reviews("builtin", contrastive=True)
    return reviews.where([e.split == split for e in reviews])


def _trained_baselines(materials: RecipeData) -> Iterator[tuple[str, object]]:
    whole = {e.text: e.label for stage in STAGES.values() for e in stage.reviews(materials)}
    for name in BAG_OF_WORDS_PIPELINES:
        yield name, fitted(name, list(whole), list(whole.values()))


def _rows(name: str, model: str, reviews: Reviews, p_positive: np.ndarray) -> list[tuple]:
    return [
        (name, s.name, model, s.n, s.right)
        for s in accuracy_by_slice(reviews, p_positive).values()
        if s.name != "(none)"
    ]
