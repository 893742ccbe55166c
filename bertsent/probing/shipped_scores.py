"""The scores that ship beside the built-in model: measured when it was made, read from
``scores.csv`` and ``confidence.csv``.
"""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS
from bertsent.probing.registry import SHIPPED
from bertsent.probing.slices import LabelCount, Slice

FILE, CONFIDENCE_FILE = "scores.csv", "confidence.csv"
LABEL_COLUMNS = ["negative", "negative_right", "positive", "positive_right"]
COLUMNS = ["set", "slice", "model", "n", "right", *LABEL_COLUMNS]
BERT, BUILTIN_TEST, BUILTIN_VALIDATION = (
    "BERT (built-in)",
    "Built-in reviews, test",
    "Built-in reviews, validation",
)
ONE_LINERS, COMMENTS = "One-liners, validation", "Comments, validation"
NO_OPINION = "Texts without an opinion"
OWN_SETS = (BUILTIN_VALIDATION, COMMENTS, ONE_LINERS, BUILTIN_TEST)
FILTERED = "filtered against word counters"
SURE = 0.9  # the probability above which an answer counts as sure
MODELS = (BERT, *BAGS_OF_WORDS)


@lru_cache(maxsize=4)
def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def shipped_scores() -> pd.DataFrame | None:
    """One row a set, slice and model: set, slice, model, n, right, and of each label how many
    reviews have it and how many of them came out right (0 for pairs); None where no model ships.
    """
    path = SHIPPED / FILE
    return _read(path).copy() if path.is_file() else None


def shipped_confidence() -> pd.DataFrame | None:
    """How sure the model is, one row a set: n, the mean confidence, how many are right, the
    expected calibration error with and without the temperature, how many answers are over 90 %
    sure, and how many of those are right; None where it was not measured.
    """
    path = SHIPPED / CONFIDENCE_FILE
    return _read(path).copy() if path.is_file() else None


def title_of(name: str) -> str:
    """A set as it is headed on screen and in documents."""
    return f"{name} ({FILTERED})" if name == BUILTIN_TEST else name


def slice_of(scores: pd.DataFrame, of: str, slice_name: str, model: str = BERT) -> Slice | None:
    """One cell of the table with its intervals, None where it was not measured."""
    rows = scores.query("set == @of and slice == @slice_name and model == @model")
    if not len(rows):
        return None
    n, right, *labels = (int(value) for value in rows.iloc[0][["n", "right", *LABEL_COLUMNS]])
    return Slice(slice_name, n, right, labels=(LabelCount(*labels[:2]), LabelCount(*labels[2:])))


def side_by_side(scores: pd.DataFrame, of: str) -> pd.DataFrame:
    """Balanced accuracy in per cent, a row a slice and a column a model, and the number of
    reviews of each label; where a slice has one label, and of pairs, the accuracy.
    """
    rows = scores[scores["set"] == of].drop_duplicates("slice").set_index("slice")
    cells = {model: [slice_of(scores, of, name, model) for name in rows.index] for model in MODELS}
    shown = {
        model: [float("nan") if cell is None else 100 * cell.score for cell in found]
        for model, found in cells.items()
    }
    return pd.DataFrame(shown, index=rows.index).join(rows[["n", "negative", "positive"]])
