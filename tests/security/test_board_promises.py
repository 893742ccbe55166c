"""What the board promises: nobody fools a model, or is confirmed, by saying so."""

import pytest

from bertsent.classroom.board import set_board
from bertsent.data.examples import NEGATIVE
from bertsent.ui.shared import live_answer
from tests.classroom.test_board import IRONY, says
from tests.ui.room.conftest import phone, port, room  # noqa: F401 - fixtures


@pytest.fixture
def board(room, monkeypatch):  # noqa: F811
    """Its model is right about everything negative, until the test says otherwise."""
    monkeypatch.setattr(live_answer, "answer_of", says(0.1))
    set_board(room, "builtin")
    return room


def test_what_a_phone_says_of_the_model_is_not_heard(board, phone) -> None:  # noqa: F811
    claims = {"p_positive": 0.99, "points": 99, "model": "another", "threshold": 0.0}
    status, said = phone().join().ask("offer", {"text": IRONY, "label": NEGATIVE, **claims})
    assert status == 200 and not said["fooled"]
    assert not board.look().board.entries


def test_an_author_cannot_confirm_the_own_review(board, phone, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(live_answer, "answer_of", says(0.9))
    ann, ben = phone().join(), phone().join()
    assert ann.ask("offer", {"text": IRONY, "label": NEGATIVE})[1]["fooled"]
    assert ann.ask("judge", {"entry": "e1", "label": NEGATIVE})[0] == 403
    assert board.look().board.entries["e1"].points == 0
    for label, status in ((NEGATIVE, 200), (NEGATIVE, 200), (1, 403)):
        assert ben.ask("judge", {"entry": "e1", "label": label})[0] == status
    assert board.look().board.entries["e1"].confirmations == 1
