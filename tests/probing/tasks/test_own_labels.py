"""Answers of models of one's own tasks, against the softmax and the logit by hand."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import softmax

from bertsent.figures.label_bars import MOST, label_bars, number_on_scale
from bertsent.probing.tasks.own_labels import LabelAnswer, NumberAnswer, answer_own
from bertsent.tasks.task import OneLabel, Rating, Task

LOGITS = np.array([[0.5, 2.0, -1.0]])


@dataclass
class Fake:
    """A model that gives the same logits to every text."""

    task: Task
    given: np.ndarray

    def answers(self, inputs: list[tuple[str, str]]) -> np.ndarray:
        assert len(inputs) == 1
        return self.task.answers(self.given)


def test_labels_are_ranked_by_their_softmax() -> None:
    task = OneLabel("labels", "Topics", labels=("cooking", "sports", "travel"))
    answer = answer_own(Fake(task, LOGITS), "A text.")  # type: ignore[arg-type]
    assert isinstance(answer, LabelAnswer)
    wanted = softmax(LOGITS[0])
    assert answer.probabilities == pytest.approx(wanted)
    assert [label for label, _ in answer.ranked] == ["sports", "cooking", "travel"]
    assert answer.title() == f"sports {100 * wanted[1]:.1f} %"
    assert "33.3 %" in answer.sentence()
    assert answer.table()["probability"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("logit", "number"), [(6.5, 6.5), (12.0, 10.0), (-3.0, 2.0)])
def test_a_number_is_the_logit_cut_at_its_scale(logit: float, number: float) -> None:
    task = Rating("rating", "Marks", low=2.0, high=10.0, measure="mark")
    answer = answer_own(Fake(task, np.array([[logit]])), "A text.")  # type: ignore[arg-type]
    assert answer == NumberAnswer("mark", number, 2.0, 10.0)
    assert ("cut" in answer.sentence()) == (logit != number)
    dot = number_on_scale(answer.number, answer.low, answer.high, answer.measure).data[0]
    assert dot.x == (number,)


def test_many_labels_end_in_one_bar_for_the_rest() -> None:
    shares = np.linspace(20, 1, 20) / np.linspace(20, 1, 20).sum()
    ranked = [(f"<b>label {n}</b>", float(share)) for n, share in enumerate(shares)]
    figure = label_bars(ranked)
    bars = figure.data[0].x
    assert len(bars) == MOST + 1 and sum(bars) == pytest.approx(1)
    assert not any("<b>" in tick for tick in figure.layout.yaxis.ticktext)
