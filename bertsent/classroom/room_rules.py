"""What the rooms of a lab allow one of its visitors. A member follows the newest room that is open
and has it; who is in none, the rules of all open rooms, or they would be escaped by not joining.
"""

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Ruled
from bertsent.classroom.room_state import RoomState
from bertsent.classroom.rooms import open_rooms

FROZEN = "Your teacher has stopped training for now."
NOT_CHOSEN = "Your teacher lets only some of the class train now."
NO_MEMBER = "A class is using this lab, and its teacher decides who trains."


def room_of(visitor: str) -> Room | None:
    """The newest open room that a visitor is a member of."""
    return next((r for r in open_rooms() if r.member(visitor) in r.look().members), None)


def why_no_training(visitor: str) -> str:
    """Why a visitor who is not the host may not start a run now; empty where no room forbids it."""
    rooms = open_rooms()
    own = _own_state(rooms, visitor)
    if own is None:
        return NO_MEMBER if any(r.look().rules.training != "everyone" for r in rooms) else ""
    room, state = own
    return _refusal(state.rules, room.member(visitor))


def hidden_pages(visitor: str) -> frozenset[str]:
    """The words in the menu of the pages that a visitor who is not the host does not see."""
    rooms = open_rooms()
    own = _own_state(rooms, visitor)
    states = [own[1]] if own else [room.look() for room in rooms]
    return frozenset(page for state in states for page in state.rules.hidden_pages)


def _own_state(rooms: list[Room], visitor: str) -> tuple[Room, RoomState] | None:
    for room in rooms:
        state = room.look()
        if room.member(visitor) in state.members:
            return room, state
    return None


def _refusal(rules: Ruled, member: str) -> str:
    if rules.training == "nobody":
        return FROZEN
    return NOT_CHOSEN if rules.training == "chosen" and member not in rules.trainers else ""
