"""A small part of the reviews that ship, for tests that would otherwise answer thousands."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd


def write_few(source: Path, folder: Path, *, units: int = 4, named: Collection[str] = ()) -> Path:
    """Write the handcrafted rows and the first ``units`` pairs or single reviews of each split and
    phenomenon, and the pairs that are named, to a file of the same name in ``folder``.
    """
    table = pd.read_csv(source, dtype=str, keep_default_na=False)
    unit = table["pair"].where(table["pair"] != "", table["id"])
    first = unit.drop_duplicates().groupby([table["split"], table["phenomenon"]]).head(units)
    kept = unit.isin([*first, *named]) | table["id"].str.startswith("handcrafted")
    path = folder / source.name
    table[kept].to_csv(path, index=False)
    return path
