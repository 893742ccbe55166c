"""The scores that ship beside the built-in model: measured when it was made, read from
``scores.csv``.
"""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS
from bertsent.probing.registry import SHIPPED
from bertsent.probing.slices import Slice

FILE = "scores.csv"
COLUMNS = ["set", "slice", "model", "n", "right"]
BERT, BUILTIN_TEST, BUILTIN_VALIDATION = (
    "BERT (built-in)",
    "Built-in reviews, test",
    "Built-in reviews, validation",
)
ONE_LINERS = "One-liners, validation"
MODELS = (BERT, *BAGS_OF_WORDS)


@lru_cache(maxsize=4)
def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False)


def shipped_scores() -> pd.DataFrame | None:
    """Columns set, slice, model, n, right; None where no model ships."""
    path = SHIPPED / FILE
    return _read(path).copy() if path.is_file() else None


def slice_of(scores: pd.DataFrame, of: str, slice_name: str, model: str = BERT) -> Slice | None:
    """One cell of the table with its interval, None where it was not measured."""
    rows = scores.query("set == @of and slice == @slice_name and model == @model")
    return (
        Slice(slice_name, int(rows["n"].iloc[0]), int(rows["right"].iloc[0])) if len(rows) else None
    )


def side_by_side(scores: pd.DataFrame, of: str) -> pd.DataFrame:
    """Accuracy in per cent, a row a slice and a column a model, and the number of reviews."""
    rows = scores[scores["set"] == of].assign(accuracy=lambda t: 100 * t["right"] / t["n"])
    table = rows.pivot(index="slice", columns="model", values="accuracy")[list(MODELS)]
    counts = rows.drop_duplicates("slice").set_index("slice")["n"]
    return table.loc[counts.index].assign(n=counts)
