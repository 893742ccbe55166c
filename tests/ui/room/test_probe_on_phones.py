"""Students ask the model from their phones, about reviews of their own."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from bertsent.classroom.asking import HIDDEN, PREDICT_FIRST, WAITS, gives_away
from bertsent.classroom.board import set_board
from bertsent.probing.loaded_model import LoadedModel, Prediction, load
from bertsent.ui.shared import live_answer
from tests.ui.room.conftest import QUESTION
from tests.ui.room.phone import secret

pytestmark = pytest.mark.usefixtures("with_shipped_model")
REVIEW = "A secret review: not at all as bad as they say, zzyqx"


def test_the_answer_is_the_model_s_own_and_the_link_leads_to_it(phone, room):
    status, told = phone().join().ask("probe", {"text": f"  {REVIEW}<br>"})
    assert status == 200
    expected = load("builtin").predict([REVIEW])[0]
    sure = max(expected.p_positive, 1 - expected.p_positive)
    assert told["answer"]["title"].endswith(f"{expected.label} {100 * sure:.1f} %")
    assert told["answer"]["label"] == expected.label.lower()
    assert told["answer"]["note"].startswith("Built-in · ")
    link = urlsplit(told["answer"]["link"])
    assert link.path == "/Probe" and not link.netloc
    assert parse_qs(link.query) == {"text": [f"{REVIEW}<br>"], "model": ["builtin"]}
    assert told["room"]["probe"] == {"model": "Built-in", "why_not": ""}


@pytest.fixture
def asked(monkeypatch) -> list[int]:
    """A model that takes its time and says always the same: how many texts each pass had."""
    passes: list[int] = []

    def predict(self: LoadedModel, texts: list[str]) -> list[Prediction]:
        passes.append(len(texts))
        time.sleep(0.05)
        return [Prediction(0.25, (1.0, 0.0), 3, 0) for _ in texts]

    monkeypatch.setattr(LoadedModel, "predict", predict)
    monkeypatch.setattr(live_answer, "live_answer", live_answer.live_answer.__wrapped__)
    return passes


def test_a_class_that_asks_at_once_goes_through_the_model_together(phone, room, asked):
    phones = [phone(cookie=secret(n)).join() for n in range(40)]
    with ThreadPoolExecutor(40) as people:
        found = list(people.map(lambda each: each.ask("probe", {"text": REVIEW}), phones))
    assert {(status, told["answer"]["title"]) for status, told in found} == {
        (200, "▼ NEGATIVE 75.0 %")
    }
    assert sum(asked) == 40 and len(asked) <= 10


def test_until_the_reveal_the_model_answers_no_phone(phone, room, asked):
    """Neither to a question nor to a try to fool it; nor when the vote began in between."""
    ann = phone().join()
    set_board(room, "builtin")
    question = room.ask(QUESTION)
    probe, offer = ("probe", {"text": REVIEW}), ("offer", {"text": REVIEW, "label": 1})
    for go_on in (lambda: room.end(question), *[lambda: room.reveal(question)] * 3):
        for what in (probe, offer):
            status, told = ann.ask(*what)
            assert (status, told["error"]) == (410, PREDICT_FIRST)
        view = ann.room()
        assert view["probe"]["why_not"] == PREDICT_FIRST and not view["board"]["taking"]
        go_on()
    assert not asked
    assert ann.ask(*probe)[0] == ann.ask(*offer)[0] == 200
    assert ann.room()["board"]["taking"]


def go_to_the_next_question(room):
    room.ask(replace(QUESTION, text=""))


def turn_one_over_and_end_the_lesson(room):
    room.reveal(room.look().question.id)
    room.show_lesson("")


GOING_ON = {
    "the next question": go_to_the_next_question,
    "the next step": lambda room: room.show_lesson("the-puzzle", 2),
    "the end of the lesson": turn_one_over_and_end_the_lesson,
    "the board": lambda room: set_board(room, "builtin"),
}


@pytest.mark.parametrize("go_on", GOING_ON.values(), ids=list(GOING_ON))
def test_a_question_that_was_left_behind_gives_nothing_away(phone, room, asked, go_on):
    ann = phone().join()
    room.show_lesson("the-puzzle", 1)
    question = room.ask(QUESTION)
    room.show_lesson("the-puzzle", 3)
    assert ann.ask("probe", {"text": REVIEW})[0] == 410, "it still takes votes"
    room.withdraw(question)
    question = room.ask(QUESTION)
    set_board(room, "builtin", taking=False)
    room.end(question)
    assert ann.ask("probe", {"text": REVIEW})[0] == 410, "nothing came after it"
    go_on(room)
    assert ann.ask("probe", {"text": REVIEW})[0] == 200
    shown = ann.room()["question"]
    assert shown["left_behind"] == (shown["id"] == question)
    room.reveal(question)
    assert not ann.room()["question"]["left_behind"], "a reveal brings it back"


def test_a_question_that_was_taken_back_or_forgotten_gives_nothing_away(phone, room, asked):
    ann, first = phone().join(), room.ask(QUESTION)
    room.withdraw(room.ask(QUESTION))  # and the one before it was left behind
    assert room.look().question.id == first and ann.ask("probe", {"text": REVIEW})[0] == 200
    last = room.ask(QUESTION)
    ends = room.look().questions[last].ends
    assert gives_away(room.look(), ends + WAITS - 1)
    assert not gives_away(room.look(), ends + WAITS)


def test_an_answer_that_a_vote_overtook_is_not_given(phone, room, asked, monkeypatch):
    def predict(self: LoadedModel, texts: list[str]) -> list[Prediction]:
        room.ask(QUESTION)
        return [Prediction(0.25, (1.0, 0.0), 3, 0) for _ in texts]

    monkeypatch.setattr(LoadedModel, "predict", predict)
    assert phone().join().ask("probe", {"text": REVIEW})[0] == 410


def test_a_vote_that_is_about_no_review_keeps_nobody_from_asking(phone, room, asked):
    room.ask(replace(QUESTION, kind="curves", text=""))
    assert phone().join().ask("probe", {"text": REVIEW})[0] == 200


def test_strangers_and_a_class_without_probe_get_no_answer(phone, room, asked):
    stranger, ann = phone(), phone().join()
    stranger.ask("state")
    assert stranger.ask("probe", {"text": REVIEW})[0] == 403
    room.rule("everyone", hidden_pages=["Probe"])
    status, told = ann.ask("probe", {"text": REVIEW})
    assert (status, told["error"]) == (410, HIDDEN) and not asked
    room.rule("everyone")
    room.close()
    assert ann.ask("probe", {"text": REVIEW})[0] == 410 and not asked


def test_what_is_asked_is_written_nowhere(phone, room, lab, caplog, capfd):
    ann = phone().join()
    before = {path: path.read_bytes() for path in lab.rglob("*") if path.is_file()}
    assert ann.ask("probe", {"text": REVIEW})[0] == 200
    after = {path: path.read_bytes() for path in lab.rglob("*") if path.is_file()}
    assert after == before
    out, err = capfd.readouterr()
    assert "secret review" not in caplog.text + out + err


def test_one_phone_in_a_loop_waits_and_the_class_does_not(phone, room, asked):
    ann = phone().join()
    found = [ann.ask("probe", {"text": " "})[0] for _ in range(30)]
    assert set(found[:20]) == {400} and found[-1] == 429
    question = room.ask(replace(QUESTION, text=""))
    assert ann.vote(question)[0] == 200, "a vote is not kept back by it"
    for number in range(200):
        assert phone(cookie=secret(number)).join().ask("probe", {"text": " "})[0] == 400


@pytest.mark.parametrize("text", ["", " ", "<br>", "x" * 5_001, 3, None, ["a"]])
def test_what_is_no_review_is_said(phone, room, asked, text):
    status, told = phone().join().ask("probe", {"text": text})
    assert status == 400 and told["error"].endswith(".") and not asked


def test_a_model_that_is_gone_is_said_before_and_when_it_is_asked(phone, room):
    ann = phone().join()
    set_board(room, "a-run-that-was-deleted/step-3")
    assert not ann.room()["probe"]["model"] and ann.room()["probe"]["why_not"].endswith(".")
    assert ann.ask("probe", {"text": REVIEW})[0] == 410
