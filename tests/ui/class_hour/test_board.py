"""The Board tab: the teacher chooses a model, the table lives, one click retrains."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom import retraining, retraining_result
from bertsent.classroom.board import drop, judge, offer, set_board
from bertsent.classroom.retraining import retrain, run_of
from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.probing.checklist.builtin_suite import suite_of, test_reviews
from bertsent.training.runs.run import delete_run
from bertsent.ui.class_hour import board, board_retraining, board_table
from bertsent.ui.shared.jobs import jobs
from bertsent.ui.shared.visitor import Visitor
from tests.classroom.conftest import MODEL, few_validation_reviews, play
from tests.classroom.test_board import says
from tests.conftest import wait_until
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import train_here


def page(code: str) -> None:
    """The tab alone."""
    from bertsent.classroom.rooms import find_room
    from bertsent.ui.class_hour.board import board_tab

    board_tab(find_room(code))


def visited(room: Room) -> AppTest:
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()
    app = AppTest.from_function(page, kwargs={"code": room.code}, default_timeout=240).run()
    assert not app.exception
    return app


@pytest.fixture
def student(monkeypatch):
    for module in (board, board_table, board_retraining):
        monkeypatch.setattr(module, "visitor", lambda: Visitor("somebody", host=False))


@pytest.fixture
def short(monkeypatch):
    """Few questions, and a run that trains in this process."""
    monkeypatch.setattr(retraining, "launch", train_here)
    monkeypatch.setattr(retraining_result, "validation_reviews", few_validation_reviews)
    few = suite_of(test_reviews().take(range(60)), "few")
    monkeypatch.setattr(retraining_result, "builtin_suite", lambda: few)


def test_an_empty_room_says_what_to_do_and_the_teacher_opens_the_board(played):
    room = open_room()
    app = visited(room)
    assert "open the board" in app.info[0].value
    app.number_input(key="board-threshold").set_value(80)
    app.button(key="board-open").click().run()
    found = room.look().board
    assert (found.model, found.threshold, found.taking) == (MODEL, 0.8, True)
    app.button(key="board-open").click().run()
    assert not room.look().board.taking
    assert app.button(key="board-retrain").disabled
    assert "No review is confirmed" in words(app).replace("\\", "")


def test_the_table_shows_who_leads_and_hides_what_waits(played):
    offer(played, "ann", "Words fail me, as they did the writers", 0, says(0.93))
    app = visited(played)
    ranking, entries = app.dataframe[0].value, app.dataframe[1].value
    assert ranking["points"].tolist() == [270, 270, 270, 270]
    assert pd.isna(entries["label"][0]) and entries["label"][1] == "POSITIVE"
    assert "12 are confirmed, 1 wait" in words(app).replace("\\", "")


def test_on_a_projector_the_newest_are_text_and_nothing_of_it_is_markup(played):
    typed = "![Not](https://example.org/x.png) *one* dull $minute$"
    offer(played, "ann", typed, 1, says(0.07))
    app = visited(played)
    app.session_state["present"] = "1"
    app.run()
    ranking, entries = (each.value for each in app.table)
    assert not app.exception and not app.dataframe
    assert ranking["points"].tolist() == ["270"] * 4
    assert len(entries) == board_table.NEWEST and entries["standing"].tolist()[:2] == [
        "waiting",
        "confirmed",
    ]
    assert entries["label"].tolist()[:2] == ["·", "POSITIVE"]
    assert entries.index[0].replace("\\", "") == typed and "![" not in entries.index[0]
    assert f"The first {board_table.NEWEST} of 13." in [each.value for each in app.caption]


def test_a_review_that_is_taken_off_is_not_counted_any_more(played):
    app = visited(played)
    app.session_state["board-chosen"] = "e3"
    app.run().button(key="board-drop").click().run()
    assert played.look().board.entries["e3"].dropped
    assert "e3" not in [entry.id for entry in played.look().board.confirmed]


def test_who_is_not_the_teacher_sees_the_table_and_no_buttons(played, student):
    app = visited(played)
    app.session_state["board-chosen"] = "e3"
    keys = {button.key for button in app.run().button}
    assert not keys & {"board-open", "board-drop", "board-retrain"}
    assert not app.exception and len(app.dataframe) == 2


def test_what_is_written_is_shown_as_it_is(played):
    text = "<b>Not</b> $x$ :red[boring] **at** all"
    entry = offer(played, "ann", text, 1, says(0.05)).entry
    judge(played, "bo", entry.id, 1)
    app = visited(played)
    app.session_state["board-chosen"] = entry.id
    app.run()
    assert app.text[0].value == text  # st.text knows no markup


@pytest.mark.parametrize("count", [0, 1, 5])
def test_too_few_say_how_many_are_needed(played, count):
    room = open_room()
    play(room, count)
    app = visited(room)
    assert app.button(key="board-retrain").disabled
    assert f"confirm {6 - count} more" in words(app).replace("\\", "")


def test_one_click_trains_and_the_verdict_appears(played, short):
    app = visited(played)
    app.button(key="board-retrain").click().run()
    (event,) = played.look().board.retrained
    assert run_of(event).status().state == "finished"
    found = jobs()._jobs.values()
    wait_until(lambda: found and all(job.over for job in found), every=0.2)
    app.run()
    assert not app.exception and not app.error
    said = words(app).replace("\\", "")
    assert "It learned" in said and "What it forgot" in said and "were forgotten" in said
    assert len(app.dataframe) >= 5
    sentences = next(d.value for d in app.dataframe if "reviews" in d.value)
    assert sorted(set(sentences["reviews"])) == ["learned from", "never seen"]
    assert len(sentences) == 12


def test_a_deleted_run_is_said_and_can_be_repeated(played, short):
    event = retrain(played)
    delete_run(run_of(event))
    app = visited(played)
    assert "was deleted" in app.error[0].value.replace("\\", "")
    assert not app.button(key="board-retrain").disabled


def test_a_model_that_is_gone_is_said_and_another_one_can_be_chosen(played, lab):
    set_board(played, "amber-otter/step-3")
    app = visited(played)
    assert "amber" in app.error[0].value
    app.button(key="board-open").click().run()
    assert played.look().board.model == MODEL and not app.error


def test_the_class_page_has_the_board_by_its_link(played, visit):
    app = visit("7_Class", **{"class": "Board"})
    assert not app.exception and "12 are confirmed" in words(app).replace("\\", "")


def test_two_windows_that_press_at_once_start_one_run(played, monkeypatch):
    monkeypatch.setattr(retraining, "launch", lambda run: None)
    first, second = visited(played), visited(played)
    first.button(key="board-retrain").click().run()
    second.button(key="board-retrain").click().run()
    assert len(played.look().board.retrained) == 1 and not second.exception


def test_reviews_of_one_label_are_warned_of(played):
    for entry in played.look().board.confirmed:
        if entry.label == 0:
            drop(played, entry.id)
    assert "All of them are POSITIVE" in words(visited(played)).replace("\\", "")


def test_what_is_taken_off_leaves_the_projector(played):
    drop(played, "e3")
    entries = visited(played).dataframe[1].value
    assert len(entries) == 11 and "dropped" not in set(entries["standing"])
