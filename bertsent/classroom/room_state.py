"""What is true in a room now: its events added up. A state is never changed, so whoever holds one
may read it while others vote.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeVar

from bertsent.classroom.board_state import BOARD_EVENTS, BoardState
from bertsent.classroom.room_events import (
    Asked,
    BoardSet,
    Closed,
    Ended,
    Joined,
    Opened,
    Question,
    Removed,
    Revealed,
    RoomEvent,
    Ruled,
    Settled,
    Showed,
    Voted,
    Withdrawn,
)

Phase = Literal["open", "ended", "revealing", "withdrawn"]
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Vote:
    """One member's vote: the index of the option, and how sure, from 0 to 1."""

    choice: int
    confidence: float


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its votes, by member."""

    id: str
    content: Question
    asked: float
    ends: float
    votes: Mapping[str, Vote] = field(default_factory=dict)
    revealed: int = 0  # how many are turned over, the class counts as the first
    turned: float = 0.0  # when the last one was
    withdrawn: bool = False

    @property
    def moved(self) -> float:
        """When it was asked, or an answer was turned over last."""
        return max(self.asked, self.turned)

    @property
    def waits(self) -> bool:
        """Whether only the end of a run can answer it, and has not come."""
        return bool(self.content.run) and not self.content.answers

    def phase(self, now: float) -> Phase:
        """Whether it takes votes, waits for the reveal, is being revealed or was taken back."""
        if self.withdrawn:
            return "withdrawn"
        if self.revealed:
            return "revealing"
        return "open" if now < self.ends else "ended"


@dataclass(frozen=True)
class RoomState:
    """A room as it is after some of its events."""

    title: str = ""
    opened: float = 0.0
    expires: float = 0.0
    password: str = ""
    members: Mapping[str, str] = field(default_factory=dict)  # nicknames
    removed: frozenset[str] = frozenset()
    rules: Ruled = Ruled(time=0.0, training="everyone")
    questions: Mapping[str, AskedQuestion] = field(default_factory=dict)  # in the order asked
    board: BoardState = BoardState()
    lesson: Showed | None = None
    lesson_began: float = 0.0
    went_on: float = 0.0  # when a question, a step, the end of a lesson or the board came last
    closed: bool = False
    changes: int = 0  # events so far: whether anything happened since one looked

    @property
    def question(self) -> AskedQuestion | None:
        """The newest question that was not taken back."""
        kept = [asked for asked in self.questions.values() if not asked.withdrawn]
        return kept[-1] if kept else None

    def is_left_behind(self, asked: AskedQuestion, now: float) -> bool:
        """Whether the class has gone on from a question: it takes no votes, and since it last moved
        another one was asked, a lesson went on or ended, or the board was opened.
        """
        return asked.phase(now) != "open" and self.went_on > asked.moved

    def add(self, event: RoomEvent) -> "RoomState":
        """The state after one more event."""
        goes_on = isinstance(event, Asked | Showed) or isinstance(event, BoardSet) and event.taking
        return replace(
            self._after(event),
            changes=self.changes + 1,
            went_on=event.time if goes_on else self.went_on,
        )

    def _after(self, event: RoomEvent) -> "RoomState":
        if isinstance(event, BOARD_EVENTS):
            return replace(self, board=self.board.add(event))
        match event:
            case Opened():
                return replace(
                    self,
                    title=event.title,
                    opened=event.time,
                    expires=event.expires,
                    password=event.password,
                )
            case Joined():
                return replace(self, members=_with(self.members, event.member, event.nickname))
            case Removed():
                kept = {m: name for m, name in self.members.items() if m != event.member}
                return replace(self, members=kept, removed=self.removed | {event.member})
            case Ruled():
                return replace(self, rules=event)
            case Showed():
                return self._in_lesson(event)
            case Closed():
                return replace(self, closed=True)
            case _:
                return self._after_question(event)

    def _in_lesson(self, event: Showed) -> "RoomState":
        if not event.lesson:
            return replace(self, lesson=None)
        goes_on = self.lesson is not None and self.lesson.lesson == event.lesson
        began = self.lesson_began if goes_on else event.time
        return replace(self, lesson=event, lesson_began=began)

    def _after_question(self, event: RoomEvent) -> "RoomState":
        if isinstance(event, Asked):
            asked = AskedQuestion(
                event.question, event.content, event.time, event.time + event.content.seconds
            )
            return replace(self, questions=_with(self.questions, asked.id, asked))
        known = self.questions.get(getattr(event, "question", ""))
        if known is None:
            return self
        match event:
            case Voted():
                vote = Vote(event.choice, event.confidence)
                known = replace(known, votes=_with(known.votes, event.member, vote))
            case Ended():
                known = replace(known, ends=min(known.ends, event.time))
            case Settled():
                content = replace(known.content, answers=event.answers, truth=event.truth)
                known = replace(known, content=content)
            case Revealed():
                ends, turned = min(known.ends, event.time), event.time
                known = replace(known, revealed=event.count, ends=ends, turned=turned)
            case Withdrawn():
                known = replace(known, withdrawn=True)
        return replace(self, questions=_with(self.questions, known.id, known))


def _with(known: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return MappingProxyType({**known, key: value})
