"""A finished classifier in, its scores beside those of the baselines out, as one table: set, slice,
model, n, right.
"""

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS, baseline_pipeline
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


def score_table(model: LoadedModel, data: RecipeData, held_out: np.ndarray) -> pd.DataFrame:
    """Evaluate the model and the baselines, which learn from the same reviews, on every development
    set and on the built-in test part: one row a set, slice and model.

    Args:
        model: the finished one.
        data: the reviews.
        held_out: (n,) its P(positive) for ``data.held_out()``, which is known already.
    """
    builtin, lines = load_reviews("builtin"), one_liners("validation")
    sets = {
        HELD_OUT: data.held_out(),
        **data.development_sets(),
        BUILTIN_TEST: builtin.where([row.split == "test" for row in builtin]),
        BUILTIN_VALIDATION: builtin.where([row.split == "validation" for row in builtin]),
        ONE_LINERS: Reviews(ONE_LINERS, tuple(lines)),
    }
    rows: list[tuple[str, str, str, int, int]] = []
    for name, reviews in sets.items():
        p_positive = held_out if name == HELD_OUT else model.probabilities(reviews.texts)[:, 1]
        rows += _rows(name, BERT, reviews, p_positive)
    learned = {
        row.text: row.label
        for name, stage in STAGES.items()
        for row in data.training_reviews(name, stage.mixture)
        if row.label is not None
    }
    for baseline in BAGS_OF_WORDS:
        pipeline = baseline_pipeline(baseline).fit(list(learned), list(learned.values()))
        for name, reviews in sets.items():
            rows += _rows(name, baseline, reviews, pipeline.predict(reviews.texts).astype(float))
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(
    name: str, model: str, reviews: Reviews, p_positive: np.ndarray
) -> list[tuple[str, str, str, int, int]]:
    slices = accuracy_by_slice(reviews, p_positive).values()
    return [(name, s.name, model, s.n, s.right) for s in slices if s.name != "(none)"]
