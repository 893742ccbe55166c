"""What a phone may ask for in its room. Each action asks the room, which knows the rules; here only
what came over the network is read.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bertsent.classroom.room import Room
from bertsent.errors import BadInput, NotAvailable

Body = Mapping[str, Any]
Action = Callable[[Room, str, Body], dict[str, Any]]  # a visitor in the middle; gives what to say


def join(room: Room, visitor: str, body: Body) -> dict[str, Any]:
    """Come in, with a nickname or as a random animal."""
    room.join(visitor, _text(body, "nickname"), _text(body, "password"))
    return {}


def vote(room: Room, visitor: str, body: Body) -> dict[str, Any]:
    """Vote on a question; ``waited`` is for how many seconds the phone could not send it."""
    room.vote(
        visitor,
        _text(body, "question"),
        _whole(body, "choice"),
        _number(body, "confidence"),
        _number(body, "waited"),
    )
    return {}


def offer(room: Room, visitor: str, body: Body) -> dict[str, Any]:
    """Try to fool the model of the board; says what it answered."""
    from bertsent.classroom import board
    from bertsent.classroom.asking import PREDICT_FIRST, gives_away
    from bertsent.ui.shared.live_answer import answer_of

    NotAvailable.raise_if(gives_away(room.look()), PREDICT_FIRST)
    found = board.offer(room, visitor, _text(body, "text"), _whole(body, "label"), answer_of)
    return {"said": found.sentence(), "fooled": found.entry is not None}


def judge(room: Room, visitor: str, body: Body) -> dict[str, Any]:
    """Give somebody else's review a label; null where it could be either."""
    from bertsent.classroom import board

    label = None if body.get("label") is None else _whole(body, "label")
    board.judge(room, visitor, _text(body, "entry"), label)
    return {}


def probe(room: Room, visitor: str, body: Body) -> dict[str, Any]:
    """Ask the room's model about a review of one's own; nothing of it is kept."""
    from bertsent.classroom.asking import ask_model, model_to_ask
    from bertsent.ui.room.probe_view import probe_view
    from bertsent.ui.shared.live_answer import answer_of

    typed = _text(body, "text")
    answer = ask_model(room, visitor, typed, answer_of)
    return {"answer": probe_view(model_to_ask(room.look()), typed, answer)}


ACTIONS: dict[str, Action] = {
    "join": join,
    "vote": vote,
    "offer": offer,
    "judge": judge,
    "probe": probe,
}
ASK_A_MODEL = {offer, probe}


def _text(body: Body, name: str) -> str:
    value = body.get(name, "")
    BadInput.raise_if(not isinstance(value, str), "That cannot be read.", "Load the page again.")
    return value


def _number(body: Body, name: str) -> float:
    value = body.get(name, 0)
    readable = isinstance(value, (int, float)) and abs(value) < 1e9
    BadInput.raise_if(not readable, "That cannot be read.", "Load the page again.")
    return float(value)


def _whole(body: Body, name: str) -> int:
    value = _number(body, name)
    return int(value) if value.is_integer() else -1
