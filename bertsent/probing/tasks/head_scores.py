"""The scores of the heads that ship, measured when they were made, read from their folder."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import SHIPPED_HEADS, shipped_heads
from bertsent.tasks.catalogue import ASPECTS
from bertsent.written_numbers import written

FILE, CARD = "scores.csv", "README.md"
NAMES = {
    "accuracy": "right",
    **{f"{label} recall": f"of the {label} ones, right" for label in ASPECTS.labels},
    "macro_f1": "macro-F1",
    "jaccard": "Jaccard index",
    "micro_f1": "micro-F1",
    "pearson": "Pearson’s r",
}


@lru_cache(maxsize=4)
def _read(path: Path, _mtime: int) -> pd.DataFrame:
    return pd.read_csv(path)


def head_scores(model: LoadedModel) -> pd.DataFrame | None:
    """What was measured of a head that ships: set, measure, rows and score with its 95 % interval,
    in words. None for any other model.
    """
    own, path = shipped_heads().get(model.task.name), SHIPPED_HEADS / FILE
    if own is None or own.title != model.name or not path.is_file():
        return None
    scores = _read(path, path.stat().st_mtime_ns)
    rows = scores[scores["task"] == model.task.name]
    return pd.DataFrame(
        {
            "set": rows["set"],
            "score": [
                _said(metric, value, low, high)
                for metric, value, low, high in zip(
                    rows["metric"], rows["value"], rows["low"], rows["high"], strict=True
                )
            ],
            "measure": [NAMES.get(metric, metric) for metric in rows["metric"]],
            "rows": rows["n"],
        }
    )


def heads_card() -> bytes:
    """The card of the heads that ship: what they learned from, on which terms, and where they err;
    empty where it is missing.
    """
    path = SHIPPED_HEADS / CARD
    return path.read_bytes() if path.is_file() else b""


def _said(metric: str, *values: float) -> str:
    if metric == "accuracy" or metric.endswith(" recall"):
        value, low, high = (f"{100 * each:.1f}" for each in values)
        return f"{value} % ({low} to {high})"
    value, low, high = (written(each, ".3f") for each in values)
    return f"{value} ({low} to {high})"
