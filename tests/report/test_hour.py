"""The report of an hour says what the room knows, names nobody, and gives away nothing that the
class has not seen.
"""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import plotly.graph_objects as go
import pytest

from bertsent.classroom.agreement import agreement_table
from bertsent.classroom.board_tables import entries_table, ranking_table
from bertsent.classroom.class_calibration import calibration_table
from bertsent.classroom.retraining_result import judge_retraining
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import open_room
from bertsent.report.document import Document, NumberTable
from bertsent.report.hour import Hour, hour_document, runs_of_hour, without_nicknames
from bertsent.report.hour_runs import MOST_CURVES, runs_sentence
from bertsent.report.html_page import html_page
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Evaluated
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.run import Run
from tests.classroom.conftest import played, tiny_classifier  # noqa: F401 - fixtures
from tests.ui.runs_of_tasks import small_sets

MARKUP = "<script>x</script>"
LABELS = ("NEGATIVE", "POSITIVE")
ANSWERS = (Answer("BOW + SVM", 1, 0.83), Answer("BERT", 0, 0.1 + 0.2))


def bar(_: object) -> go.Figure:
    return go.Figure(go.Bar(x=[1]))


def question(text: str, **more: object) -> Question:
    facts = {"answers": ANSWERS, "truth": 0, "link": f"Probe?text={text}", **more}
    return Question("sentence", "Which label?", LABELS, 60, text=text, **facts)


def hour(room: Room, **more: object) -> Hour:
    return Hour(room.code, room.look(), room.look().opened + 2_700, bar, **more)


def ask(room: Room, asked: Question, *choices: int) -> str:
    name = room.ask(asked)
    for visitor, choice in enumerate(choices):
        room.vote(str(visitor), name, choice, 0.7 + 0.1 * (visitor % 3))
    return name


@pytest.fixture
def room(lab: object) -> Room:
    found = open_room(f"Year 11 {MARKUP}")
    for visitor in range(4):
        found.join(str(visitor), f"Kim{visitor} <b>")
    found.reveal(ask(found, question("Great, another film"), 0, 0, 1, 0), 3)
    found.reveal(ask(found, question("Not bad"), 1, 1, 1, 0), 3)
    found.reveal(ask(found, question("Half turned over"), 0, 1, 1), 1)
    found.withdraw(ask(found, question("Taken back"), 0))
    ask(found, question("Still open"), 1, 0)
    return found


def tables(document: Document) -> dict[str, list[NumberTable]]:
    found: dict[str, list[NumberTable]] = {}
    for chapter in document.chapters:
        for exhibit in chapter.exhibits:
            for table in exhibit.tables:
                found.setdefault(table.title, []).append(table)
    return found


def words(document: Document) -> str:
    class Reader(HTMLParser):
        said = ""

        def handle_data(self, data: str) -> None:
            self.said += f"{data} "

    page = re.sub(rb"<script>.*?</script>", b"", html_page(document), flags=re.DOTALL)
    reader = Reader()
    reader.feed(page.decode())
    return reader.said


def test_the_numbers_are_the_room_s_to_the_last_digit(room: Room) -> None:
    found, state = tables(hour_document(hour(room))), room.look()
    assert [row[1] for row in found["Votes"][0].rows] == [3, 1]
    assert found["Votes"][0].rows[1][2] == pytest.approx(0.9, abs=1e-12)
    assert found["Answers of the models"][0].rows[1] == ("BERT", "NEGATIVE", 0.1 + 0.2)
    kept = found["Calibration"][0].frame()
    shown = calibration_table(state)
    for column in ("sure", "right", "ece"):
        assert kept[column].to_numpy() == pytest.approx(shown[column].to_numpy(), abs=1e-12)
    agreed = found["Agreement"][0].frame()["Cohen's κ"]
    assert agreed.tolist() == pytest.approx(agreement_table(state)["kappa"].tolist())


def test_what_was_not_revealed_is_not_in_it(room: Room) -> None:
    document = hour_document(hour(room))
    said = words(document)
    assert "Great, another film" in said and "Half turned over" in said
    assert "Still open" not in said and "Taken back" not in said
    exhibits = [e for c in document.chapters for e in c.exhibits if e.heading[0].isdigit()]
    assert [e.heading[:2] for e in exhibits] == ["1.", "2.", "3."]
    assert exhibits[2].facts["Right"] == "" and len(exhibits[2].tables) == 1
    assert exhibits[0].facts["Right"] == "NEGATIVE"
    assert exhibits[0].link == "/Probe?text=Great, another film"


def test_nobody_is_named_unless_asked_for(played: Room) -> None:  # noqa: F811
    played.join("nobody else", "Zoë")
    plain, named = (words(hour_document(hour(played, nicknames=n))) for n in (False, True))
    for name in played.look().members.values():
        assert name not in plain
    assert "Student 1" in plain and "Ann" in named
    assert not set(played.look().members) & set(re.findall(r"\w+", plain + named))


def test_the_board_is_whole_but_for_what_waits(played: Room) -> None:  # noqa: F811
    state = without_nicknames(played.look())
    found = tables(hour_document(hour(played)))
    ranks = ranking_table(state)
    assert found["Points"][0].frame()["points"].tolist() == ranks["points"].tolist()
    known = entries_table(state).query("standing == 'confirmed'")
    assert found["Reviews"][0].frame()["review"].tolist() == known["text"].tolist()
    assert found["Reviews"][0].frame()["P(wrong)"].tolist() == known["p_wrong"].tolist()


@pytest.mark.slow
def test_the_retraining_is_told_with_its_numbers(played: Room) -> None:  # noqa: F811
    entries = tuple(played.look().board.confirmed)
    result = judge_retraining(("tiny", "tiny"), entries[:6], entries[6:])
    found = tables(hour_document(hour(played, retraining=result)))
    assert found["Accuracies"][0].frame()["accuracy"].tolist() == pytest.approx(
        result.table()["accuracy"].tolist(), abs=1e-12
    )


def test_a_lesson_is_a_chapter_of_its_own(room: Room) -> None:
    asked = replace(question("In a lesson"), kind="lesson", lesson="no-such-lesson", step=3)
    room.reveal(ask(room, asked, 1, 1), 3)
    headings = [chapter.heading for chapter in hour_document(hour(room)).chapters]
    assert headings == [
        "Lesson: no-such-lesson",
        "Predicted first, then seen",
        "How sure, how right, how agreed",
    ]


def test_an_hour_in_which_nothing_happened_is_a_report(lab: object) -> None:
    empty = open_room()
    document = hour_document(hour(empty))
    assert document.chapters == [] and runs_of_hour(empty.look(), 0.0) == []
    assert "0 students, 0 questions, 0 votes" in words(document)


def test_a_board_without_votes_tells_of_the_board_alone(played: Room) -> None:  # noqa: F811
    document = hour_document(hour(played))
    said = words(document)
    assert "0 questions" not in said and "12 reviews on the board" in said
    assert "kiela2021" in document.references and "fleiss1971" not in document.references


SECRET = "what a student typed"


@pytest.fixture
def trained(lab: object, tiny_backbone: Path) -> list[Run]:
    """Runs of three tasks that were evaluated twice, and one that was not."""
    found = []
    for name in ("similarity", "feelings", "mixed", "topics"):
        training = TrainingConfig(epochs=1, max_length=24)
        reviews, follow = small_sets()[name], (SECRET,) * (name == "mixed")
        run = prepare_run(reviews, training, model=str(tiny_backbone), sentinels=follow, name=name)
        for step, reached in ((0, 0.125), (10, 0.25)) if name != "topics" else ():
            facts = {"epoch": step / 10, "loss": 0.5, "macro_f1": None, "seconds": 1.0}
            run.log.append(Evaluated(step=step, accuracy=reached, **facts))
        found.append(run)
    return found


def test_each_run_is_told_by_the_measure_of_its_task(room: Room, trained: list[Run]) -> None:
    """Curves of a run had an axis of accuracies from 0 to 100 %, whatever it learned."""
    document = hour_document(hour(room, runs=trained))
    chapter = next(c for c in document.chapters if c.heading == "Fine-tuned")
    table, *curves = chapter.exhibits
    best = {row[0]: row[2] for row in table.tables[0].rows}
    assert best == {
        "similarity": "Pearson’s r 0.250",
        "feelings": "Jaccard index 0.250",
        "mixed": "Mean of the tasks 0.250",
        "topics": "",
    }
    assert runs_sentence(trained).startswith("4 runs were trained: similarity (Pearson’s r 0.250)")
    assert [exhibit.heading for exhibit in curves] == ["similarity", "feelings", "mixed"]
    for exhibit, name in zip(curves, best.values(), strict=False):
        measure = name.rpartition(" ")[0]
        assert [drawing.alt for drawing in exhibit.drawings] == [
            "Loss by step",
            f"{measure} by step",
        ]
        assert exhibit.drawings[1].spec["title"]["text"].startswith(measure)
        assert measure.lower() in exhibit.words[0].lower()
        assert "0.125 to 0.250" in exhibit.words[0]
    assert SECRET not in words(document)


def test_a_long_hour_has_the_curves_of_its_first_runs(room: Room, trained: list[Run]) -> None:
    document = hour_document(hour(room, runs=trained[:1] * (MOST_CURVES + 3)))
    exhibits = document.chapters[-1].exhibits
    assert len(exhibits) == 1 + MOST_CURVES and exhibits[0].tables[0].of == MOST_CURVES + 3
    assert "and 3 more" in exhibits[0].words[0]
