"""The plan, its sets and the log of a training in, the sections of the model card that tell it out:
what was learned from, how, and how that was chosen.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from bertsent.recipe.card import CHOSEN, LEARNED, TRAINED
from bertsent.recipe.datasets import RecipeData
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.plan import Plan
from bertsent.recipe.sentiment_plan import HOW_CHOSEN, SENTIMENT_PLAN
from bertsent.recipe.sentiment_sets import NEITHER, sentiment_rows

_IMDB = "Large Movie Review Dataset (Maas et al. 2011)"
_TREEBANK = "Stanford Sentiment Treebank (Socher et al. 2013)"
_MODELS = "language models, for this project"
SOURCES = {  # of each set: what it is, who wrote it, its terms
    "phrases": (f"phrases of the {_TREEBANK}", "critics; labelled by crowd workers", "none stated"),
    "sentences": (f"sentences of the {_TREEBANK}", "the same", "none stated"),
    "snippets": (
        "Rotten Tomatoes snippets (Pang and Lee 2005)",
        "critics, with their own verdict",
        "none stated",
    ),
    "lines": ("one-liners, `train`", _MODELS, "CC0-1.0"),
    "builtin": ("built-in reviews, `train`", _MODELS, "CC0-1.0"),
    "register": ("comments in real register, `train`", _MODELS, "CC0-1.0"),
    "comments": (
        "GoEmotions (Demszky et al. 2020)",
        "users of Reddit; labelled by crowd workers",
        "Apache-2.0",
    ),
    "nothing": ("texts without an opinion, `train`", _MODELS, "CC0-1.0"),
    "passages": ("shared words left out of the revisions", f"as below, cut by {_MODELS}", "cite"),
    "endings": (f"last words of the reviews of the {_IMDB}", "users of IMDb", "cite"),
    "imdb": (f"{_IMDB}, nine films in ten", "users of IMDb, with their own stars", "cite"),
    "pairs": (
        "Counterfactually-augmented data (Kaushik et al. 2020), training pairs",
        "users of IMDb; edited by crowd workers",
        "Apache-2.0",
    ),
    "revisions": (
        "revisions in `assets/revisions`, with their IMDb reviews",
        f"users of IMDb; edited by {_MODELS}",
        "CC0-1.0, the reviews: cite",
    ),
}
_LEARNED = """\
| set | what it is | written by | rows: against, for, neither | read, by stage | terms |
|---|---|---|---|---|---|
{rows}

How often each row was read on average stands under "read". Whatever the model is judged on was
taken out: fold 9 of IMDb, the originals of the development pairs, SST's development part among
sentences and snippets, `validation` and `test` of the texts of this project.

No text of the public sets is in this repository. The weights derive from all-MiniLM-L6-v2
(Apache-2.0) and from those texts; whoever wants to use them outside research should look at the
terms of the sources, several of which state none."""

_LOG = """\
Its log lies beside this card (`training.jsonl`): the SHA-256 of each set that was learned from, the
losses, and the SHA-256 of the weights with the machine that they come from. Elsewhere other digits
come out."""


def story_of_plan(data: RecipeData, weights: Path) -> dict[str, str]:
    """The sections of a model that ``SENTIMENT_PLAN`` made, by their names.

    Args:
        data: what it learned from.
        weights: beside them lie the plan in words (``.md``) and the log (``.jsonl``), if any.
    """
    words, log = weights.with_suffix(".md"), weights.with_suffix(".jsonl")
    story = words.read_text(encoding="utf-8").strip() if words.is_file() else ""
    return {
        LEARNED: learned_section(sentiment_rows(data), SENTIMENT_PLAN),
        TRAINED: "\n\n".join(filter(None, (story, hours_of(log)))),
        CHOSEN: HOW_CHOSEN,
    }


def learned_section(sets: Mapping[str, LearnedRows], plan: Plan) -> str:
    """What was learned from: each set with its source, its authors, its rows and how often they
    were read.
    """
    rows = []
    for name, learned in sets.items():
        truth = learned.targets["sentiment"]
        neither = int((truth == NEITHER).sum())
        against = int((truth < NEITHER).sum())
        counts = f"{against:,}, {len(truth) - against - neither:,}, {neither:,}"
        times = " + ".join(f"{times:.1f}" for times in plan.times_read(name, len(truth)))
        what, authors, terms = SOURCES[name]
        rows.append(f"| {name} | {what} | {authors} | {counts} | {times} | {terms} |")
    return _LEARNED.format(rows="\n".join(rows))


def hours_of(log: Path) -> str:
    """On what and for how long a training computed, from its log; empty where it does not say."""
    if not log.is_file():
        return ""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    devices = " and ".join(sorted({line["device"] for line in lines if "device" in line}))
    hours = sum(line.get("seconds", 0.0) for line in lines) / 3600
    computed = f"It computed for {hours:.1f} hours on: {devices}."
    return f"{computed} {_LOG}" if devices else ""
