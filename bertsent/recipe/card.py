"""Measured facts in, the model card of the shipped model out (Mitchell et al. 2019)."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from bertsent.models.checkpoint import CheckpointCard
from bertsent.models.export import CLEANING
from bertsent.probing.shipped_scores import MODELS, side_by_side, slice_of
from bertsent.probing.slices import Slice
from bertsent.recipe.stages import MEANS, SHIPPED_SHARES, STAGES
from bertsent.training.config import RunConfig

_HEAD = """\
---
license: other
language: en
base_model: sentence-transformers/all-MiniLM-L6-v2
pipeline_tag: text-classification
---
# The built-in sentiment model of bertsent

Two labels for a film review in English: NEGATIVE (0) and POSITIVE (1). Six layers, twelve heads,
384 wide. The file holds the trained layers in half precision and the head; the input vectors are
those of all-MiniLM-L6-v2, which were not trained. Load it with `bertsent.load("builtin")` or
`python -m bertsent predict`; `python -m bertsent export builtin FOLDER` writes it as a whole model
that `transformers` loads by itself. {cleaning}

It is made for a lab and a classroom: to be questioned, examined and taken apart. It is not a
product, and no decision about people should rest on it.
"""
_DATA = """\
## What it learned from
| source | what was used | terms, as stated there |
|---|---|---|
| Large Movie Review Dataset (Maas et al. 2011) | training reviews (1) | cite |
| Counterfactually-augmented data (Kaushik et al. 2020) | training pairs | Apache-2.0 |
| Stanford Sentiment Treebank (Socher et al. 2013) | training sentences, phrases (2) | none stated |
| built-in reviews of this project and the one-liners beside them | `train` of both | CC0-1.0 |
| revisions of this project (`assets/revisions`) | all, applied to their IMDb reviews | CC0-1.0 |

(1) of nine films in ten, but not the originals of the development pairs; (2) that are not neutral.

No text of the public sets is in this repository. The weights derive from all-MiniLM-L6-v2
(Apache-2.0) and from those texts; whoever wants to use them outside research should look at the
terms of the sources, several of which state none.
"""
_LIMITS = """\
## Limits
- It reads 512 tokens and ignores the rest. It knows English film and series reviews; elsewhere its
  confidence means little.
- The temperature was fitted on IMDb. On one-line reviews, sarcasm above all, it is surer than it is
  right.
- Sarcasm, understatement and long turns ("…, but …") are where it errs; the table by phenomenon
  shows how often. A class will find others in a minute, and that is what it is for.
- It was not tested for differences between groups of people. Names, dialects and identity words may
  shift its answers; minimal pairs typed into the Probe page are a way to find out.
- Some of the revisions it learned from were written in the manner of the development part of the
  IMDb contrast sets, so its score on that part flatters it.
- The built-in test reviews were written by the same kind of author as those it learned from (a
  language model, in other batches of the same project), so people's own one-liners will be harder
  than that column says.
"""


@dataclass(frozen=True)
class Facts:
    """What the card says that was measured or chosen."""

    card: CheckpointCard
    errors: tuple[
        float, float
    ]  # expected calibration error on held-out IMDb, before and after the temperature
    runs: tuple[RunConfig, ...]
    scores: pd.DataFrame


def card_text(facts: Facts) -> str:
    """The card as Markdown."""
    return "\n".join(
        [
            _HEAD.format(cleaning=CLEANING),
            _scores(facts.scores),
            _calibration(facts),
            _DATA,
            _recipe(facts),
            _LIMITS,
        ]
    )


def _scores(scores: pd.DataFrame) -> str:
    lines = [
        "## Scores",
        "Accuracy in per cent with its 95 % interval (Wilson); the other two learned from the same "
        "reviews.",
        "",
    ]
    for name in scores["set"].unique():
        lines += [
            f"### {name}",
            "",
            f"| slice | n | {' | '.join(MODELS)} |",
            f"|---|---|{'---|' * len(MODELS)}",
        ]
        for row in side_by_side(scores, name).itertuples():
            cells = [_cell(slice_of(scores, name, row.Index, model)) for model in MODELS]
            lines.append(f"| {row.Index} | {row.n:,} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(found: Slice | None) -> str:
    if found is None:
        return ""
    low, high = found.interval
    return f"{100 * found.accuracy:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _calibration(facts: Facts) -> str:
    before, after = facts.errors
    return (
        f"Expected calibration error on the held-out IMDb reviews (15 bins): {before:.3f} before "
        f"and {after:.3f} after the logits were "
        f"divided by T = {facts.card.temperature:.3f}, which was chosen for the least error on the "
        "same reviews. The division is part of "
        "the weights.\n"
    )


def _recipe(facts: Facts) -> str:
    again = f"`python -m bertsent.recipe DATA` repeats it: {len(STAGES)} runs, one after another."
    lines = ["## How it was trained", again, ""]
    for run in facts.runs:
        t = run.training
        layers = f"the last {t.last_layers} layers" if t.trains == "last" else "all layers"
        inside = f", dropout {t.hidden_dropout:g} inside" if t.hidden_dropout else ""
        epochs = "1 epoch" if t.epochs == 1 else f"{t.epochs} epochs"
        lines.append(
            f"- **{run.data.source}**: {run.data.train_rows:,} texts, {epochs} of batches of "
            f"{t.batch_size}, up to {t.max_length} tokens, "
            f"AdamW at {t.encoder_lr:g} (head {t.head_lr:g}), warm-up "
            f"{100 * t.warmup_share:.0f} %, label smoothing {t.label_smoothing:g}{inside}, "
            f"seed {t.seed}, {layers} and the head, from {STAGES[run.data.source].start}. "
            f"Data {run.data.sha256[:12]}, torch {run.versions.get('torch', '?')}."
        )
    lines += ["", *(f"- {name}: the mean of {_mixed(shares)}" for name, shares in MEANS.items())]
    what = (
        f"What ships is the mean of {_mixed(SHIPPED_SHARES)}: of the mixtures tried, the best "
        "on short and turned reviews that keeps IMDb."
    )
    lines += ["", what, ""]
    return "\n".join(lines)


def _mixed(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{100 * share:.0f} % of {name}" for name, share in shares.items())
