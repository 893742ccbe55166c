"""Asking a model about a review of one's own, from a phone: which model, when not, and the answer.
Nothing of it is kept.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bertsent.classroom.room import Room
from bertsent.classroom.room_state import RoomState
from bertsent.classroom.tally import is_complete
from bertsent.data.cleaning import typed_review
from bertsent.errors import NotAllowed, NotAvailable
from bertsent.probing.registry import BUILTIN, find_model
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import Prediction

PREDICT_FIRST = "First everybody predicts: the model answers here again after the reveal."
HIDDEN = "Your teacher has hidden Probe for now."
PAGE = "Probe"  # what a teacher hides who wants no model to be asked
WAITS = 600.0  # seconds after a vote, longer than a class talks before the reveal
Ask = Callable[[str, str], "Prediction"]  # the answer of the model of that name to that text


def model_to_ask(state: RoomState) -> str:
    """The registry name of the room's model: the one of its board, else the one that ships with the
    lab.
    """
    return state.board.model or BUILTIN


def model_title(name: str) -> str:
    """What that model is called on a screen.

    Raises:
        NotAvailable: it is gone.
    """
    return find_model(name, folders=False).title


def gives_away(state: RoomState, now: float | None = None) -> bool:
    """Whether a model's answer could give away the vote of now: it is about a review, not all
    answers to it are turned over, and the class still waits for them. It does not where the teacher
    took the question back, went on to something else, or let ten minutes pass without a reveal.
    """
    asked, now = state.question, time.time() if now is None else now
    if asked is None or not asked.content.text or is_complete(asked):
        return False
    waits = now < max(asked.ends, asked.turned) + WAITS
    return waits and not state.is_left_behind(asked, now)


def why_not_now(state: RoomState, now: float | None = None) -> str:
    """Why no phone may ask the model now; empty where each may."""
    if PAGE in state.rules.hidden_pages:
        return HIDDEN
    return PREDICT_FIRST if gives_away(state, now) else ""


def ask_model(room: Room, visitor: str, typed: str, ask: Ask) -> "Prediction":
    """The answer of the room's model to a member's review.

    Args:
        room: whose model.
        visitor: who asks.
        typed: the review.
        ask: gives the answer of a model, by its name, to a text.

    Raises:
        NotAllowed: a visitor who is no member.
        NotAvailable: nobody may ask it now, or the room is closed, or the model is gone.
        BadInput: nothing to classify, or too long.
        BertsentError: the model does not answer.
    """
    text = typed_review(typed, LIMITS.review_chars)
    answer = ask(model_to_ask(_open_to(room, visitor)), text)
    _open_to(room, visitor)  # a vote may have begun meanwhile
    return answer


def _open_to(room: Room, visitor: str) -> RoomState:
    state = room.look()
    member = room.member(visitor)
    NotAllowed.raise_if(member not in state.members, "You are not in this room.", "Join.")
    NotAvailable.raise_if(state.closed, "This room is closed.")
    why_not = why_not_now(state)
    NotAvailable.raise_if(why_not, why_not)
    return state
