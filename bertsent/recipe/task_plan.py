"""The plan by which the heads of further tasks are trained, all at once, and their sets as it
takes them.
"""

from collections.abc import Mapping

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.plan import Plan, Stage
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY

LEARN_FROM = {  # the head that each set teaches
    "sentences": FIVE_STEPS.name,
    "phrases": FIVE_STEPS.name,
    "sts": SIMILARITY.name,
    "sick": SIMILARITY.name,
    "questions": PARAPHRASE.name,
    "paws": PARAPHRASE.name,
    "terms": ASPECTS.name,
    "tweets": FEELINGS.name,
    "categories": ASPECTS.name,
    "own steps": FIVE_STEPS.name,
    "own neutral": FIVE_STEPS.name,
    "own aspects": ASPECTS.name,
    "restaurants": ASPECTS.name,
    "sts swapped": SIMILARITY.name,
    "similar": SIMILARITY.name,
    "own scores": SIMILARITY.name,
}
TASKS_PLAN = Plan(
    heads={
        FIVE_STEPS.name: "five classes",
        ASPECTS.name: "three classes",
        FEELINGS.name: "eleven labels",
        SIMILARITY.name: "rating to 5",
        PARAPHRASE.name: "one logit",
    },
    pooling="mean",
    towards_sentiment=0.6,
    hidden_dropout=0.1,
    stages=(
        Stage(
            "heads",
            steps=5_000,
            longest=128,
            encoder_lr=6e-5,
            head_lr=1e-3,
            shares={
                "sentences": 0.10,
                "phrases": 0.28,
                "sts": 0.12,
                "sick": 0.06,
                "questions": 0.16,
                "paws": 0.05,
                "terms": 0.10,
                "tweets": 0.13,
            },
        ),
        Stage(  # what the first one left weakest, with something of all
            "weakest",
            steps=1_400,
            longest=128,
            encoder_lr=6e-5,
            head_lr=5e-4,
            kept=0.5,
            shares={
                "sentences": 0.05,
                "phrases": 0.08,
                "sts": 0.07,
                "sts swapped": 0.07,
                "similar": 0.17,
                "sick": 0.03,
                "questions": 0.09,
                "terms": 0.12,
                "categories": 0.06,
                "restaurants": 0.15,
                "tweets": 0.05,
                "own steps": 0.01,
                "own neutral": 0.02,
                "own aspects": 0.02,
                "own scores": 0.01,
            },
        ),
        Stage(  # mostly what is said of single aspects, with something of all the others
            "aspects",
            steps=1_600,
            longest=128,
            encoder_lr=6e-5,
            head_lr=5e-4,
            kept=0.3,
            shares={
                "sentences": 0.04,
                "phrases": 0.05,
                "sts": 0.06,
                "sts swapped": 0.06,
                "similar": 0.06,
                "sick": 0.01,
                "questions": 0.05,
                "terms": 0.13,
                "categories": 0.07,
                "restaurants": 0.41,
                "tweets": 0.04,
                "own aspects": 0.02,
            },
        ),
    ),
)
_ALPHABETICAL = [FEELINGS.labels.index(label) for label in sorted(FEELINGS.labels)]


def task_rows(sets: Mapping[str, Reviews]) -> dict[str, LearnedRows]:
    """What the heads learn from; the feelings stand in alphabetical order."""
    return {name: _rows(LEARN_FROM[name], reviews) for name, reviews in sets.items()}


def _rows(head: str, reviews: Reviews) -> LearnedRows:
    targets = np.array(reviews.targets, float)
    return LearnedRows(
        reviews.inputs, {head: targets[:, _ALPHABETICAL] if head == FEELINGS.name else targets}
    )
