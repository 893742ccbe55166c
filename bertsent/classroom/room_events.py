"""What can happen in a room, and the file it is appended to.

A member is known by a hash that means nothing in another room. No event holds an address, a name
that was not chosen for this room, or anything else of a person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bertsent.event_log import AppendOnlyLog, LoggedEvent

Kind = Literal["sentence", "map", "heads", "curves", "lesson"]
Training = Literal["everyone", "chosen", "nobody"]


@dataclass(frozen=True)
class Answer:
    """What somebody who is no member says to a question: a classifier, a head, K-Means."""

    name: str
    choice: int  # index of the option
    probability: float | None = None  # that it gives to its own choice


def _answers(given: Iterable["Answer | Mapping[str, Any]"]) -> tuple[Answer, ...]:
    return tuple(each if isinstance(each, Answer) else Answer(**each) for each in given)


@dataclass(frozen=True)
class Question:
    """What the class votes on."""

    kind: Kind
    prompt: str
    options: tuple[str, ...]
    seconds: int  # to vote in
    text: str = ""  # the review that it is about
    link: str = ""  # where the lab shows it
    answers: tuple[Answer, ...] = ()  # computed when it was asked, in the order of the reveal
    truth: int | None = None  # index of the right option, where there is one
    model: str = ""  # which one is asked last
    run: str = ""  # the run whose end answers it, where that still trains
    lesson: str = ""  # the lesson that asks, and which of its steps
    step: int = 0

    def __post_init__(self) -> None:
        """Take what JSON makes of tuples and answers."""
        object.__setattr__(self, "answers", _answers(self.answers))
        object.__setattr__(self, "options", tuple(self.options))


@dataclass(frozen=True, kw_only=True)
class RoomEvent(LoggedEvent):
    """A fact about a room."""


@dataclass(frozen=True, kw_only=True)
class Opened(RoomEvent):
    """The teacher opened the room. ``password`` is a salted hash, or empty."""

    title: str
    expires: float
    password: str = ""


@dataclass(frozen=True, kw_only=True)
class Joined(RoomEvent):
    """Somebody came in, or took another nickname."""

    member: str
    nickname: str


@dataclass(frozen=True, kw_only=True)
class Removed(RoomEvent):
    """The teacher sent a member out; that browser cannot come in again."""

    member: str


@dataclass(frozen=True, kw_only=True)
class Ruled(RoomEvent):
    """Who may train, and which pages members do not see."""

    training: Training
    trainers: tuple[str, ...] = ()
    hidden_pages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Asked(RoomEvent):
    """A question was put; the time to vote begins."""

    question: str
    content: Question

    def __post_init__(self) -> None:
        if isinstance(self.content, Mapping):
            object.__setattr__(self, "content", Question(**self.content))


@dataclass(frozen=True, kw_only=True)
class Voted(RoomEvent):
    """A member voted."""

    question: str
    member: str
    choice: int
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Ended(RoomEvent):
    """The teacher ended a vote before its time."""

    question: str


@dataclass(frozen=True, kw_only=True)
class Settled(RoomEvent):
    """What a question was about has happened since: the answers to it and the right option."""

    question: str
    answers: tuple[Answer, ...]
    truth: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", _answers(self.answers))


@dataclass(frozen=True, kw_only=True)
class Revealed(RoomEvent):
    """So many are turned over: first the class, then the answers in their order."""

    question: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Withdrawn(RoomEvent):
    """The teacher took a question back; its votes do not count."""

    question: str


@dataclass(frozen=True, kw_only=True)
class Showed(RoomEvent):
    """The class is at this step of a lesson; an empty name ends it."""

    lesson: str
    step: int = 0


@dataclass(frozen=True, kw_only=True)
class BoardSet(RoomEvent):
    """The teacher chose which model the board is played against, and whether it takes reviews."""

    model: str  # as the registry calls it
    threshold: float  # the probability of the wrong label above which a model is fooled
    taking: bool


@dataclass(frozen=True, kw_only=True)
class Offered(RoomEvent):
    """A member wrote a review that fools the model; it counts once another one confirms it."""

    entry: str
    member: str
    text: str
    label: int  # as its author says
    p_positive: float  # the answer of the model, asked by the server
    model: str


@dataclass(frozen=True, kw_only=True)
class Missed(RoomEvent):
    """A member wrote a review that does not fool the model; the text is not kept."""

    member: str


@dataclass(frozen=True, kw_only=True)
class Judged(RoomEvent):
    """A member read a review without its label and gave it one; None: it could be either."""

    entry: str
    member: str
    label: int | None


@dataclass(frozen=True, kw_only=True)
class Dropped(RoomEvent):
    """The teacher took a review off the board."""

    entry: str


@dataclass(frozen=True, kw_only=True)
class Retrained(RoomEvent):
    """A run began that learns from one half of the confirmed reviews."""

    run: str
    sha256: str  # of the reviews of the run, which tell it from another one of its name
    model: str  # what it starts from, as the registry calls it
    seed: int  # by which the halves were drawn
    learned: tuple[str, ...]  # entries
    held_out: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "learned", tuple(self.learned))
        object.__setattr__(self, "held_out", tuple(self.held_out))


@dataclass(frozen=True, kw_only=True)
class Closed(RoomEvent):
    """The hour is over: nobody joins or votes any more; what happened can be read."""


KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in RoomEvent.__subclasses__()}


class RoomLog(AppendOnlyLog[RoomEvent]):
    """The file of a room's events."""

    kinds = KINDS
