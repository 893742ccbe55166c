"""Every task but sentiment in two labels has one question, and with it one tab of Probe."""

import pytest

from bertsent.tasks.catalogue import (
    ASPECTS,
    FEELINGS,
    FIVE_STEPS,
    PARAPHRASE,
    SENTIMENT,
    SIMILARITY,
)
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.tasks.questions import (
    asks_for_feelings,
    asks_for_own,
    asks_for_steps,
    asks_how_alike,
    asks_of_aspects,
    asks_whether_same,
)
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels

ALL = (
    asks_for_steps,
    asks_of_aspects,
    asks_for_feelings,
    asks_how_alike,
    asks_whether_same,
    asks_for_own,
)
TOPICS = OneLabel("labels", "One of 3 labels", labels=("cooking", "sports", "travel"))
ENTAILMENT = OneLabel("labels", "One of 3 labels", "two texts", labels=("a", "b", "c"))
TAGS = SeveralLabels("several", "Several of 2 labels", labels=("cooking", "sports"))
EIGHT = SeveralLabels("feelings", "Feelings", labels=FEELINGS.labels[:8])


@pytest.mark.parametrize(
    ("task", "asks"),
    [
        (FIVE_STEPS, asks_for_steps),
        (ASPECTS, asks_of_aspects),
        (FEELINGS, asks_for_feelings),
        (EIGHT, asks_for_feelings),
        (SIMILARITY, asks_how_alike),
        (PARAPHRASE, asks_whether_same),
        (TOPICS, asks_for_own),
        (ENTAILMENT, asks_for_own),
        (TAGS, asks_for_own),
        (Rating("rating", "A number", low=0, high=10), asks_for_own),
        (OneLabel("labels", "One of 2 labels", labels=("ham", "spam")), asks_for_own),
        (OneLabel("labels", "Stars", labels=("1", "2", "3"), ordered=True), asks_for_steps),
    ],
)
def test_each_task_asks_one_question(task, asks) -> None:
    assert [each for each in ALL if each(task)] == [asks]


@pytest.mark.parametrize("task", [SENTIMENT, THREE_TASKS])
def test_two_labels_and_a_mixture_ask_none_of_them(task) -> None:
    assert not any(asks(task) for asks in ALL)
