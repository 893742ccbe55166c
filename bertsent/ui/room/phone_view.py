"""What a phone is told of its room: what is turned over already, and what is its own.

Nothing of the models' answers, the truth or the others' votes leaves the server before it is
revealed; who voted what never does.
"""

import time
from collections import Counter
from typing import Any

from bertsent.classroom.room_state import AskedQuestion, RoomState, Vote

SURE = 0.8  # the confidence from which on a vote is called sure
View = dict[str, Any]


def stranger_view(state: RoomState) -> View:
    """What somebody sees who has the code and is not in the room."""
    return {"joined": False, "title": state.title, "password": bool(state.password)}


def shared_view(state: RoomState, now: float | None = None) -> View:
    """What every member sees alike."""
    now = time.time() if now is None else now
    asked = state.question
    return {
        "joined": True,
        "title": state.title,
        "members": len(state.members),
        "over": state.closed or 0 < state.expires <= now,
        "question": _question(asked, now) if asked else None,
    }


def own_view(state: RoomState, member: str) -> View:
    """What only this member sees: the nickname, the own vote, and how it was in the end."""
    asked = state.question
    vote = asked.votes.get(member) if asked else None
    view: View = {"nickname": state.members.get(member, ""), "vote": None}
    if asked and vote:
        view["vote"] = {"question": asked.id, "choice": vote.choice, "confidence": vote.confidence}
        if is_all_revealed(asked) and asked.content.truth is not None:
            view["vote"] |= {"verdict": _verdict(vote, asked.content.truth)}
    return view


def is_all_revealed(asked: AskedQuestion) -> bool:
    """Whether the class and every answer are turned over."""
    return asked.revealed > len(asked.content.answers)


def _question(asked: AskedQuestion, now: float) -> View:
    content = asked.content
    return {
        "id": asked.id,
        "kind": content.kind,
        "prompt": content.prompt,
        "text": content.text,
        "options": content.options,
        "ends": asked.ends,
        "seconds": content.seconds,
        "phase": asked.phase(now),
        "voted": len(asked.votes),
        "asked": asked.asked,
        "reveal": _reveal(asked) if asked.revealed else None,
    }


def _reveal(asked: AskedQuestion) -> View:
    content, votes = asked.content, asked.votes.values()
    counts = Counter(vote.choice for vote in votes)
    complete = is_all_revealed(asked)
    return {
        "class": [counts[option] for option in range(len(content.options))],
        "answers": [
            {"name": answer.name, "choice": answer.choice, "probability": answer.probability}
            for answer in content.answers[: asked.revealed - 1]
        ],
        "more": not complete,
        "truth": content.truth if complete else None,
        "sure_and_wrong": _sure_and_wrong(asked) if complete else None,
        "link": content.link if complete else "",
    }


def _sure_and_wrong(asked: AskedQuestion) -> int | None:
    """How many were; None where nothing is right or wrong."""
    truth = asked.content.truth
    if truth is None:
        return None
    return sum(_verdict(vote, truth) == "sure and wrong" for vote in asked.votes.values())


def _verdict(vote: Vote, truth: int) -> str:
    sure = "sure" if vote.confidence >= SURE else "unsure"
    return f"{sure} and {'right' if vote.choice == truth else 'wrong'}"
