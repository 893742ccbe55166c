"""The board of a room: reviews that fool a model, and how they come to count.

Whoever is the author says the label; the server asks the model; another member, who does not see
the author's label, gives one as well. What a phone says about the model is never asked for.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bertsent.classroom.board_state import (
    THRESHOLD,
    BoardEntry,
    BoardState,
    Tries,
    wrong_probability,
)
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import BoardSet, Dropped, Judged, Missed, Offered
from bertsent.classroom.room_state import RoomState
from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, UNDECIDED
from bertsent.data.sources import load_reviews
from bertsent.data.splits import duplicate_key
from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import Prediction

ENTRIES_EACH, ENTRIES = 20, 400  # that fool the model
TRIES_EACH = 200
PAUSE = 1.0  # seconds from one try of a member to the next
SHORTEST = 3  # words
HIGHEST = 0.95  # threshold that may be chosen
Ask = Callable[[str, str], "Prediction"]  # the answer of the model of that name to that text


@dataclass(frozen=True)
class Offer:
    """What became of a review that a member sent. ``entry`` is there where the model was
    fooled.
    """

    label: int
    p_positive: float
    threshold: float
    entry: BoardEntry | None

    @property
    def p_wrong(self) -> float:
        """The probability that the model gives to the wrong label."""
        return wrong_probability(self.p_positive, self.label)

    def sentence(self) -> str:
        """What its author is told."""
        wrong, right = LABELS[1 - self.label], LABELS[self.label]
        if self.entry is not None:
            return (
                f"The model gives {100 * self.p_wrong:.1f} % to {wrong}: fooled. "
                f"It counts {round(100 * self.p_wrong)} points once somebody confirms {right}."
            )
        if self.p_wrong > 0.5:
            return (
                f"The model gives {100 * self.p_wrong:.1f} % to {wrong}: wrong, but not sure "
                f"enough. It has to be above {100 * self.threshold:.0f} %."
            )
        return f"The model gives {100 * (1 - self.p_wrong):.1f} % to {right}: it is right."


def set_board(room: Room, model: str, threshold: float = THRESHOLD, *, taking: bool = True) -> None:
    """Choose the model that is to be fooled, and whether the board takes reviews now.

    Args:
        room: whose board.
        model: as the registry calls it; a checkpoint, where it is one of a run.
        threshold: the probability of the wrong label above which the model is fooled.
        taking: whether reviews may be offered; judging stays possible.

    Raises:
        BadInput: no model, or a threshold that is no such probability.
        NotAvailable: the room is closed.
    """
    BadInput.raise_if(not model, "No model is chosen for the board.", "Choose one.")
    BadInput.raise_if(
        not THRESHOLD <= threshold <= HIGHEST,
        f"A threshold of {threshold:.2f} is not possible.",
        f"Choose one from {THRESHOLD} to {HIGHEST}.",
    )
    with room.writing() as state:
        now = state.board
        if (now.model, now.threshold, now.taking) != (model, threshold, taking):
            room.append(BoardSet(model=model, threshold=threshold, taking=taking))


def offer(room: Room, visitor: str, typed: str, label: int, ask: Ask) -> Offer:
    """A member's try to fool the model. The same review sent again by its author counts once.

    Args:
        room: where.
        visitor: who.
        typed: the review.
        label: which label its author gives it, 0 or 1.
        ask: gives the answer of a model, by its name, to a text.

    Raises:
        NotAllowed: a visitor who is no member.
        NotAvailable: the board takes no reviews, or the room is closed.
        BadInput: too short, too long, not readable by the model, a built-in review, or nearly the
            same as one that is there.
        Busy: too many, or too fast.
        BertsentError: the model does not answer.
    """
    member = room.member(visitor)
    text = _checked(typed, label)
    before = room.look()
    if known := _sent_before(before.board, member, text, label):
        return _offer(before.board, known.label, known.p_positive, known)
    _check_offer(before, member, text, label)
    model = before.board.model
    answer = ask(model, text)
    BadInput.raise_if(
        answer.label == UNDECIDED, "The model knows no word of this.", "Write it in English."
    )
    with room.writing() as state:
        if known := _sent_before(state.board, member, text, label):
            return _offer(state.board, known.label, known.p_positive, known)
        _check_offer(state, member, text, label)
        NotAvailable.raise_if(state.board.model != model, "The model has changed.", "Send again.")
        if wrong_probability(answer.p_positive, label) <= state.board.threshold:
            room.append(Missed(member=member))
            return _offer(state.board, label, answer.p_positive, None)
        name = f"e{len(state.board.entries) + 1}"
        room.append(
            Offered(
                entry=name,
                member=member,
                text=text,
                label=label,
                p_positive=answer.p_positive,
                model=model,
            )
        )
    board = room.look().board
    return _offer(board, label, answer.p_positive, board.entries[name])


def judge(room: Room, visitor: str, entry: str, label: int | None) -> BoardEntry:
    """Count the label that a member gives to somebody else's review; the same one sent again
    counts once.

    Args:
        room: where.
        visitor: who.
        entry: the id of the review.
        label: 0, 1, or None where it could be either, which contradicts the author.

    Raises:
        NotAllowed: a visitor who is no member, the author, a second judgement that differs.
        BadInput: no such label.
        NotAvailable: the review is gone, or the room is closed.
    """
    member = room.member(visitor)
    BadInput.raise_if(label not in (0, 1, None), "That is no label.")
    with room.writing() as state:
        _check_member(state, member)
        found = _found(state, entry)
        NotAllowed.raise_if(found.member == member, "You wrote this one.", "Judge another.")
        if member in found.judgements:
            NotAllowed.raise_if(
                found.judgements[member] != label, "You have judged this one already."
            )
            return found
        room.append(Judged(entry=entry, member=member, label=label))
    return room.look().board.entries[entry]


def drop(room: Room, entry: str) -> None:
    """Take a review off the board; it gives no points and is not trained on.

    Raises:
        NotAvailable: it is gone, or the room is closed.
    """
    with room.writing() as state:
        _found(state, entry)
        room.append(Dropped(entry=entry))


def _checked(typed: str, label: int) -> str:
    BadInput.raise_if(label not in (0, 1), "That is no label.", "Choose NEGATIVE or POSITIVE.")
    text = clean_text(typed[: 2 * LIMITS.review_chars].encode(errors="ignore").decode())
    BadInput.raise_if(
        len(typed) > 2 * LIMITS.review_chars or len(text) > LIMITS.review_chars,
        f"A review has at most {LIMITS.review_chars:,} characters.",
        "Shorten it.",
    )
    BadInput.raise_if(
        len(words_of_review(text)) < SHORTEST,
        f"A review for the board has at least {SHORTEST} words.",
        "Write a little more.",
    )
    BadInput.raise_if(
        duplicate_key(text) in _built_in(), "This is a built-in review.", "Write one of your own."
    )
    return text


def _check_offer(state: RoomState, member: str, text: str, label: int) -> None:
    _check_member(state, member)
    board = state.board
    NotAvailable.raise_if(not board.taking, "The board takes no reviews now.", "Wait.")
    tries = board.tries.get(member, Tries())
    Busy.raise_if(time.time() - tries.last < PAUSE, "That was quick.", "Wait a second.")
    Busy.raise_if(
        tries.count >= TRIES_EACH, f"You have sent {TRIES_EACH} reviews, which is the most."
    )
    Busy.raise_if(
        len(board.of(member)) >= ENTRIES_EACH,
        f"You have {ENTRIES_EACH} reviews on the board, which is the most.",
    )
    Busy.raise_if(len(board.entries) >= ENTRIES, "The board is full.")
    _check_new(board.current, member, text, label)


def _check_new(entries: Iterable[BoardEntry], member: str, text: str, label: int) -> None:
    key, words = duplicate_key(text), words_of_review(text)
    for entry in entries:
        whose = "You have" if entry.member == member else "Somebody has"
        BadInput.raise_if(
            duplicate_key(entry.text) == key,
            f"{whose} offered this review already.",
            "Write another one.",
        )
        BadInput.raise_if(
            entry.label == label and is_small_edit(words, words_of_review(entry.text)),
            f"{whose} offered nearly the same: one word differs.",
            "Find another way to fool the model.",
        )


def is_small_edit(words: list[str], other: list[str]) -> bool:
    """Whether at most one word was changed, put in or left out."""
    longer, shorter = (words, other) if len(words) >= len(other) else (other, words)
    if len(longer) - len(shorter) > 1:
        return False
    same = next(
        (i for i, pair in enumerate(zip(longer, shorter, strict=False)) if pair[0] != pair[1]),
        len(shorter),
    )
    rest = shorter[same + 1 :] if len(longer) == len(shorter) else shorter[same:]
    return longer[same + 1 :] == rest


def words_of_review(text: str) -> list[str]:
    """The words as near-duplicates are told by: letters and digits in lower case."""
    keys = (duplicate_key(word) for word in text.split())
    return [key for key in keys if any(sign.isalnum() for sign in key)]


def _sent_before(board: BoardState, member: str, text: str, label: int) -> BoardEntry | None:
    own = board.of(member)
    return next((e for e in own if (e.text, e.label) == (text, label)), None)


def _offer(board: BoardState, label: int, p_positive: float, entry: BoardEntry | None) -> Offer:
    return Offer(label, p_positive, board.threshold, entry)


def _check_member(state: RoomState, member: str) -> None:
    NotAllowed.raise_if(member not in state.members, "You are not in this room.", "Join.")


def _found(state: RoomState, entry: str) -> BoardEntry:
    found = state.board.entries.get(entry)
    if found is None or found.dropped:
        raise NotAvailable("That review is gone.", "Take the next one.")
    return found


@lru_cache(maxsize=1)
def _built_in() -> frozenset[str]:
    return frozenset(duplicate_key(text) for text in load_reviews("builtin").texts)
