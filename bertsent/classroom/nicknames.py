"""Nicknames: short, on one line, and no two alike in a room."""

import unicodedata
from collections.abc import Collection

from bertsent.errors import BadInput
from bertsent.training.runs.run import suggest_name

LONGEST = 24  # characters


def checked_nickname(given: str, taken: Collection[str] = ()) -> str:
    """The nickname as it is shown: without what has no width or breaks a line. An empty one becomes
    a random animal that nobody in the room is.

    Raises:
        BadInput: it is too long, or somebody in the room has it, capitals aside; the text proposes
            another.
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in given[: 4 * LONGEST])
    name = " ".join(unicodedata.normalize("NFKC", plain).split())
    if not any(sign.isalnum() for sign in name):
        return random_nickname(taken)
    BadInput.raise_if(
        len(name) > LONGEST or len(given) > 4 * LONGEST,
        f"A nickname has at most {LONGEST} characters.",
        "Choose a shorter one.",
    )
    others = {other.casefold() for other in taken}
    if name.casefold() in others:
        free = next(
            f"{name[: LONGEST - 4]} {n}"
            for n in range(2, 1000)
            if f"{name[: LONGEST - 4]} {n}".casefold() not in others
        )
        raise BadInput(f"Somebody here is called “{name}” already.", f"“{free}” is free.")
    return name


def random_nickname(taken: Collection[str]) -> str:
    """An animal such as “Curious otter” that nobody in the room is."""
    others = {other.casefold().replace(" ", "-") for other in taken}
    return suggest_name(others).replace("-", " ").capitalize()
