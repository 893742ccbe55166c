"""By what a sentence is followed while a model learns, against probabilities worked out by hand."""

import numpy as np
import pytest

from bertsent.data.examples import LABELS
from bertsent.tasks.catalogue import (
    ASPECTS,
    FEELINGS,
    FIVE_STEPS,
    PARAPHRASE,
    SENTIMENT,
    SIMILARITY,
)
from bertsent.tasks.followed import P_POSITIVE, followed_answer
from bertsent.tasks.mixed import THREE_TASKS, MixedTask
from bertsent.tasks.task import OneLabel, Rating

STARS = Rating("stars", "Stars", low=1.0, high=5.0)
GENRES = OneLabel("labels", "Genres", labels=("war", "love", "crime"))


@pytest.mark.parametrize(
    ("task", "logits", "share"),
    [
        (SENTIMENT, [0.0, np.log(3)], 0.75),
        (FIVE_STEPS, np.log([0.1, 0.2, 0.4, 0.2, 0.1]), 0.5),
        (FIVE_STEPS, np.log([0.1, 0.1, 0.1, 0.1, 0.6]), (0.1 + 0.2 + 0.3 + 2.4) / 4),
        (STARS, [2.0], 0.25),
        (STARS, [9.0], 1.0),
        (THREE_TASKS, [*np.log([0.6, 0.1, 0.1, 0.1, 0.1]), 3, -3, 5], 0.25),
    ],
)
def test_the_share_of_the_way_from_the_lowest_answer_to_the_highest(task, logits, share) -> None:
    followed = followed_answer(task)
    assert followed.share(np.array([logits], np.float32)) == pytest.approx([share], abs=1e-6)


def test_two_labels_are_followed_by_the_probability_of_the_second() -> None:
    assert followed_answer(SENTIMENT) is P_POSITIVE and P_POSITIVE.sides == LABELS
    assert followed_answer(FIVE_STEPS).title == "from very negative to very positive"


@pytest.mark.parametrize(
    "task",
    [ASPECTS, FEELINGS, SIMILARITY, PARAPHRASE, GENRES, MixedTask("m", "M", parts=(FEELINGS,))],
)
def test_an_answer_that_is_not_more_or_less_is_not_followed(task) -> None:
    assert followed_answer(task) is None
