"""Typed text in, numbers and words out. What cannot be used is told with what was typed."""

import math
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput

T = TypeVar("T")
LARGEST = 1e6
_BETWEEN = re.compile(r"[,;\s]+")


def numbers(
    fewest: int = 1, most: int = 12, *, low: float = -LARGEST, high: float = LARGEST
) -> Callable[[str], np.ndarray]:
    """A reader of ``fewest`` to ``most`` numbers from ``low`` to ``high``, with commas or spaces in
    between: (n,) float64.
    """

    def read(typed: str) -> np.ndarray:
        found = np.array([_number(word, low, high) for word in _words_of(typed)])
        BadInput.raise_if(
            not fewest <= len(found) <= most,
            f"{_count(len(found))} typed here.",
            f"Give {_range(fewest, most)}, with commas in between.",
        )
        return found

    return read


def number(low: float = -LARGEST, high: float = LARGEST) -> Callable[[str], float]:
    """A reader of one number."""
    several = numbers(1, 1, low=low, high=high)
    return lambda typed: float(several(typed)[0])


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of one whole number."""
    one = number(low, high)

    def read(typed: str) -> int:
        found = one(typed)
        BadInput.raise_if(found != int(found), f"{found:g} is not a whole number.", "Give one.")
        return int(found)

    return read


def matrix(
    rows: tuple[int, int], columns: tuple[int, int], *, low: float = -1e3, high: float = 1e3
) -> Callable[[str], np.ndarray]:
    """A reader of numbers with a line for each row: (r, c) float64; ``rows`` and ``columns`` are
    the fewest and the most.
    """
    line = numbers(*columns, low=low, high=high)

    def read(typed: str) -> np.ndarray:
        lines = [text for text in typed.split("\n") if text.strip()]
        BadInput.raise_if(
            not rows[0] <= len(lines) <= rows[1],
            f"There {'is 1 row' if len(lines) == 1 else f'are {len(lines)} rows'} here.",
            f"Give {_range(*rows, 'row')}, a line each.",
        )
        found = [_in_row(number, line, text) for number, text in enumerate(lines, start=1)]
        BadInput.raise_if(
            len({len(row) for row in found}) > 1,
            f"The rows have {', '.join(str(len(row)) for row in found)} numbers.",
            "Give each row as many as the others.",
        )
        return np.array(found)

    return read


def text(longest: int = 200) -> Callable[[str], str]:
    """A reader of a text of at most ``longest`` characters that is not empty."""

    def read(typed: str) -> str:
        BadInput.raise_if(not typed.strip(), "Nothing is typed here.", "Type a few words.")
        BadInput.raise_if(
            len(typed) > longest,
            f"This has {len(typed):,} characters.",
            f"Give at most {longest:,}.",
        )
        return typed.strip()

    return read


def texts(fewest: int, most: int, longest: int = 200) -> Callable[[str], tuple[str, ...]]:
    """A reader of texts, a line each."""
    one = text(longest)

    def read(typed: str) -> tuple[str, ...]:
        lines = [line for line in typed.split("\n") if line.strip()]
        BadInput.raise_if(
            not fewest <= len(lines) <= most,
            f"There {'is 1 line' if len(lines) == 1 else f'are {len(lines)} lines'} here.",
            f"Give {_range(fewest, most, 'line')}.",
        )
        return tuple(one(line) for line in lines)

    return read


def words(count: int, longest: int = 40) -> Callable[[str], tuple[str, ...]]:
    """A reader of so many words, with commas in between."""
    one = text(longest)

    def read(typed: str) -> tuple[str, ...]:
        found = [word for word in typed.split(",") if word.strip()]
        BadInput.raise_if(
            len(found) != count,
            f"{_count(len(found), 'word')} typed here.",
            f"Give {count}, with commas in between.",
        )
        return tuple(one(word) for word in found)

    return read


def labelled_texts(
    fewest: int, most: int, longest: int = 200
) -> Callable[[str], tuple[tuple[str, int], ...]]:
    """A reader of texts with a label, 0 or 1, after the last comma, a line each."""
    several, one = texts(fewest, most, longest + 20), text(longest)

    def read(typed: str) -> tuple[tuple[str, int], ...]:
        found = []
        for line in several(typed):
            sentence, _, label = line.rpartition(",")
            BadInput.raise_if(
                label.strip() not in ("0", "1"),
                f"“{shorten(line, 40)}” has no label.",
                "Give each sentence 0 for negative or 1 for positive.",
            )
            found.append((one(sentence), int(label)))
        return tuple(found)

    return read


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """A reader of one of several words."""

    def read(typed: str) -> str:
        BadInput.raise_if(
            typed not in choices, f"There is no “{shorten(typed, 20)}” here.", "Choose another."
        )
        return typed

    return read


def _in_row(number: int, read: Callable[[str], T], typed: str) -> T:
    try:
        return read(typed)
    except BadInput as error:
        raise BadInput(f"Row {number}: {error.what}", error.remedy) from error


def _words_of(typed: str) -> list[str]:
    plain = typed.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-").strip(" []()")
    words = [word for word in _BETWEEN.split(plain) if word]
    BadInput.raise_if(not words, "No number is typed here.", "Type one, such as 0.5.")
    return words


def _number(word: str, low: float, high: float) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    BadInput.raise_if(
        not math.isfinite(found),
        f"“{shorten(word, 20)}” is not a number that can be used.",
        "Type numbers such as 0.5 or -1.2, with commas in between.",
    )
    BadInput.raise_if(
        not low <= found <= high,
        f"{found:g} is too {'small' if found < low else 'large'} here.",
        f"Give {low:g} to {high:g}.",
    )
    return found


def _count(number_of: int, what: str = "number") -> str:
    return f"1 {what} is" if number_of == 1 else f"{number_of} {what}s are"


def _range(fewest: int, most: int, what: str = "number") -> str:
    if fewest == most:
        return f"{most} {what}{'' if most == 1 else 's'}"
    return f"{fewest} to {most} {what}s"
