"""Public data and the texts of this project in, the sets that the sentiment model learns from out.

Each row says how positive it is: 0, 1, or one half where nothing is judged. Sets with five steps
say that as well, for a second head, which does not ship.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.no_opinion import no_opinion
from bertsent.recipe.datasets import RecipeData, builtin, one_liners, register
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.revisions import DENSE, HURRIED, SPARSE

NEITHER = 0.5
LIKED = {
    *("admiration", "amusement", "approval", "caring", "excitement", "gratitude", "joy", "love"),
    *("optimism", "pride", "relief"),
}
DISLIKED = {
    *("anger", "annoyance", "disappointment", "disapproval", "disgust", "embarrassment"),
    *("grief", "remorse", "sadness"),
}


def sentiment_rows(data: RecipeData) -> dict[str, LearnedRows]:
    """The sets that ``SENTIMENT_PLAN`` draws from, by the names that it has for them."""
    return {
        "phrases": _in_steps(data.phrases()),
        "sentences": _in_steps(data.sentences()),
        "snippets": _labelled(data.snippets()),
        "lines": _labelled(one_liners("train")),
        "builtin": _labelled(builtin("train")),
        "register": _labelled(register("train")),
        "comments": _felt(data.comments()),
        "nothing": _judging_nothing(no_opinion()),
        "passages": _labelled([*data.passages(DENSE), *data.passages(SPARSE)]),
        "endings": _labelled(data.endings()),
        "imdb": _labelled(data.imdb()),
        "pairs": _labelled(data.counterfactual_pairs()),
        "revisions": _labelled(
            [row for path in (DENSE, SPARSE, HURRIED) for row in data.revised(path)]
        ),
    }


def _labelled(rows: Iterable[Example]) -> LearnedRows:
    rows = list(rows)
    truth = np.array([row.label for row in rows], float)
    pairs = [row.pair for row in rows]
    return LearnedRows(_alone(row.text for row in rows), {"sentiment": truth}, pairs)


def _in_steps(table: pd.DataFrame) -> LearnedRows:
    """SST: two labels are the five steps without the middle one."""
    steps = table["label5"].to_numpy(float)
    positive = np.select([steps < 2, steps > 2], [0.0, 1.0], NEITHER)
    return LearnedRows(_alone(table["text"]), {"sentiment": positive, "steps": steps})


def _felt(table: pd.DataFrame) -> LearnedRows:
    """Comments with their feelings: liked, disliked or neither; those of both kinds, and those that
    are only curious or surprised, are left out.
    """
    found = [
        (text, positive)
        for text, feelings in zip(table["text"], table["emotions"], strict=True)
        if (positive := _positive(set(feelings))) is not None
    ]
    truth = np.array([positive for _, positive in found])
    return LearnedRows(_alone(text for text, _ in found), {"sentiment": truth})


def _positive(feelings: set[str]) -> float | None:
    if feelings == {"neutral"}:
        return NEITHER
    liked, disliked = bool(feelings & LIKED), bool(feelings & DISLIKED)
    return None if liked == disliked else float(liked)


def _judging_nothing(reviews: Reviews) -> LearnedRows:
    rows = [row for row in reviews if row.split == "train"]
    truth = {"sentiment": np.full(len(rows), NEITHER), "steps": np.full(len(rows), 2.0)}
    return LearnedRows(_alone(row.text for row in rows), truth)


def _alone(texts: Iterable[str]) -> Sequence[tuple[str, str]]:
    return [(text, "") for text in texts]
