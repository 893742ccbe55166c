"""Lines that somebody typed or piped in, ``Reviews`` of some task without their truth out."""

from collections.abc import Mapping
from dataclasses import dataclass

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput
from bertsent.settings import LIMITS
from bertsent.tasks.task import Reads, Task, aspect_is_in


@dataclass(frozen=True)
class Wanted:
    """What a person is asked for: in lines that are typed, or in a file."""

    lines: str
    columns: str


WANTED: Mapping[Reads, Wanted] = {
    "text": Wanted("one text a line", "a text column"),
    "two texts": Wanted(
        "one pair a line, with a tab between the texts", "the columns text1 and text2"
    ),
    "aspect": Wanted(
        "one a line: the aspect, a tab, the text that it is in", "the columns text and aspect"
    ),
}


def reviews_of_lines(whole: str, task: Task) -> Reviews:
    """A review for each line, as ``WANTED`` says.

    Raises:
        BadInput: there are too many, or what is wrong in which line.
    """
    lines = whole.strip("\n").split("\n")
    BadInput.raise_if(
        len(lines) > LIMITS.rows, f"There are {len(lines):,} lines.", f"Use up to {LIMITS.rows:,}."
    )
    rows = [_example(number, line, task) for number, line in enumerate(lines, start=1)]
    return Reviews("lines", tuple(rows), task=task)


def _example(number: int, line: str, task: Task) -> Example:
    how = WANTED[task.reads].lines
    first, _, second = line.partition("\t")
    wanted = [first] if task.reads == "text" else [first, second]
    BadInput.raise_if(
        not all(text.strip() for text in wanted), f"Line {number} lacks a text.", f"Give {how}."
    )
    BadInput.raise_if(
        len(line) > LIMITS.row_chars, f"Line {number} has {len(line):,} characters.", "Shorten it."
    )
    if task.reads == "aspect":
        BadInput.raise_if(
            not aspect_is_in(first, second),
            f"Line {number} has the aspect “{first.strip()[:30]}”, which is not in its text.",
            "Write it as it stands in the text.",
        )
        first, second = second, first
    if task.reads == "text":
        return Example(f"line-{number}", line)
    return Example(f"line-{number}", first, second=second.strip())
