"""A worked example: what a source of the course works out, with inputs that can be changed.

What a source says is kept as it is printed and compared with what is computed here from the same
inputs, to as many digits as it gives.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertsent.errors import BadInput

Values = Mapping[str, Any]  # by name: numbers, arrays, words
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Input:
    """What a person can change of an example: the text that is typed, and how it is read.

    Args:
        name: of the argument of ``WorkedExample.work``, and of the link.
        label: what stands above the box.
        lecture: what the source has, as it would be typed.
        read: makes the value of a typed text; raises BadInput where it cannot be used.
        lines: of the box; more than one for a matrix, which has a row in each.
        columns: the heads of a table; empty for a box.
        choices: what can be chosen instead of typed.
    """

    name: str
    label: str
    lecture: str
    read: Callable[[str], Any]
    lines: int = 1
    columns: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quantity:
    """One named number, vector, matrix or text of the results.

    Args:
        name: of the result.
        words: what it is, in plain text as everything here.
        formula: fixed, or written out with the numbers of all inputs and results.
        said: the digits that the source prints, as printed; empty where it prints none.
        why: why these digits are not the result's, where they are not.
        places: decimals shown.
        rows: the names of the rows of a matrix.
        columns: the names of its columns.
    """

    name: str
    words: str
    formula: str | Callable[[Values], str] = ""
    said: str = ""
    why: str = ""
    places: int = 4
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Slip:
    """What a source got wrong: the number of the slip, and one sentence that says what is right."""

    number: str
    sentence: str


@dataclass(frozen=True)
class WorkedExample:
    """One worked example of the course.

    Args:
        key: unique, in the link: letters, digits, underscores.
        rows: its numbers in the list of what the course shows: "001-19" is the nineteenth of source
            001.
        title: in a few words.
        source: where it stands: "Lecture slides, Appendix A1b".
        says: one or two sentences on what the source shows.
        inputs: what can be changed, in the order of the page.
        work: takes the value of each input by name and gives the results by name; raises BadInput
            where the values do not fit each other. Where ``of_model``, its first argument is the
            ``LoadedModel`` in use.
        quantities: what is shown of the results, in the order of the way.
        finding: one sentence on inputs and results together.
        slips: what the source got wrong in it.
        of_model: whether the model in use takes part.
    """

    key: str
    rows: tuple[str, ...]
    title: str
    source: str
    says: str
    inputs: tuple[Input, ...]
    work: Callable[..., Values]
    quantities: tuple[Quantity, ...] = ()
    finding: Callable[[Values], str] | None = None
    slips: tuple[Slip, ...] = ()
    of_model: bool = False

    def typed(self) -> dict[str, str]:
        """The inputs of the source, by name, as they would be typed."""
        return {each.name: each.lecture for each in self.inputs}

    def read(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """The values of what was typed, by name.

        Raises:
            BadInput: something typed cannot be used.
        """
        values = {}
        for each in self.inputs:
            try:
                values[each.name] = each.read(typed[each.name])
            except BadInput as error:
                raise BadInput(f"{each.label}: {error.what}", error.remedy) from error
        return values

    def results(self, typed: Mapping[str, str], *model: Any) -> Values:
        """Values and results together, by name; ``model`` only where the example is ``of_model``.

        Raises:
            BadInput: something typed cannot be used.
        """
        values = self.read(typed)
        return {**values, **self.work(*model, **values)}


def agreements(value: object, said: str) -> list[tuple[str, bool]]:
    """Each number that a source prints with whether the result is it, rounded to the digits that
    are printed; words are compared as a whole and have to be the same.
    """
    own = np.ravel(np.asarray(value))
    if own.dtype.kind not in "fiu":
        return [(said, _words(", ".join(map(str, own.tolist()))) == _words(said))]
    printed = _NUMBER.findall(_plain(said))
    if len(printed) != len(own):
        return [(said, False)]
    return [
        (digits, abs(number - float(digits)) <= 0.5 * 10.0 ** -_decimals(digits) + 1e-9)
        for number, digits in zip(own.tolist(), printed, strict=True)
    ]


def agrees(value: object, said: str) -> bool:
    """Whether a result is all that the source prints."""
    return all(same for _, same in agreements(value, said))


def _decimals(digits: str) -> int:
    return len(digits.partition(".")[2])


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.replace("\N{MINUS SIGN}", "-"))


def _words(text: str) -> list[str]:
    return re.split(r"[,\s]+", text.strip())
