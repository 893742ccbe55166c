"""Results of a factorial experiment in, main effects out: the mean of all cells at each level of a
factor (Montgomery 2017, chapter 6).

Also the published 2⁴ experiment on a shared BERT for three tasks (row 004-14): ``!CLS`` averages
token vectors, ``SW`` shares weights
between paraphrase and similarity, ``WL`` weights the losses, ``ED`` adds features of the edit
distance kind.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

COLUMNS = ("factor", "level", "mean", "low", "high", "cells")
TASKS = ("SST", "PARA", "STS")
FACTORS = ("CLS", "SW", "WL", "ED")
_CELLS = """\
0000 .493 .826 .579|0001 .516 .835 .715|0010 .510 .834 .575|0011 .518 .840 .709|0100 .510 .807 .852|0101 .521 .808 .847
0110 .527 .795 .854|0111 .500 .808 .853|1000 .520 .787 .651|1001 .511 .790 .565|1010 .509 .799 .526|1011 .500 .789 .567
1100 .502 .765 .816|1101 .495 .759 .828|1110 .504 .773 .823|1111 .505 .755 .831"""


def published() -> pd.DataFrame:
    """The sixteen published cells: columns CLS, SW, WL, ED (True or False), SST, PARA, STS, and
    their mean as ``mean``.
    """
    rows = [cell.split() for line in _CELLS.splitlines() for cell in line.split("|")]
    table = pd.DataFrame([[bit == "1" for bit in code] for code, *_ in rows], columns=list(FACTORS))
    for place, task in enumerate(TASKS, start=1):
        table[task] = [float(row[place]) for row in rows]
    return table.assign(mean=table[list(TASKS)].mean(axis=1))


def main_effects(table: pd.DataFrame, factors: Sequence[str], result: str) -> pd.DataFrame:
    """The mean of ``result`` at each level of each factor, with the lowest and highest cell of that
    level.

    Args:
        table: one row a cell or run; rows without a result are left out.
        factors: columns that were varied.
        result: the column that was measured.

    Returns:
        Columns ``factor``, ``level``, ``mean``, ``low``, ``high``, ``cells``, factors and levels in
        the order in which they come.
    """
    known = table.dropna(subset=[result])
    rows = []
    for factor in factors:
        for level, part in known.groupby(factor, sort=False)[result]:
            rows.append(
                (factor, level, float(part.mean()), float(part.min()), float(part.max()), len(part))
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def varied(settings: Sequence[Mapping[str, object]]) -> list[str]:
    """The names whose values are not the same everywhere."""
    names = settings[0] if settings else {}
    return [name for name in names if len({str(each[name]) for each in settings}) > 1]
