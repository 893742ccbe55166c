"""A table of runs with settings that are on or off in, what each setting changes out, with the
interval of it.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertsent.written_numbers import written

CONFIDENCE = 0.95


def factor_effects(table: pd.DataFrame, factors: Sequence[str], result: str) -> pd.DataFrame:
    """The change of ``result`` that each factor makes, the others being equal: the coefficients of
    an additive model by least squares, which in a full factorial design are the differences of two
    means; their intervals from Student's t on its residuals (Montgomery 2017, chapters 6 and 10).

    The residuals hold whatever the factors do together and whatever chance did; both widen the
    interval.

    Args:
        table: one row per run; rows without a result are left out.
        factors: columns of True and False; those that are not there or do not vary are left out.
        result: the column that was measured.

    Returns:
        Columns ``factor``, ``change``, ``low``, ``high``; the last two are missing where fewer runs
        than factors and two more are there. Empty where the settings cannot be told apart.
    """
    from scipy.stats import t

    known = table.dropna(subset=[result])
    varied = [name for name in factors if name in known and known[name].nunique() > 1]
    design = np.column_stack([np.ones(len(known)), *(known[name].astype(float) for name in varied)])
    if not varied or np.linalg.matrix_rank(design) < design.shape[1]:
        return pd.DataFrame(columns=["factor", "change", "low", "high"])
    values = known[result].to_numpy(float)
    inverse = np.linalg.inv(design.T @ design)
    found = inverse @ design.T @ values
    free = len(known) - design.shape[1]
    margin = np.full(len(found), np.nan)
    if free > 0:
        variance = ((values - design @ found) ** 2).sum() / free
        margin = t.ppf((1 + CONFIDENCE) / 2, free) * np.sqrt(variance * np.diag(inverse))
    rows = zip(varied, found[1:], margin[1:], strict=True)
    return pd.DataFrame(
        [(name, change, change - wide, change + wide) for name, change, wide in rows],
        columns=["factor", "change", "low", "high"],
    )


def effects_sentence(effects: pd.DataFrame, what: str) -> str:
    """What is clear of zero, largest first, and what is not."""
    if not len(effects):
        return "The effects of the settings appear here once runs with and without each are over."
    order = effects.reindex(effects["change"].abs().sort_values(ascending=False).index)
    known = order["low"].notna().all()
    clear = order[(order["low"] > 0) | (order["high"] < 0)] if known else order[:0]
    said = [
        f"{row.factor} changes {what} by {_signed(row.change)} (95 % {_signed(row.low)} to "
        f"{_signed(row.high)})"
        for row in clear.itertuples()
    ]
    rest = [
        f"{row.factor} ({_signed(row.change)})"
        for row in order.itertuples()
        if row.Index not in clear.index
    ]
    if rest and known:
        said.append(f"not clear of zero: {', '.join(rest)}")
    elif rest:
        said.append(f"changes so far, without intervals: {', '.join(rest)}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}."


def _signed(number: float) -> str:
    return written(number, "+.3f")
