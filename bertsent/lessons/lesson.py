"""A lesson of an hour: its steps, each a page in a state with one thing to say and one to ask, and
the quiz at its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

Link = tuple[tuple[str, str], ...]  # the parameters of a page's link, in the order of the file


@dataclass(frozen=True)
class LessonQuestion:
    """A question with options of which one is right, and why; ``right`` is None where the model of
    the step says it when it is asked.
    """

    text: str
    options: tuple[str, ...]
    right: int | None
    reason: str


@dataclass(frozen=True)
class Step:
    """A page in a state and what is said and asked about it.

    Attributes:
        page: its word in the menu.
        link: the parameters that put the page into its state.
        minutes: how long the step is planned to take.
        focus: the results of the page that stay bright; none means all.
        hide: the results that appear only when the question is answered.
        notes: Markdown for the teacher alone.
        line: where its heading stands in the file, from 1.
    """

    title: str
    text: str
    page: str
    link: Link = ()
    minutes: float = 0
    focus: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    question: LessonQuestion | None = None
    notes: str = ""
    line: int = 1

    def query(self) -> dict[str, list[str]]:
        """The link as parameters with all their values."""
        found: dict[str, list[str]] = {}
        for name, value in self.link:
            found.setdefault(name, []).append(value)
        return found

    def value(self, name: str, usual: str) -> str:
        """The last value that the link gives a parameter, else the usual one."""
        return self.query().get(name, [usual])[-1]


@dataclass(frozen=True)
class Lesson:
    """A whole lesson as its file has it; ``name`` is that of the file without its ending."""

    name: str
    title: str
    summary: str
    minutes: float
    goals: tuple[str, ...]
    steps: tuple[Step, ...]
    sources: tuple[str, ...] = ()
    quiz: tuple[LessonQuestion, ...] = field(default=())

    def step(self, number: int) -> Step | None:
        """The step of that number, counted from 1; None after the last, where the quiz stands."""
        return self.steps[number - 1] if 1 <= number <= len(self.steps) else None

    def planned(self, number: int) -> float:
        """The minutes that are planned until the end of a step, counted from 1."""
        return sum(step.minutes for step in self.steps[:number])

    def score(self, given: Sequence[int | None]) -> int:
        """How many questions of the quiz have the right option, by its place from 0; None counts
        as not answered.
        """
        asked = zip(self.quiz, given, strict=True)
        return sum(answer == question.right for question, answer in asked)
