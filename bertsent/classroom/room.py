"""One room: a folder with its events. Everything that a person may do in it is a method here, which
asks the rules again under the lock of the room and then appends one event.

Whether somebody is the teacher is asked by who calls: the lab knows its host, a room does not.
"""

import hashlib
import math
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from filelock import FileLock

from bertsent.classroom.nicknames import checked_nickname
from bertsent.classroom.room_events import (
    Answer,
    Asked,
    Closed,
    Ended,
    Joined,
    Question,
    Removed,
    Revealed,
    RoomEvent,
    RoomLog,
    Ruled,
    Settled,
    Showed,
    Training,
    Voted,
    Withdrawn,
)
from bertsent.classroom.room_password import is_password
from bertsent.classroom.room_state import AskedQuestion, RoomState, Vote
from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable

MOST_MEMBERS, MOST_QUESTIONS = 600, 200
LONGEST_DELAY = 300.0  # seconds that a vote may wait in a phone for its Wi-Fi


class Room:
    """A room by its folder. Threads may share one; processes each have their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = folder.name
        self.log = RoomLog(folder / "events.jsonl")
        self._lock = Lock()
        self._state, self._offset = RoomState(), 0

    def look(self) -> RoomState:
        """The room as it is now. Costs one ``stat`` when nothing has happened since.

        Raises:
            NotAvailable: the room was deleted.
        """
        with self._lock:
            return self._read()

    def member(self, visitor: str) -> str:
        """How this room knows a visitor; nobody can tell from it who that is in another room."""
        return hashlib.sha256(f"{self.code} {visitor}".encode()).hexdigest()[:16]

    def join(self, visitor: str, nickname: str = "", password: str = "") -> str:
        """Let a visitor in, or give a member another nickname; gives back the nickname. Who joins
        again without one keeps the own.

        Raises:
            BadInput: the nickname is too long or taken.
            NotAllowed: the password is wrong, or the teacher sent this visitor out.
            Busy: the room is full.
            NotAvailable: the room was closed or deleted.
        """
        member = self.member(visitor)
        kept = self.look()
        if member not in kept.members and not is_password(password, kept.password):
            raise NotAllowed("That is not the password of this room.", "Ask your teacher for it.")
        with self.writing() as state:
            NotAllowed.raise_if(member in state.removed, "You were sent out of this room.")
            own = state.members.get(member, "")
            if own and nickname in ("", own):
                return own
            Busy.raise_if(len(state.members) >= MOST_MEMBERS, "This room is full.")
            others = [name for other, name in state.members.items() if other != member]
            name = checked_nickname(nickname, others)
            self.append(Joined(member=member, nickname=name))
            return name

    def remove(self, member: str) -> None:
        """Send a member out; votes already given stay."""
        with self.writing() as state:
            if member in state.members:
                self.append(Removed(member=member))

    def rule(
        self,
        training: Training,
        trainers: Collection[str] = (),
        hidden_pages: Collection[str] = (),
    ) -> None:
        """Say who may train (members, where ``chosen``) and which pages members do not see."""
        with self.writing():
            self.append(
                Ruled(training=training, trainers=tuple(trainers), hidden_pages=tuple(hidden_pages))
            )

    def ask(self, question: Question) -> str:
        """Put a question; the time to vote begins. An earlier one that still takes votes ends.
        Gives back its id.

        Raises:
            BadInput: fewer than two options, or no time.
            Busy: too many questions in one room.
        """
        BadInput.raise_if(len(question.options) < 2, "A question needs at least two options.")
        BadInput.raise_if(not 5 <= question.seconds <= 3600, "A vote takes 5 to 3,600 seconds.")
        with self.writing() as state:
            Busy.raise_if(
                len(state.questions) >= MOST_QUESTIONS,
                "This room has too many questions.",
                "Open another one.",
            )
            before = state.question
            if before and before.phase(time.time()) == "open":
                self.append(Ended(question=before.id))
            name = f"q{len(state.questions) + 1}"
            self.append(Asked(question=name, content=question))
            return name

    def vote(
        self, visitor: str, question: str, choice: int, confidence: float, waited: float = 0.0
    ) -> Vote:
        """Count a member's vote; the same one sent again counts once.

        Args:
            visitor: who votes.
            question: the id of the question.
            choice: index of the option.
            confidence: how sure, from 0 to 1.
            waited: seconds since the vote was given, as the phone says that had no Wi-Fi. A vote
                given in time counts until the reveal begins.

        Raises:
            NotAllowed: a visitor who is no member, a second vote that differs.
            BadInput: no such option, or no such confidence.
            NotAvailable: the question is gone, its time is over, or the room is.
        """
        vote = Vote(choice, confidence)
        member = self.member(visitor)
        with self.writing() as state:
            NotAllowed.raise_if(member not in state.members, "You are not in this room.", "Join.")
            asked = _asked(state, question)
            BadInput.raise_if(
                not 0 <= choice < len(asked.content.options) or not 0 <= confidence <= 1,
                "That is no answer to this question.",
            )
            if member in asked.votes:
                NotAllowed.raise_if(asked.votes[member] != vote, "You have voted already.")
                return vote
            waited = min(max(waited, 0.0), LONGEST_DELAY) if math.isfinite(waited) else 0.0
            late = time.time() - waited >= asked.ends or asked.revealed
            NotAvailable.raise_if(late, "The time to vote on this is over.")
            self.append(
                Voted(question=question, member=member, choice=choice, confidence=confidence)
            )
            return vote

    def end(self, question: str) -> None:
        """Take no more votes on a question.

        Raises:
            NotAvailable: it is gone.
        """
        with self.writing() as state:
            if _asked(state, question).phase(time.time()) == "open":
                self.append(Ended(question=question))

    def reveal(self, question: str, count: int | None = None) -> int:
        """Turn over the next answer, or so many: first the class's, then the others in their order.
        Ends the vote. Gives back how many are turned over.

        Raises:
            NotAvailable: the question is gone, or the run that it is about still trains.
        """
        with self.writing() as state:
            asked = _asked(state, question)
            NotAvailable.raise_if(asked.waits, "The run still trains.", "Wait until it has ended.")
            last = 1 + len(asked.content.answers)
            wanted = min(max(asked.revealed + 1 if count is None else count, 1), last)
            if wanted != asked.revealed:
                self.append(Revealed(question=question, count=wanted))
            return wanted

    def settle(self, question: str, answers: Sequence[Answer], truth: int | None) -> None:
        """Answer a question that waited for the end of a run; one that has answers keeps them.

        Raises:
            NotAvailable: the question is gone.
        """
        with self.writing() as state:
            if _asked(state, question).waits:
                self.append(Settled(question=question, answers=tuple(answers), truth=truth))

    def withdraw(self, question: str) -> None:
        """Take a question back; its votes do not count.

        Raises:
            NotAvailable: it is gone.
        """
        with self.writing() as state:
            _asked(state, question)
            self.append(Withdrawn(question=question))

    def show_lesson(self, lesson: str, step: int = 0) -> None:
        """Say which step of a lesson the class is at; an empty name ends it."""
        with self.writing() as state:
            now = state.lesson
            if (now.lesson, now.step) != (lesson, step) if now else lesson:
                self.append(Showed(lesson=lesson, step=step))

    def close(self) -> None:
        """End the hour; what happened can be read until the room is deleted."""
        with self.writing():
            self.append(Closed())

    @contextmanager
    def writing(self) -> Iterator[RoomState]:
        """The newest state, while nobody else writes.

        Raises:
            NotAvailable: the room was closed, has expired, or was deleted.
        """
        with self._lock, self._file_lock():
            state = self._read()
            over = state.closed or (state.expires and time.time() >= state.expires)
            NotAvailable.raise_if(over, "This room is closed.")
            yield state

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        """Keeps other processes out. A folder that is gone is not made again."""
        try:
            lock = FileLock(self.folder / "lock", poll_interval=0.005)
            with lock:
                yield
        except FileNotFoundError:
            raise self._gone() from None

    def append(self, event: RoomEvent) -> None:
        """Add a fact; only inside ``writing``, which has asked the rules."""
        if self.log.is_torn():
            self.log.repair()
        self.log.append(event)
        self._read()

    def _read(self) -> RoomState:
        try:
            size = self.log.path.stat().st_size
        except FileNotFoundError:
            raise self._gone() from None
        if size > self._offset:
            events, self._offset = self.log.read(self._offset)
            state = self._state
            for event in events:
                state = state.add(event)
            self._state = state
        return self._state

    def _gone(self) -> NotAvailable:
        return NotAvailable(f"There is no room {self.code}.", "Ask your teacher for the code.")


def _asked(state: RoomState, question: str) -> AskedQuestion:
    found = state.questions.get(question)
    if found is None or found.withdrawn:
        raise NotAvailable("That question is gone.", "Wait for the next one.")
    return found
