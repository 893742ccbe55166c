"""The frames of a run's events in, the series behind its curves out: without missing numbers,
smoothed, and thinned where a run is long.
"""

import numpy as np
import pandas as pd

from bertsent.tasks.followed import P_POSITIVE
from bertsent.training.config import MAX_GRADIENT_NORM

STEP_BUCKETS = 400  # a longer run is drawn by the extremes of so many equal stretches
MEMORY = 50  # a smoothed curve remembers about this part of a run


def finite_numbers(frame: pd.DataFrame, columns: list[str], **words: pd.Series) -> pd.DataFrame:
    """The columns as floats, ``words`` beside them, in order of step; infinite becomes missing, for
    a curve cannot draw it.
    """
    found = frame.reindex(columns=columns).apply(pd.to_numeric, errors="coerce").astype("float64")
    found = found.replace([np.inf, -np.inf], np.nan).assign(**words)
    return found.sort_values("step", kind="stable").reset_index(drop=True)


def smoothed(values: pd.Series, total_steps: int) -> pd.Series:
    """An exponential mean that remembers about a fiftieth of the run; a gap stays a gap."""
    halflife = max(2.0, total_steps / MEMORY)
    return values.ewm(halflife=halflife, ignore_na=True).mean().where(values.notna())


def thinned(steps: pd.DataFrame, total_steps: int, by: str = "loss") -> pd.DataFrame:
    """At most three rows of each of ``STEP_BUCKETS`` equal stretches: lowest and highest value of
    ``by``, first gap.

    A spike therefore survives. The stretches depend on ``total_steps`` only, so what is drawn once
    stays. The newest row stays.
    """
    if len(steps) <= 2 * STEP_BUCKETS:
        return steps
    stretch = steps["step"] * STEP_BUCKETS // max(1, total_steps)
    known, missing = steps[by].dropna().groupby(stretch), steps[by].isna()
    gaps = steps.index[missing & ~stretch.where(missing).duplicated()]
    kept = {*known.idxmin(), *known.idxmax(), *gaps, steps.index[-1]}
    return steps.loc[sorted(kept)].reset_index(drop=True)


def thinned_to(steps: pd.DataFrame, rows: int) -> pd.DataFrame:
    """About ``rows`` of one run's steps: the first, the last, and the lowest and highest loss of
    equal stretches; spikes survive.
    """
    if len(steps) <= rows:
        return steps
    stretch = np.arange(len(steps)) * (rows // 2) // len(steps)
    known = steps["loss"].dropna().groupby(pd.Series(stretch, index=steps.index))
    return steps.loc[sorted({steps.index[0], *known.idxmin(), *known.idxmax(), steps.index[-1]})]


def last_of_stretches(rows: pd.DataFrame, by: str, points: int, total_steps: int) -> pd.DataFrame:
    """At most about ``points`` rows in all: for each value of ``by`` the last row of equal
    stretches.
    """
    if len(rows) <= points:
        return rows
    each = points // max(1, rows[by].nunique())
    stretch = rows["step"] * each // max(1, total_steps)
    kept = ~pd.DataFrame({"of": rows[by], "stretch": stretch}).duplicated(keep="last")
    return rows[kept].reset_index(drop=True)


def sentinel_flips(
    sentinels: pd.DataFrame, sides: tuple[str, str] = P_POSITIVE.sides
) -> pd.DataFrame:
    """When which sentinel changed sides: step, text, from_label, to_label, in order of step.
    ``sides`` are the labels below and above one half.

    A probability of exactly one half, or one that is missing, changes nothing.
    """
    sided = sentinels[sentinels["p_positive"].notna() & (sentinels["p_positive"] != 0.5)]
    sided = sided.sort_values("step", kind="stable")
    label = (sided["p_positive"] > 0.5).map({False: sides[0], True: sides[1]})
    before = label.groupby(sided["text"]).shift()
    found = pd.DataFrame(
        {"step": sided["step"], "text": sided["text"], "from_label": before, "to_label": label}
    )
    return found[before.notna() & (before != label)].reset_index(drop=True)


def epoch_bands(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Columns arm, epoch, mean, low, high, seeds: over the runs of an arm that have come to that
    epoch. ``rows`` has arm, seed, epoch and the measure.
    """
    if rows.empty:
        return pd.DataFrame(columns=["arm", "epoch", "mean", "low", "high", "seeds"])
    known = rows.dropna(subset=[measure]).groupby(["arm", "epoch"], sort=True)[measure]
    return known.agg(mean="mean", low="min", high="max", seeds="count").reset_index()


def gradient_sentence(steps: pd.DataFrame) -> str:
    """What to look for in the gradient norms, from the data; empty without any."""
    known = finite_numbers(steps, ["step", "grad_norm"]).dropna()
    if known.empty:
        return ""
    norms, highest = known["grad_norm"], known.loc[known["grad_norm"].idxmax()]
    return (
        f"In {100 * (norms > MAX_GRADIENT_NORM).mean():.0f} % of {len(norms):,} steps the gradient "
        f"was longer than {MAX_GRADIENT_NORM:g} and was shortened to that before the update. Half "
        f"of the norms are below {norms.median():.2g}; the highest is {highest['grad_norm']:.2g}, "
        f"at step {highest['step']:,.0f}."
    )
