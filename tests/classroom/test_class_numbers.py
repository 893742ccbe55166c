"""What a class knew over an hour, against numbers worked out by hand and published ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from bertsent.classroom.agreement import (
    agreement_sentence,
    agreement_table,
    class_fleiss_kappa,
    cohen_kappa,
    fleiss_kappa,
)
from bertsent.classroom.class_calibration import (
    calibration_table,
    class_calibration_sentence,
    class_reliability,
)
from bertsent.classroom.hour_tables import question_table, vote_table
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.room_state import AskedQuestion, RoomState, Vote
from bertsent.classroom.tally import right_option, sure_and_wrong_sentence, tally, tally_sentence
from bertsent.errors import BadInput

LABELS = ("NEGATIVE", "POSITIVE")
FLEISS_1971 = np.array(  # 14 raters, 10 subjects, 5 categories
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def asked(votes, answers=(), *, truth=0, revealed=9, kind="sentence", name="q1", **more):
    question = Question(kind, "What?", LABELS, 60, text="A film", answers=answers, truth=truth)
    given = {str(place): Vote(*vote) for place, vote in enumerate(votes)}
    return AskedQuestion(name, question, 0.0, 60.0, given, revealed=revealed, **more)


def hour(*questions):
    return RoomState(questions={f"q{n}": each for n, each in enumerate(questions)})


def test_an_hour_without_a_sentence_has_no_agreement():
    state = hour(asked([(0, 0.9), (1, 0.8)], kind="lesson"))
    assert class_fleiss_kappa(state) is None and not len(agreement_table(state))
    assert agreement_sentence(state).startswith("Agreement within the class needs two sentences")


def test_votes_are_counted_by_hand():
    question = asked([(0, 0.9), (1, 0.8), (1, 0.6), (0, 0.7), (1, 1.0)])
    found = tally(question)
    assert found.counts == (2, 3) and found.majority == 1
    assert found.confidences == pytest.approx((0.8, 0.8)) and found.sure == pytest.approx(0.8)
    assert (found.right, found.sure_and_wrong) == (2, 2)  # 0.8 counts as sure, 0.6 does not


def test_what_is_right_is_said_when_all_is_turned_over():
    answers = (Answer("BOW", 1, 0.9), Answer("LR", 1, 0.7), Answer("BERT", 0, 0.99))
    for count in range(4):
        question = asked([(1, 0.9), (0, 1.0)], answers, revealed=count)
        assert sure_and_wrong_sentence(question) == "" and right_option(question) is None
        assert "right" not in tally_sentence(question)
    question = asked([(1, 0.9), (0, 1.0)], answers, revealed=4)
    assert "1 of 2 votes; BOW." in sure_and_wrong_sentence(question)
    assert right_option(question) == 0 and "1 is right" in tally_sentence(question)
    assert sure_and_wrong_sentence(asked([(1, 0.9)], truth=None)) == ""


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ([], "Nobody has voted"),
        ([(1, 0.5)], "one vote is for “POSITIVE”"),
        ([(1, 0.5), (0, 0.5)], "tied: 1 of 2"),
        ([(1, 0.5), (1, 0.7)], "2 of 2 say “POSITIVE”, 60 % sure"),
    ],
)
def test_few_votes_are_said_in_words(votes, said):
    assert said in tally_sentence(asked(votes))
    state = hour(asked(votes))
    for sentence in (class_calibration_sentence(state), agreement_sentence(state)):
        assert sentence and "nan" not in sentence
    assert len(vote_table(state)) == len(votes) and len(question_table(state)) == 1


def test_the_class_is_calibrated_as_worked_out_by_hand():
    """Four votes of 0.9 and 0.7 lie in two bins: |3/4 − 0.9| · 4/6 + |1/2 − 0.7| · 2/6 = 1/6."""
    first = asked([(0, 0.9), (0, 0.9), (0, 0.9), (1, 0.7)], (Answer("BERT", 0, 0.95),))
    second = asked([(0, 0.9), (1, 0.7)], (Answer("BERT", 0, 0.65),), truth=1)
    table = calibration_table(hour(first, second)).set_index("who")
    assert table.loc["Class", ["questions", "answers"]].tolist() == [2, 6]
    assert table.loc["Class", "right"] == pytest.approx(4 / 6)
    assert table.loc["Class", "sure"] == pytest.approx((4 * 0.9 + 2 * 0.7) / 6)
    assert table.loc["Class", "ece"] == pytest.approx(0.15 * 4 / 6 + 0.2 * 2 / 6)
    # BERT: right at 0.95, wrong at 0.65
    assert table.loc["BERT", "ece"] == pytest.approx((0.05 + 0.65) / 2)
    reliability = class_reliability(hour(first, second))["Class"]
    assert reliability["n"].tolist() == [2, 4] and reliability["low"].tolist() == [0.6, 0.8]


def test_models_are_judged_on_sentences_alone():
    """In a question about a head, what the head does is what is right."""
    state = hour(
        asked([(0, 0.9)], (Answer("BERT", 0, 0.9),)),
        asked([(1, 0.9)], (Answer("Head 1·1", 0, 0.9),), kind="heads"),
    )
    assert calibration_table(state)["who"].tolist() == ["Class", "Class, sentences only", "BERT"]
    assert calibration_table(state)["questions"].tolist() == [2, 1, 1]
    assert agreement_table(state)["model"].tolist() == ["BERT"]


def test_nothing_that_was_not_revealed_counts():
    answers = (Answer("BERT", 0, 0.9),)
    waiting, own = asked([(0, 0.9)], answers, revealed=0), asked([(0, 0.9)], answers, revealed=1)
    gone = asked([(0, 0.9)], answers, withdrawn=True)
    state = hour(waiting, own, gone)
    assert calibration_table(state)["who"].tolist() == ["Class"]
    assert len(vote_table(state)) == len(question_table(state)) == 1
    assert not len(agreement_table(state)) and "BERT" not in question_table(state)


def test_fleiss_kappa_is_the_published_one():
    assert fleiss_kappa(FLEISS_1971) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_for_unequal_numbers_is_worked_out_by_hand():
    """Votes 2:0, 1:2 and 0:4. Of nine, three are for the first: Σ p q = 2 · (1/3 · 2/3) = 4/9.
    Apart are 0 + 2 · (1 · 2) / 3 + 0 = 4/3; three questions, three raters each on average:
    1 − (4/3) / (3 · 2 · 4/9) = 1/2. A question with one vote counts for nothing.
    """
    counts = np.array([[2, 0], [1, 2], [0, 4], [1, 0]])
    assert fleiss_kappa(counts) == pytest.approx(0.5)


def test_fleiss_kappa_is_the_mean_of_all_pairs_where_everybody_answers():
    """With two raters it is Scott's π, which Cohen's κ approaches for equal margins."""
    first, second = [0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 1]  # three zeros each
    counts = np.array([[2 - a - b, a + b] for a, b in zip(first, second, strict=True)])
    assert fleiss_kappa(counts) == pytest.approx(cohen_kappa_score(first, second))


def test_kappa_is_not_defined_for_too_little():
    assert fleiss_kappa(np.zeros((0, 2), int)) is None
    assert fleiss_kappa(np.array([[3, 0], [2, 0]])) is None  # all of one mind: chance is 1
    assert fleiss_kappa(np.array([[3, 1]])) is None
    assert cohen_kappa([1], [0]) is None and cohen_kappa([1, 1], [1, 1]) is None
    assert cohen_kappa([1, 1], [1, 0]) == 0.0
    with pytest.raises(BadInput):
        fleiss_kappa(np.array([0.5, 0.5]))


def test_the_class_agrees_with_a_model_as_scikit_learn_says():
    rng = np.random.default_rng(0)
    majority, model = rng.integers(0, 2, 12), rng.integers(0, 2, 12)
    state = hour(
        *(
            asked([(int(m), 0.9), (int(m), 0.5), (1 - int(m), 1.0)], (Answer("LR", int(a), 0.6),))
            for m, a in zip(majority, model, strict=True)
        ),
        asked([(0, 0.9), (1, 0.9)], (Answer("LR", 0, 0.6),)),  # a tie says nothing
    )
    (row,) = agreement_table(state).to_dict("records")
    assert (row["questions"], row["same"]) == (12, int((majority == model).sum()))
    assert row["kappa"] == pytest.approx(cohen_kappa_score(majority, model))
    assert class_fleiss_kappa(state) is not None


def test_the_table_of_votes_names_nobody_and_keeps_no_order():
    one = asked([(1, 0.9), (0, 0.5)])
    other = asked([(0, 0.5), (1, 0.9)])
    pd.testing.assert_frame_equal(vote_table(hour(one)), vote_table(hour(other)))
    assert set(vote_table(hour(one)).columns) == {
        *("question", "prompt", "text", "option", "confidence", "right")
    }


def test_an_hour_without_questions_has_empty_tables():
    for table in (question_table, vote_table, calibration_table, agreement_table):
        assert not len(table(RoomState()))
