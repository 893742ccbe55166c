"""A room's hour in, its report out: what the class voted and the models said, how sure and right
both were, the board with its retraining, the lesson, and the hour's runs with their cards.

Only what was revealed is in it. Nobody is named unless that is asked for.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bertsent.classroom.board_tables import board_sentence, entries_table, ranking_table
from bertsent.classroom.retraining_result import RetrainingResult
from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.classroom.tally import revealed
from bertsent.errors import BertsentError
from bertsent.figures.embedded import vega_spec
from bertsent.figures.retraining import retraining_chart
from bertsent.lessons.catalogue import find_lesson
from bertsent.report.document import (
    Chapter,
    Document,
    Drawing,
    Exhibit,
    NumberTable,
    day_and_time,
)
from bertsent.report.hour_runs import curves_exhibit, run_exhibits
from bertsent.report.hour_votes import agreement_exhibit, calibration_exhibit, question_exhibit
from bertsent.report.references import cited, in_order
from bertsent.report.run_card import machine_card, model_card, model_title, run_card
from bertsent.training.runs.run import Run, list_runs

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_RUNS = 30  # cards
_ENTRIES = {"text": "review", "p_wrong": "P(wrong)"}
_PLACES = {"heads": "Attention", "map": "Map", "curves": "Fine-tune", "sentence": "Probe"}


@dataclass(frozen=True)
class Hour:
    """What a report is made of.

    ``reveal`` draws what was turned over of a question, as the screen does.
    """

    code: str
    state: RoomState
    ended: float  # when something happened last, in seconds since 1970
    reveal: "Callable[[AskedQuestion], go.Figure]"
    retraining: RetrainingResult | None = None  # the last one
    nicknames: bool = False
    server: str = ""
    runs: Sequence[Run] = field(default_factory=tuple)


def hour_document(hour: Hour) -> Document:
    """The report of an hour."""
    state = hour.state if hour.nicknames else without_nicknames(hour.state)
    hour = replace(hour, state=state)
    asked = revealed(state)
    chapters = [
        *_lessons(hour, asked),
        _questions(hour, [each for each in asked if not each.content.lesson]),
        _numbers(hour, asked),
        _board(hour),
        _runs(hour),
    ]
    return Document(
        state.title or f"The hour of room {hour.code}",
        hour_sentence(hour.code, state, hour.ended),
        [chapter for chapter in chapters if chapter.exhibits],
        _cards(hour, asked),
        _references(asked, state),
        hour.server,
    )


def hour_sentence(code: str, state: RoomState, ended: float) -> str:
    """When it was, how many were there, and what they did."""
    votes = sum(len(each.votes) for each in revealed(state))
    questions, members = len(revealed(state)), len(state.members)
    parts = ["1 student" if members == 1 else f"{members:,} students"]
    if questions or not state.board.current:
        parts += [
            "1 question" if questions == 1 else f"{questions:,} questions",
            "1 vote" if votes == 1 else f"{votes:,} votes",
        ]
    if entries := len(state.board.current):
        parts.append("1 review on the board" if entries == 1 else f"{entries} reviews on the board")
    minutes = max(round((ended - state.opened) / 60), 1)
    spoken = "1 minute" if minutes == 1 else f"{minutes} minutes"
    length = f", {spoken}" if minutes <= 240 else ""
    return f"Room {code}, {day_and_time(state.opened)}{length}: {', '.join(parts)}."


def without_nicknames(state: RoomState) -> RoomState:
    """The same with a number in the place of each nickname, in the order in which they came."""
    numbered = {member: f"Student {n}" for n, member in enumerate(state.members, 1)}
    return replace(state, members=numbered)


def runs_of_hour(state: RoomState, ended: float) -> list[Run]:
    """The runs that began in the hour, oldest first, those that learned from the board among them;
    at most 30.
    """
    board, found = {event.run for event in state.board.retrained}, []
    for run in list_runs():
        with suppress(BertsentError):
            if run.id in board or state.opened <= run.config.created <= ended:
                found.append(run)
    return sorted(found, key=lambda run: run.config.created)[:MOST_RUNS]


def _questions(hour: Hour, asked: Iterable[AskedQuestion]) -> Chapter:
    exhibits = (question_exhibit(n, each, hour.reveal) for n, each in enumerate(asked, 1))
    return Chapter("Predicted first, then seen", tuple(exhibits))


def _lessons(hour: Hour, asked: Sequence[AskedQuestion]) -> list[Chapter]:
    """The lessons that put questions to the class, with how it did."""
    names = dict.fromkeys(each.content.lesson for each in asked if each.content.lesson)
    chapters = []
    for name in names:
        mine = [each for each in asked if each.content.lesson == name]
        exhibits = tuple(question_exhibit(n, each, hour.reveal) for n, each in enumerate(mine, 1))
        title, summary = name, ""
        with suppress(BertsentError):
            lesson = find_lesson(name)
            title, summary = lesson.title, lesson.summary
        chapters.append(Chapter(f"Lesson: {title}", exhibits, (summary,)))
    return chapters


def _numbers(hour: Hour, asked: Sequence[AskedQuestion]) -> Chapter:
    exhibits = (calibration_exhibit(hour.state), agreement_exhibit(hour.state)) if asked else ()
    return Chapter("How sure, how right, how agreed", tuple(e for e in exhibits if e))


def _board(hour: Hour) -> Chapter:
    """The board without what still waits for a judgement: its label would give the answer away."""
    state = hour.state
    if not state.board.current:
        return Chapter("Fool the model", ())
    entries = entries_table(state)
    known = entries[entries["standing"].isin(("confirmed", "disputed"))].drop(columns="entry")
    known = known.rename(columns=_ENTRIES)
    tables = (
        NumberTable.of_frame("Points", ranking_table(state), opened=True),
        NumberTable.of_frame("Reviews", known, opened=True),
    )
    facts = {"To be fooled": model_title(state.board.model)}
    exhibits = [Exhibit("The board", (board_sentence(state),), facts, tables=tables)]
    if hour.retraining is not None:
        exhibits.append(_retraining(hour.retraining))
        exhibits += [curves_exhibit(run, "While it trained") for run in _retrained(hour)]
    return Chapter("Fool the model", tuple(exhibits))


def _retraining(found: RetrainingResult) -> Exhibit:
    table, sentence = found.table(), found.sentence()
    drawing = Drawing("vega", vega_spec(retraining_chart(table)), sentence)
    tables = (
        NumberTable.of_frame("Accuracies", table),
        NumberTable.of_frame("Reviews it learned from", found.learned.table()),
        NumberTable.of_frame("Reviews it never saw", found.held_out.table()),
        NumberTable.of_frame("Forgotten built-in reviews", found.forgotten()),
        NumberTable.of_frame("Scorecard", found.scorecard_changes()),
    )
    words = (sentence, found.forgotten_sentence(), found.scorecard_sentence())
    return Exhibit("Retrained on half of them", words, {}, (drawing,), tables)


def _runs(hour: Hour) -> Chapter:
    """The runs of the hour, but for that which learned from the board last and is told there."""
    on_the_board = _retrained(hour) if hour.retraining is not None else []
    others = [run for run in hour.runs if run not in on_the_board]
    return Chapter("Fine-tuned", tuple(run_exhibits(others)))


def _retrained(hour: Hour) -> list[Run]:
    last = [event.run for event in hour.state.board.retrained[-1:]]
    return [run for run in hour.runs if run.id in last]


def _cards(hour: Hour, asked: Iterable[AskedQuestion]) -> dict[str, dict[str, str]]:
    cards = {}
    for name in dict.fromkeys([*(each.content.model for each in asked), hour.state.board.model]):
        if name and (card := model_card(name)):
            cards[model_title(name)] = card
    for run in hour.runs:
        with suppress(BertsentError):
            cards[run.id] = run_card(run)
    return {**cards, "This server": machine_card()}


def _references(asked: Iterable[AskedQuestion], state: RoomState) -> list[str]:
    keys = cited("Class", "Board" if state.board.current else "")
    keys += cited("Class", "Retraining") if state.board.retrained else []
    for each in asked:
        keys += cited("Class", "Vote")
        keys += cited(_PLACES.get(each.content.kind, ""))
        if any(answer.name for answer in each.content.answers) and each.content.kind == "sentence":
            keys += cited("Probe", "Others say")
    return in_order(keys)
