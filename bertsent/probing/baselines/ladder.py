"""Measured scores in, the course's ladder of methods with its stars beside them out (row
001-14).
"""

import pandas as pd

from bertsent.probing.baselines.course_tables import LADDER
from bertsent.probing.baselines.pipelines import FROZEN_LR
from bertsent.probing.baselines.shipped import SHIPPED_SIZE, baseline_scores
from bertsent.probing.shipped_scores import BERT, BUILTIN_VALIDATION, shipped_scores, slice_of
from bertsent.written_numbers import written

LADDER_SETS = {
    "IMDb, held-out films": "whole reviews",
    "IMDb contrast sets": "reviews edited until their label turned",
    BUILTIN_VALIDATION: "hard one-liners",
}


def measured(trained_on: str) -> pd.DataFrame:
    """Columns method, set, n, right, low, high: the baselines that ship, then the built-in BERT;
    empty where nothing ships.
    """
    columns, tables = ["method", "set", "n", "right", "low", "high"], []
    baselines, bert = baseline_scores(), shipped_scores()
    if baselines is not None:
        ships = baselines["size"] == SHIPPED_SIZE
        chosen = baselines[ships & (baselines["trained_on"] == trained_on)]
        tables.append(chosen[chosen["set"].isin(list(LADDER_SETS))][columns])
    if bert is not None:
        found = {name: slice_of(bert, name, "all") for name in LADDER_SETS}
        rows = [
            (BERT, name, each.n, each.right, *each.interval)
            for name, each in found.items()
            if each is not None
        ]
        tables.append(pd.DataFrame(rows, columns=columns))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def ladder_table(trained_on: str) -> pd.DataFrame:
    """One row a method, the simplest first: method, stars, the course says, then a measured
    accuracy with its interval for each of ``LADDER_SETS``, empty where it was not measured.
    """
    scores = measured(trained_on).set_index(["method", "set"])
    words = {name: (stars, said) for name, stars, said in LADDER}
    names = [*list(words)[:3], FROZEN_LR, BERT, *list(words)[3:]]
    rows = []
    for name in names:
        cells = [_cell(scores, name, of) for of in LADDER_SETS]
        rows.append((name, *words.get(name, ("", "not in its table")), *cells))
    return pd.DataFrame(rows, columns=["method", "stars", "the course says", *LADDER_SETS])


def ladder_sentence(trained_on: str) -> str:
    """How far the built-in BERT is above the first rung, on each set."""
    scores = measured(trained_on)
    first, last = (
        scores[scores["method"] == name].set_index("set") for name in (LADDER[0][0], BERT)
    )
    both = [name for name in LADDER_SETS if name in first.index and name in last.index]
    points = [
        f"{written(share(last, name) - share(first, name), '+.0f')} points on {LADDER_SETS[name]}"
        for name in both
    ]
    if not points:
        return "Nothing was measured here yet."
    return f"From BOW + SVM to the built-in BERT: {', '.join(points)}."


def share(scores: pd.DataFrame, name: str) -> float:
    """Right answers in per cent."""
    return 100 * float(scores.loc[name, "right"]) / float(scores.loc[name, "n"])


def _cell(scores: pd.DataFrame, method: str, of: str) -> str:
    if (method, of) not in scores.index:
        return "not measured"
    row = scores.loc[(method, of)]
    return (
        f"{100 * row['right'] / row['n']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
    )
