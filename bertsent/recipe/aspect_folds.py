"""How hard are the restaurant rows that the shipped heads are judged on? Four encoders learn
aspects alone, each from three quarters of the other sentences, and answer both the rest of those
and the rows that are held out.

Of restaurant sentences only terms are learned: what is said of a category of the same sentence
would give the answer away.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.model_selection import GroupKFold

from bertsent.data.examples import Reviews
from bertsent.probing.loaded_model import load_head
from bertsent.recipe.learning import learn
from bertsent.recipe.plan import Plan, Stage
from bertsent.recipe.task_heads import read_state, write_heads
from bertsent.recipe.task_plan import task_rows
from bertsent.recipe.task_sets import learned_sets, restaurant_terms
from bertsent.statistics import accuracy_interval
from bertsent.tasks.catalogue import ASPECTS

FOLDS = 4
FOLD_PLAN = Plan(
    heads={ASPECTS.name: "three classes"},
    pooling="mean",
    towards_sentiment=1.0,
    hidden_dropout=0.1,
    stages=(
        Stage(
            "aspects",
            steps=480,
            longest=128,
            encoder_lr=6e-5,
            head_lr=1e-3,
            shares={"terms": 0.6, "restaurants": 0.4},
            sets_a_step=1,
        ),
    ),
)


def aspect_folds(data: Path, work: Path, plan: Plan = FOLD_PLAN) -> Iterator[str]:
    """Yields how far a training is, the accuracy of each fold, and that of all. Called again, it
    goes on where it was.

    Args:
        data: the folder with the public sets.
        work: what is unfinished, and the weights of each fold.
        plan: how each encoder learns.

    Raises:
        NotAvailable: a data file is missing.
    """
    held_out, others = (restaurant_terms(data, held_out=held) for held in (True, False))
    learned = learned_sets(data)
    right, hard = np.zeros(len(others), bool), np.zeros((FOLDS, len(held_out)), bool)
    for number, places in enumerate(folds(others)):
        asked = replace(others, examples=tuple(others.examples[place] for place in places))
        sets = {**learned, "terms": _without(learned["terms"], asked)}
        weights = work / f"fold-{number + 1}" / "weights.pt"
        if not weights.is_file():
            rows = {name: sets[name] for stage in plan.stages for name in stage.shares}
            yield from learn(task_rows(rows), plan, weights)
        folder = weights.with_name("heads")
        write_heads(read_state(weights), folder, {ASPECTS.name: ASPECTS})
        model = load_head(folder, ASPECTS.name)
        right[places], hard[number] = (
            model.answers(reviews.inputs).argmax(-1) == np.array(reviews.targets)
            for reviews in (asked, held_out)
        )
        both = _in_words(right[places], asked), _in_words(hard[number], held_out)
        yield f"Fold {number + 1}: {'; '.join(both)}"
    mean = f"held out {100 * hard.mean():.1f} % on average"
    yield f"All {FOLDS} folds: {_in_words(right, others)}; {mean}"


def folds(reviews: Reviews) -> list[np.ndarray]:
    """Which rows each fold asks for; those of one sentence stay together."""
    sentences = [each.pair for each in reviews]
    return [asked for _, asked in GroupKFold(FOLDS).split(sentences, groups=sentences)]


def _without(learned: Reviews, asked: Reviews) -> Reviews:
    """The rows whose texts are not asked for."""
    texts = {each.text for each in asked}
    return replace(learned, examples=tuple(each for each in learned if each.text not in texts))


def _in_words(right: np.ndarray, reviews: Reviews) -> str:
    """An accuracy with its interval."""
    low, high = accuracy_interval(right, np.array([each.pair for each in reviews]))
    interval = f"({100 * low:.1f} to {100 * high:.1f})"
    return f"{reviews.name} {100 * right.mean():.1f} % {interval} of {len(reviews):,}"
