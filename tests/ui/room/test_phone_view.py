"""What a phone is told, and when."""

import json
from dataclasses import replace

import pytest

from bertsent.classroom import board
from bertsent.classroom.room_events import Answer
from bertsent.ui.room.phone_view import room_view
from tests.ui.room.conftest import QUESTION

OTHER = replace(
    QUESTION, answers=(Answer("BOW + SVM", 0, 0.51), Answer("BERT", 1, 0.6)), truth=1, link="/Map"
)


def told(room, who: str) -> str:
    """What that visitor's phone gets, without times and code, which differ by themselves."""
    view = room_view(room, room.member(who), room.look())
    del view["code"]
    if view.get("question"):
        del view["question"]["ends"]
    return json.dumps(view, sort_keys=True)


@pytest.fixture
def pair(lab):
    """Two rooms in which all is the same that a phone may know, and all else differs."""
    from bertsent.classroom.rooms import open_room

    rooms = [open_room("Year 11"), open_room("Year 11")]
    for room, question, choice, sure in zip(rooms, (QUESTION, OTHER), (0, 1), (1.0, 0.5), strict=1):
        for who in ("a", "b", "c"):
            room.join(who, who)
        room.ask(question)
        room.vote("b", "q1", choice, sure)
    return rooms


def test_before_the_reveal_a_phone_cannot_know_what_models_or_others_say(pair):
    """Not only is it not named: nothing that is sent depends on it."""
    for act in (lambda room: None, lambda room: room.vote("c", "q1", 1, 0.8), end):
        for room in pair:
            act(room)
        for who in ("a", "c", "stranger"):
            assert told(pair[0], who) == told(pair[1], who)


def end(room):
    room.end("q1")


def test_each_turn_of_the_reveal_tells_only_what_is_turned_over(pair):
    first, _ = pair
    first.reveal("q1")
    shown = room_view(first, first.member("a"), first.look())["question"]["reveal"]
    assert (shown["class"], shown["answers"], shown["truth"]) == ([1, 0], [], None)
    first.reveal("q1")
    text = told(first, "a")
    assert "0.9" in text and "0.98" not in text and "/Probe" not in text
    assert json.loads(text)["question"]["reveal"]["truth"] is None
    first.reveal("q1")
    shown = json.loads(told(first, "a"))["question"]["reveal"]
    assert shown["truth"] == 0 and not shown["more"] and shown["link"] == QUESTION.link


def test_in_the_end_each_one_knows_the_own_mistake_and_of_others_the_number_alone(room):
    for who, choice, sure in (("a", 1, 0.9), ("b", 1, 0.6), ("c", 0, 0.9)):
        room.join(who, who)
        if who == "a":
            room.ask(QUESTION)
        room.vote(who, "q1", choice, sure)
    room.reveal("q1", 3)
    views = {who: json.loads(told(room, who)) for who in "abc"}
    verdicts = {who: (view["vote"]["sure"], view["vote"]["right"]) for who, view in views.items()}
    assert verdicts == {"a": (True, False), "b": (False, False), "c": (True, True)}
    assert {view["question"]["reveal"]["sure_and_wrong"] for view in views.values()} == {1}
    assert len({json.dumps(view["question"]) for view in views.values()}) == 1


def test_a_question_without_a_right_answer_has_no_mistakes(room):
    room.join("a")
    question = room.ask(replace(QUESTION, kind="map", truth=None))
    room.vote("a", question, 1, 1.0)
    room.reveal(question, 3)
    view = json.loads(told(room, "a"))
    assert "right" not in view["vote"] and view["question"]["reveal"]["sure_and_wrong"] is None


def test_who_judges_a_review_is_told_neither_its_label_nor_the_model_s_answer(lab):
    from bertsent.classroom.rooms import open_room

    rooms = [open_room(), open_room()]
    for room, label, p_positive in zip(rooms, (0, 1), (0.97, 0.03), strict=True):
        room.join("author", "Ann")
        room.join("judge", "Bo")
        board.set_board(room, "builtin")
        answer = type("Prediction", (), {"p_positive": p_positive, "label": 1 - label})()
        board.offer(
            room,
            "author",
            "Nothing in it is what it seems",
            label,
            lambda *_, answer=answer: answer,
        )
    assert told(rooms[0], "judge") == told(rooms[1], "judge")
    assert "Nothing in it" in told(rooms[0], "judge")
    mine = json.loads(told(rooms[0], "author"))["own_board"]
    assert not mine["to_judge"] and mine["mine"][0]["label"] == 0


def test_the_step_of_a_lesson_comes_as_plain_paragraphs_with_its_link(room):
    room.join("a")
    room.show_lesson("the-puzzle", 1)
    view = json.loads(told(room, "a"))["lesson"]
    assert view["step"] == 1 and view["link"].startswith("/Probe?text=Great")
    assert view["text"] and not any("*" in paragraph for paragraph in view["text"])
    room.show_lesson("the-puzzle", 99)
    assert json.loads(told(room, "a"))["lesson"]["step"] is None
    room.show_lesson("gone")
    assert json.loads(told(room, "a"))["lesson"] is None
