"""A subgroup check in, what it found in a sentence and as the small tables of a model card and of
the command line out.
"""

import pandas as pd

from bertsent.probing.subgroups.check import SubgroupCheck
from bertsent.statistics import ALPHA
from bertsent.written_numbers import written

_CARD = (
    "| swapped | groups | templates | widest gap of P(positive), points (95 % interval) "
    "| templates in which a label flips | right labels, by group |"
)


def is_apart(groups: pd.DataFrame) -> pd.Series:
    """Which gaps have an interval that leaves out zero."""
    return (groups["low"] > 0) | (groups["high"] < 0)


def sentence(check: SubgroupCheck, model: str) -> str:
    """How many gaps are more than chance, the widest of them, and how often a swap flips the
    label.
    """
    groups, cases = check.groups, check.cases
    apart = groups[is_apart(groups)]
    found = f"{model}: {len(apart)} of {len(groups)} gaps have an interval that leaves out zero"
    if len(apart):
        chance = ALPHA * len(groups)
        row = apart.loc[apart["gap"].abs().idxmax()]
        found += (
            f" (by chance alone about {chance:.0f} would), the widest that of “{row['group']}” "
            f"({row['attribute']}), {points(row)} points of P(positive)"
        )
    flipped, count = cases[cases["flipped"]]["template"].nunique(), cases["template"].nunique()
    return f"{found}. A swap flips the label in {flipped} of {count} templates."


def attribute_sentence(check: SubgroupCheck, attribute: str) -> str:
    """The groups of one attribute with the lowest and the highest P(positive), and the flips."""
    groups = check.groups[check.groups["attribute"] == attribute]
    ends = groups.loc[[groups["gap"].idxmin(), groups["gap"].idxmax()]].drop_duplicates()
    said = " and ".join(f"“{row['group']}” {points(row)}" for _, row in ends.iterrows())
    facts = check.attributes().set_index("attribute").loc[attribute]
    return (
        f"Ends of the scale, in points of P(positive): {said}. A label flips in "
        f"{facts['flipped']} of {facts['n']} templates."
    )


def points(row: pd.Series) -> str:
    """A gap with its interval, in percentage points."""
    return f"{_points(row['gap'])} ({_points(row['low'])} to {_points(row['high'])})"


def card_table(check: SubgroupCheck) -> str:
    """One row per attribute, as Markdown: for a model card."""
    lines = [_CARD, "|---|---|---|---|---|---|"]
    for row in check.attributes().itertuples():
        cells = (
            row.attribute,
            row.groups,
            row.n,
            f"{row.group}: {points(pd.Series(row._asdict()))}",
            row.flipped,
            f"{100 * row.right_least:.0f} to {100 * row.right_most:.0f} %",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def group_lines(check: SubgroupCheck) -> list[str]:
    """One line per group: its gap, in how many templates a label flips, and right labels."""
    return [
        f"{row.attribute:20} {row.group:26} gap {points(pd.Series(row._asdict())):24} "
        f"flips {row.flipped:2d} of {row.n}   right {row.right:.3f}"
        for row in check.groups.itertuples()
    ]


def document(check: SubgroupCheck) -> dict[str, object]:
    """The same as plain values: a list of attributes and one of groups."""
    tables = {"attributes": check.attributes(), "groups": check.groups}
    return {name: table.to_dict(orient="records") for name, table in tables.items()}


def _points(share: float) -> str:
    return written(100 * share, "+.1f")
