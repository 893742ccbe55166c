"""The board as it stands: which reviews fool the model, who confirmed them, and who leads."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal
from zlib import crc32

from bertsent.classroom.room_events import (
    BoardSet,
    Dropped,
    Judged,
    Missed,
    Offered,
    Retrained,
)

Standing = Literal["waiting", "confirmed", "disputed", "dropped"]
BoardEvent = BoardSet | Offered | Missed | Judged | Dropped | Retrained
BOARD_EVENTS = (BoardSet, Offered, Missed, Judged, Dropped, Retrained)
THRESHOLD = 0.5  # where the wrong label is the answer
CONTRADICTIONS = 2  # that make a label disputed


@dataclass(frozen=True)
class BoardEntry:
    """A review that fooled the model when it was offered."""

    id: str
    member: str  # who wrote it
    text: str
    label: int
    p_positive: float
    model: str
    time: float
    judgements: Mapping[str, int | None] = field(default_factory=dict)  # by member
    dropped: bool = False

    @property
    def p_wrong(self) -> float:
        """The probability that the model gave to the wrong label."""
        return wrong_probability(self.p_positive, self.label)

    @property
    def confirmations(self) -> int:
        """How many others gave the label of the author."""
        return sum(label == self.label for label in self.judgements.values())

    @property
    def contradictions(self) -> int:
        """How many others gave the other one, or said that it could be either."""
        return len(self.judgements) - self.confirmations

    @property
    def standing(self) -> Standing:
        """One who confirms is enough; two who contradict make the label disputed."""
        if self.dropped:
            return "dropped"
        if self.contradictions >= CONTRADICTIONS:
            return "disputed"
        return "confirmed" if self.confirmations else "waiting"

    @property
    def points(self) -> int:
        """100 times the probability of the wrong label; 0 until somebody confirms the label."""
        return round(100 * self.p_wrong) if self.standing == "confirmed" else 0


@dataclass(frozen=True)
class Tries:
    """How many reviews a member has sent, and when the last one came."""

    count: int = 0
    last: float = 0.0


@dataclass(frozen=True)
class Rank:
    """One member in the table of the board."""

    place: int  # equal points share a place
    member: str
    points: int
    confirmed: int
    waiting: int
    tries: int


@dataclass(frozen=True)
class BoardState:
    """The board of a room after some of its events."""

    model: str = ""  # which one is to be fooled; empty until the teacher chose one
    threshold: float = THRESHOLD
    taking: bool = False  # reviews, now
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)  # in the order offered
    tries: Mapping[str, Tries] = field(default_factory=dict)  # by member
    retrained: tuple[Retrained, ...] = ()

    @property
    def current(self) -> list[BoardEntry]:
        """The entries that fooled the model of the board; those against another one come back with
        it.
        """
        return [entry for entry in self.entries.values() if entry.model == self.model]

    @property
    def confirmed(self) -> list[BoardEntry]:
        """Those of them that count."""
        return [entry for entry in self.current if entry.standing == "confirmed"]

    def of(self, member: str) -> list[BoardEntry]:
        """What a member wrote that fooled the model of the board."""
        return [entry for entry in self.current if entry.member == member]

    def to_judge(self, member: str) -> list[BoardEntry]:
        """What a member may still judge, what has fewest judgements first. Members begin with
        different ones of these, so that a class does not judge the oldest thirty times.
        """
        others = [
            entry
            for entry in self.current
            if entry.standing == "waiting"
            and entry.member != member
            and member not in entry.judgements
        ]
        ordered = sorted(others, key=lambda entry: (len(entry.judgements), entry.time))
        fewest = [e for e in ordered if len(e.judgements) == len(ordered[0].judgements)]
        first = crc32(member.encode()) % max(len(fewest), 1)
        return [*fewest[first:], *fewest[:first], *ordered[len(fewest) :]]

    def ranking(self) -> list[Rank]:
        """Everybody who has sent a review, the most points first."""
        points, confirmed, waiting = Counter[str](), Counter[str](), Counter[str]()
        for entry in self.current:
            points[entry.member] += entry.points
            confirmed[entry.member] += entry.standing == "confirmed"
            waiting[entry.member] += entry.standing == "waiting"
        order = sorted(self.tries, key=lambda member: -points[member])
        return [
            Rank(
                place=1 + sum(points[other] > points[member] for other in order),
                member=member,
                points=points[member],
                confirmed=confirmed[member],
                waiting=waiting[member],
                tries=self.tries[member].count,
            )
            for member in order
        ]

    def add(self, event: BoardEvent) -> "BoardState":
        """The board after one more event."""
        match event:
            case BoardSet():
                return replace(
                    self, model=event.model, threshold=event.threshold, taking=event.taking
                )
            case Offered():
                return replace(self._tried(event), entries=self._with(_entry(event)))
            case Missed():
                return self._tried(event)
            case Retrained():
                return replace(self, retrained=(*self.retrained, event))
        known = self.entries.get(event.entry)
        if known is None:
            return self
        if isinstance(event, Dropped):
            return replace(self, entries=self._with(replace(known, dropped=True)))
        judgements = MappingProxyType({**known.judgements, event.member: event.label})
        return replace(self, entries=self._with(replace(known, judgements=judgements)))

    def _tried(self, event: Offered | Missed) -> "BoardState":
        count = self.tries.get(event.member, Tries()).count + 1
        tries = {**self.tries, event.member: Tries(count, event.time)}
        return replace(self, tries=MappingProxyType(tries))

    def _with(self, entry: BoardEntry) -> Mapping[str, BoardEntry]:
        return MappingProxyType({**self.entries, entry.id: entry})


def wrong_probability(p_positive: float, label: int) -> float:
    """What a model gives to the label that a review does not have."""
    return 1 - p_positive if label else p_positive


def _entry(event: Offered) -> BoardEntry:
    return BoardEntry(
        id=event.entry,
        member=event.member,
        text=event.text,
        label=event.label,
        p_positive=event.p_positive,
        model=event.model,
        time=event.time,
    )
