"""Several labels over a threshold, and their places on the wheel."""

import pytest

from bertsent.probing.loaded_model import load_head
from bertsent.probing.tasks.feelings import DYADS, WHEEL, FeelingsAnswer, answer_feelings
from bertsent.tasks.catalogue import FEELINGS

ANSWER = FeelingsAnswer(("joy", "fear", "anger"), (0.8, 0.55, 0.1))


def test_labels_over_the_threshold_are_given_the_surest_first() -> None:
    assert ANSWER.given(0.5) == ["joy", "fear"]
    assert ANSWER.given(0.55) == ["joy"]  # over it, not at it
    assert ANSWER.given(0.9) == [] and ANSWER.title(0.9) == "none of them"
    assert "joy with 80 %" in ANSWER.sentence(0.9)
    assert "145 %" in ANSWER.sum_sentence()
    assert ANSWER.table(0.5)["given"].tolist() == [True, True, False]
    assert ANSWER.sentence(0.05).count("%") == 4  # the threshold and all three


def test_the_wheel_needs_all_eight() -> None:
    assert not ANSWER.on_the_wheel()
    found = FeelingsAnswer(FEELINGS.labels, tuple(n / 20 for n in range(11)))
    assert list(found.on_the_wheel()) == list(WHEEL)
    assert found.on_the_wheel()["anger"] == FEELINGS.labels.index("anger") / 20
    assert found.dyads().keys() == DYADS.keys()


def test_opposites_face_each_other() -> None:
    """Plutchik (1980): joy and sadness, trust and disgust, fear and anger, surprise and
    anticipation.
    """
    pairs = {frozenset((WHEEL[place], WHEEL[place + 4])) for place in range(4)}
    assert pairs == {
        frozenset(pair)
        for pair in (
            ("joy", "sadness"),
            ("trust", "disgust"),
            ("fear", "anger"),
            ("surprise", "anticipation"),
        )
    }


def test_each_probability_is_its_own(heads_folder) -> None:
    found = answer_feelings(load_head(heads_folder, "feelings"), "I'm worried about the cost.")
    assert found.labels == FEELINGS.labels and sum(found.probabilities) != pytest.approx(1)
