"""Tables of measured scores in, sections of a model card out."""

import pandas as pd

from bertsent.probing.shipped_scores import (
    BERT,
    MODELS,
    NO_OPINION,
    side_by_side,
    slice_of,
    title_of,
)
from bertsent.probing.slices import Slice

_SUBGROUPS = "## Subgroups\n"
_SWAPPED = """\
The same sentence about, by or in the English of different people (`assets/checks`, written by a
language model): the gap of a group is how far its mean P(positive) is from that of all groups in
the same sentences. `python -m bertsent evaluate --subgroups` measures it again.
"""
_MEASURES = """\
## Scores
**Balanced accuracy** in per cent with its 95 % interval: the mean of the shares of right answers of
the negative and of the positive reviews, from Wilson's interval of each (Zou and Donner 2008).
Guessing, and answering always the same, get 50. Behind it the accuracy of BERT with Wilson's
interval. Where all reviews of a slice have one label, and for pairs (both sides right; guessing
gives 25), all columns are accuracies. n is the number of negative and of positive reviews.

The word counters learned from the sets that the recipe draws from now, as far as they take sides.
"""
_SURE = """\
## Confidence
Of each set: how sure the answers are on average, how many are right, and the expected calibration
error (15 bins; 0 is perfect) with the temperature that ships and without it; then how many answers
are over 90 % sure, and how many of those are right. The logits were divided by
T = {temperature:.3f}, which was chosen for the least error on the held-out IMDb reviews; the
division is part of the weights. **On one-liners and other short sentences the confidence is not
calibrated**: compare their rows with that of IMDb.

| set | n | mean confidence | right | error | without T | over 90 % sure | of these right |
|---|---|---|---|---|---|---|---|
{rows}

**A text without an opinion has no right side, and {share:.0f} % of {n:,} get an answer that is over
90 % sure.** A sure answer does not say that a text judges anything.
"""


def score_sections(scores: pd.DataFrame) -> str:
    """One table a set, in their order."""
    lines = [_MEASURES]
    heads = " | ".join([*MODELS, f"{BERT}, accuracy"])
    for name in scores["set"].unique():
        lines += [
            f"### {title_of(name)}",
            "",
            f"| slice | n | {heads} |",
            f"|---|---|{'---|' * (len(MODELS) + 1)}",
        ]
        for row in side_by_side(scores, name).itertuples():
            found = [slice_of(scores, name, row.Index, model) for model in MODELS]
            cells = [_score(each) for each in found]
            counts = f"{row.negative:,} + {row.positive:,}" if row.negative + row.positive else ""
            counted = counts or f"{row.n:,} pairs"
            lines.append(
                f"| {row.Index} | {counted} | {' | '.join(cells)} | {_accuracy(found[0])} |"
            )
        lines.append("")
    return "\n".join(lines)


def confidence_section(table: pd.DataFrame, temperature: float) -> str:
    """How sure the model is, a row a set."""
    rows = []
    for row in table.itertuples():
        judged = row.set != NO_OPINION
        cells = (
            title_of(row.set),
            f"{row.n:,}",
            f"{100 * row.confidence:.1f} %",
            f"{100 * row.right / row.n:.1f} %" if judged else "",
            f"{row.error:.3f}" if judged else "",
            f"{row.error_without:.3f}" if judged else "",
            f"{100 * row.sure / row.n:.1f} %",
            f"{100 * row.sure_right / row.sure:.1f} %" if judged and row.sure else "",
        )
        rows.append(f"| {' | '.join(cells)} |")
    nothing = table[table["set"] == NO_OPINION].iloc[0]
    share = 100 * nothing["sure"] / nothing["n"]
    return _SURE.format(temperature=temperature, rows="\n".join(rows), share=share, n=nothing["n"])


def subgroup_section(table: str) -> str:
    """How far the answers move with words that say who somebody is.

    Args:
        table: as ``subgroups.summary.card_table`` writes it; empty where it was not measured.
    """
    if not table:
        return f"{_SUBGROUPS}Not measured.\n"
    return f"{_SUBGROUPS}{_SWAPPED}\n{table}\n"


def _score(found: Slice | None) -> str:
    return "" if found is None else _shown(found.score, found.score_interval)


def _accuracy(found: Slice | None) -> str:
    return "" if found is None else _shown(found.accuracy, found.interval)


def _shown(share: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{100 * share:.1f} ({100 * low:.1f} to {100 * high:.1f})"
