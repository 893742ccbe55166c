"""What is wrong with a lesson file: all of it at once, each with its line."""

from dataclasses import dataclass, field

from bertsent.errors import BadInput


@dataclass(frozen=True, order=True)
class Problem:
    """A line of the file, from 1, and what is wrong there in words that say what to do."""

    line: int
    message: str


@dataclass
class Problems:
    """What was found so far while a file is read."""

    found: set[Problem] = field(default_factory=set)

    def note(self, line: int, message: str) -> None:
        """Add a problem; the reading goes on."""
        self.found.add(Problem(line, message))

    def note_if(self, wrong: object, line: int, message: str) -> None:
        """Add a problem if ``wrong`` is true."""
        if wrong:
            self.note(line, message)


class BadLesson(BadInput):
    """A lesson file that cannot be used, with every ``Problem`` in the order of the lines."""

    def __init__(self, problems: Problems) -> None:
        self.problems = sorted(problems.found)
        first, more = self.problems[0], len(self.problems) - 1
        also = f" and {more} more" if more else ""
        super().__init__(f"Line {first.line}: {first.message}{also}")
