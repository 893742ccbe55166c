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
    **{f"{label} recall": f"{label} ones right" for label in ASPECTS.labels},
    "macro_f1": "macro-F1",
    "jaccard": "Jaccard index",
    "micro_f1": "micro-F1",
    "pearson": "Pearson’s r",
}


@lru_cache(maxsize=4)
def _read(path: Path, _mtime: int) -> pd.DataFrame:
    return pd.read_csv(path)


def head_scores(model: LoadedModel) -> pd.DataFrame | None:
    """What was measured of a head that ships, a row for each set: its main score with the 95 %
    interval, how many rows that is of, and what else was measured, in words. None for any other
    model.
    """
    own, path = shipped_heads().get(model.task.name), SHIPPED_HEADS / FILE
    if own is None or own.title != model.name or not path.is_file():
        return None
    scores = _read(path, path.stat().st_mtime_ns)
    rows = []
    for name, of_set in scores[scores["task"] == model.task.name].groupby("set", sort=False):
        main, *rest = of_set.to_dict("records")
        others = ", ".join(f"{_value(row)} {_measure(row)}" for row in rest)
        low, high = (_value(main, end).removesuffix(" %") for end in ("low", "high"))
        score = f"{_value(main)} ({low} to {high}) {_measure(main)}"
        rows.append({"set": name, "score": score, "rows": main["n"], "other measures": others})
    return pd.DataFrame(rows)


def heads_card() -> bytes:
    """The card of the heads that ship: what they learned from, on which terms, and where they err;
    empty where it is missing.
    """
    path = SHIPPED_HEADS / CARD
    return path.read_bytes() if path.is_file() else b""


def _measure(row: dict) -> str:
    return NAMES.get(row["metric"], str(row["metric"]))


def _value(row: dict, part: str = "value") -> str:
    if row["metric"] == "accuracy" or row["metric"].endswith(" recall"):
        return f"{written(100 * row[part], '.1f')} %"
    return written(row[part], ".3f")
