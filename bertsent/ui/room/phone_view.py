"""What a phone is told of its room: what is turned over already, and what is its own.

Nothing of the models' answers, the truth or the others' votes leaves the server before it is
revealed; who voted what never does. Whoever judges a review of the board is not told its label.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bertsent.classroom.asking import gives_away, model_title, model_to_ask, why_not_now
from bertsent.classroom.board_state import BoardEntry, BoardState, Rank
from bertsent.classroom.lesson_questions import score_in_lesson
from bertsent.classroom.room import Room
from bertsent.classroom.room_state import AskedQuestion, RoomState, Vote
from bertsent.classroom.tally import SURE, is_complete, tally, turned_over
from bertsent.errors import NotAvailable
from bertsent.ui.room.lesson_view import lesson_view, reason_view

TO_JUDGE, BEST = 3, 3  # reviews that a phone gets to judge, and places that it is told
View = dict[str, Any]


@dataclass(frozen=True)
class SharedView:
    """What every member is told alike, and the places on the board, of which each is told one."""

    view: View = field(default_factory=dict)
    ranks: Mapping[str, Rank] = field(default_factory=dict)  # by member


def room_view(room: Room, member: str, state: RoomState, shared: SharedView | None = None) -> View:
    """The room as this member is told it, or as a stranger is.

    Args:
        room: which one.
        member: who asks, as the room knows them.
        state: of the room.
        shared: what ``shared_view`` gave for this state, where it is there already.
    """
    if member not in state.members:
        return {"code": room.code, **stranger_view(state), "removed": member in state.removed}
    shared = shared or shared_view(state)
    return {"code": room.code, **shared.view, **_own(state, member, shared.ranks.get(member))}


def stranger_view(state: RoomState) -> View:
    """What somebody sees who has the code and is not in the room."""
    return {"joined": False, "title": state.title, "password": bool(state.password)}


def shared_view(state: RoomState, now: float | None = None) -> SharedView:
    """What every member sees alike; for a class it is put together once."""
    now = time.time() if now is None else now
    asked, ranking = state.question, state.board.ranking()
    view = {
        "joined": True,
        "title": state.title,
        "members": len(state.members),
        "over": state.closed or 0 < state.expires <= now,
        "question": _question(state, asked, now) if asked else None,
        "lesson": lesson_view(state.lesson),
        "board": _board(state, ranking, now) if state.board.model else None,
        "probe": _probe(state, now),
    }
    return SharedView(view, {rank.member: rank for rank in ranking})


def _own(state: RoomState, member: str, rank: Rank | None) -> View:
    """What only this member sees: the nickname, the own vote, the own part of the board."""
    asked = state.question
    vote = asked.votes.get(member) if asked else None
    lesson = state.lesson.lesson if state.lesson else ""
    return {
        "nickname": state.members.get(member, ""),
        "vote": _vote(asked, vote) if asked and vote else None,
        "score": score_in_lesson(state, lesson, member) if lesson else None,
        "own_board": _own_board(state.board, member, rank) if state.board.model else None,
    }


def _question(state: RoomState, asked: AskedQuestion, now: float) -> View:
    content = asked.content
    return {
        "id": asked.id,
        "prompt": content.prompt,
        "text": content.text,
        "of_lesson": bool(content.lesson),
        "options": list(content.options),
        "left_behind": state.is_left_behind(asked, now),
        "ends": asked.ends,
        "seconds": content.seconds,
        "phase": asked.phase(now),
        "voted": len(asked.votes),
        "reveal": _reveal(asked) if asked.revealed else None,
    }


def _reveal(asked: AskedQuestion) -> View:
    counted, complete = tally(asked), is_complete(asked)
    return {
        "class": list(counted.counts),
        "answers": [
            {"name": answer.name, "choice": answer.choice, "probability": answer.probability}
            for answer in turned_over(asked)
        ],
        "more": not complete,
        "truth": asked.content.truth if complete else None,
        "sure_and_wrong": counted.sure_and_wrong if complete else None,
        "link": asked.content.link if complete else "",
        "why": list(reason_view(asked.content)) if complete else [],
    }


def _vote(asked: AskedQuestion, vote: Vote) -> View:
    view: View = {"question": asked.id, "choice": vote.choice, "confidence": vote.confidence}
    if is_complete(asked) and asked.content.truth is not None:
        view |= {"right": vote.choice == asked.content.truth, "sure": vote.confidence >= SURE}
    return view


def _board(state: RoomState, ranking: Sequence[Rank], now: float) -> View:
    board = state.board
    best = [rank for rank in ranking if rank.points][:BEST]
    return {
        "taking": board.taking and not gives_away(state, now),
        "threshold": board.threshold,
        "confirmed": len(board.confirmed),
        "best": [
            {"name": state.members.get(rank.member, "somebody"), "points": rank.points}
            for rank in best
        ],
    }


def _probe(state: RoomState, now: float) -> View:
    """Which model a phone may ask about reviews of its own, or why it may not now."""
    try:
        return {"model": model_title(model_to_ask(state)), "why_not": why_not_now(state, now)}
    except NotAvailable as error:
        return {"model": "", "why_not": str(error)}


def _own_board(board: BoardState, member: str, rank: Rank | None) -> View:
    return {
        "to_judge": [
            {"id": entry.id, "text": entry.text} for entry in board.to_judge(member)[:TO_JUDGE]
        ],
        "mine": [_entry(entry) for entry in board.of(member)],
        "place": rank.place if rank else None,
        "points": rank.points if rank else 0,
    }


def _entry(entry: BoardEntry) -> View:
    """An own review of the board."""
    return {
        "text": entry.text,
        "label": entry.label,
        "standing": entry.standing,
        "points": entry.points,
    }
