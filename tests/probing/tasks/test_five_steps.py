"""Steps by hand: which is likeliest, the expected one, and when two labels are doubted."""

import numpy as np
import pytest

from bertsent.probing.loaded_model import Prediction, load_head
from bertsent.probing.tasks.five_steps import (
    StepsAnswer,
    answer_in_steps,
    doubt_sentence,
)
from bertsent.tasks.catalogue import FEELINGS, FIVE_STEPS, SENTIMENT
from bertsent.tasks.questions import asks_for_steps
from bertsent.tasks.task import OneLabel

NEITHER = StepsAnswer(FIVE_STEPS.labels, (0.1, 0.2, 0.4, 0.2, 0.1), 2.0)
SURELY = StepsAnswer(FIVE_STEPS.labels, (0.1, 0.1, 0.6, 0.1, 0.1), 2.0)
GOOD = StepsAnswer(FIVE_STEPS.labels, (0.05, 0.05, 0.1, 0.3, 0.5), 3.15)


def prediction(p: float) -> Prediction:
    return Prediction(p, (0.0, 0.0), 5, 0)


def test_the_expected_step_is_the_mean_of_the_steps(heads_folder) -> None:
    answer = answer_in_steps(load_head(heads_folder, "five-steps"), "A warm, funny film.")
    by_hand = sum(step * p for step, p in enumerate(answer.probabilities))
    assert answer.expected == pytest.approx(by_hand)
    assert sum(answer.probabilities) == pytest.approx(1)
    table = answer.table()
    assert table["share_of_expected"].sum() == pytest.approx(by_hand)
    assert answer.likeliest == int(np.argmax(answer.probabilities))


def test_neither_is_the_middle_of_an_odd_number_of_steps() -> None:
    assert NEITHER.is_neither and not GOOD.is_neither
    even = StepsAnswer(("a", "b", "c", "d"), (0.1, 0.6, 0.2, 0.1), 1.3)
    assert even.middle is None and not even.is_neither and even.sentence()
    assert "10.0 %" in GOOD.sentence()  # what neither side gets


def test_two_labels_are_doubted_near_even_and_where_neither_is_likelier_than_the_rest() -> None:
    assert not doubt_sentence(prediction(0.97), GOOD)
    assert not doubt_sentence(prediction(0.61), None)
    assert "undecided" in doubt_sentence(prediction(0.59), GOOD)
    assert "undecided" in doubt_sentence(prediction(0.41), None)
    assert not doubt_sentence(prediction(0.97), NEITHER)
    assert "neutral" in doubt_sentence(prediction(0.97), SURELY)


def test_only_ordered_labels_of_one_text_are_steps() -> None:
    assert asks_for_steps(FIVE_STEPS)
    names = OneLabel("topics", "Topics", labels=("a", "b", "c"))
    assert not any(map(asks_for_steps, (SENTIMENT, FEELINGS, names)))
