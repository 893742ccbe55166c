"""Measured scores in, the card of the baselines that ship out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from bertsent.probing.baselines.shipped import FULL_SIZE, HARD, ORDINARY, SHIPPED_SIZE
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION, title_of
from bertsent.recipe.datasets import HELD_OUT
from bertsent.written_numbers import written

if TYPE_CHECKING:
    from bertsent.recipe.baselines import BaselineSizes

_HEAD = """\
# The baselines that ship

Simple classifiers for a film review in English, to be compared with BERT: word counts under a
linear support vector machine, TF-IDF under logistic regression, a bidirectional LSTM, and three
classifiers on the vectors of a BERT that was not fine-tuned. Each was trained twice, on ordinary
reviews (`imdb.safetensors`) and on hard ones (`builtin.safetensors`). The files hold words, their
weights and small layers in half precision, no review and no code. {size}

`python -m bertsent.recipe DATA --only baselines` makes them again; the same data and seed give the
same bytes on the same machine. `bertsent.probing.baselines.shipped.others_say` asks them.
"""
_HOW = """\
## How they were trained
| | ordinary | hard |
|---|---|---|
| reviews | {imdb:,} of the Large Movie Review Dataset (Maas et al. 2011), training part, without \
the films of fold 9 and without originals of development pairs | {builtin:,} of the built-in set, \
training part |
| BOW + SVM | C = {a.svm_c:g}; {a.words:,} words ship | C = {b.svm_c:g}; {b.words:,} words ship |
| TF-IDF + logistic regression | words and word pairs, C = 10; {a.pairs:,} ship | the same; \
{b.pairs:,} ship |
| LSTM | {small_a} ship, {full_a} at full size | {small_b} ship, {full_b} at full size |
| Frozen BERT | all-MiniLM-L6-v2, mean of the last layer, one review in {a.every} read | the same, \
all reviews read |

C of the SVM and of logistic regression on vectors is smaller on ordinary reviews because they are \
much longer; it was chosen on fold 9, so scores on that fold flatter them a little. \
Words that ship are those whose contribution varies most over the training reviews; the classifier \
was then trained on them alone.
"""


def baselines_card(
    scores: pd.DataFrame,
    counts: Mapping[str, int],
    sizes: "Mapping[str, BaselineSizes]",
    file_bytes: Mapping[str, int],
) -> str:
    """The card as Markdown.

    Args:
        scores: as ``make_baselines`` measures them.
        counts: how many reviews were learned from.
        sizes: how they were trained.
        file_bytes: of each file that ships.
    """
    a, b = sizes[ORDINARY], sizes[HARD]
    total = sum(file_bytes.values())
    how = _HOW.format(
        imdb=counts[ORDINARY],
        builtin=counts[HARD],
        a=a,
        b=b,
        small_a=_lstm(a.small_lstm),
        full_a=_lstm(a.full_lstm),
        small_b=_lstm(b.small_lstm),
        full_b=_lstm(b.full_lstm),
    )
    return "\n".join([_HEAD.format(size=f"Together {total / 1e6:.2f} MB."), how, *_scores(scores)])


def _lstm(config: object) -> str:
    words, size = getattr(config, "vocabulary_size", 0), getattr(config, "hidden_size", 0)
    return f"{words:,} words, 2 × {size} units"


def _scores(scores: pd.DataFrame) -> list[str]:
    lines = [
        "## Scores",
        "Right answers in per cent with the 95 % interval (Wilson; minimal pairs count together). "
        "No review below was learned from; the built-in test part was filtered against word "
        "counters, the validation part was not.",
        "",
        _cost(scores),
        "",
    ]
    for trained_on, rows in scores.groupby("trained_on", sort=False):
        sets = rows.drop_duplicates("set").set_index("set")["n"]
        head = " | ".join(f"{title_of(name)} (n = {n:,})" for name, n in sets.items())
        lines += [
            f"### Trained on {trained_on}",
            "",
            f"| | {head} |",
            f"|---|{'---|' * len(sets)}",
        ]
        for (method, size), found in rows.groupby(["method", "size"], sort=False):
            cells = [_cell(found[found["set"] == name].iloc[0]) for name in sets.index]
            lines.append(f"| {method}, {size} | {' | '.join(cells)} |")
        lines.append("")
    return lines


def _cost(scores: pd.DataFrame) -> str:
    """What making them small cost, on the reviews of the kind that each learned from."""
    parts = []
    for trained_on, of in ((ORDINARY, HELD_OUT), (HARD, BUILTIN_VALIDATION)):
        rows = scores[(scores["trained_on"] == trained_on) & (scores["set"] == of)]
        share = 100 * rows["right"] / rows["n"]
        wide = rows.assign(share=share).pivot(index="method", columns="size", values="share")
        change = wide[SHIPPED_SIZE] - wide[FULL_SIZE]
        parts.append(
            f"{written(change.min(), '+.1f')} to {written(change.max(), '+.1f')} points on {of}"
        )
    return f"Made small, they changed by {' and by '.join(parts)}."


def _cell(row: pd.Series) -> str:
    return f"{100 * row.right / row.n:.1f} ({100 * row.low:.1f} to {100 * row.high:.1f})"
