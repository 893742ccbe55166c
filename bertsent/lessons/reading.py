"""Reading a lesson file: everything that is wrong with it is found at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from bertsent.lessons.lesson import Lesson, LessonQuestion
from bertsent.lessons.markdown_sections import Section, links, parsed, read_sections, source_of
from bertsent.lessons.page_links import dead_links, read_link
from bertsent.lessons.page_parameters import PAGES
from bertsent.lessons.problems import BadLesson, Problems
from bertsent.lessons.questions import read_question
from bertsent.lessons.settings_block import Setting, read_settings
from bertsent.lessons.steps import list_of, minutes, read_step, text_of

FILE_BYTES = 200_000
MOST_STEPS, MOST_QUESTIONS = 60, 40
LESSON_MINUTES = 180
FACTS = ("title", "summary", "minutes", "goals", "sources")
PARAGRAPH_CHARS = 6_000  # more would keep the reader of Markdown busy for long
_FENCE = "---"


@dataclass(frozen=True)
class _Parts:
    """The lines of a file: its front matter, None where there is none, and the rest with the line,
    from 1, it begins on.
    """

    front: Sequence[str] | None
    body: Sequence[str]
    first: int


def read_lesson(content: bytes, name: str) -> Lesson:
    """Read a lesson.

    Args:
        content: of a file as docs/lessons.md describes it.
        name: of the file without its ending.

    Raises:
        BadLesson: it cannot be used; the error holds all problems with their lines.
    """
    problems = Problems()
    text = _decoded(content, problems)
    parts = _split(text.splitlines(), problems)
    found = None if parts.front is None else read_settings("\n".join(parts.front), 2, problems)
    facts, of_facts = found or {}, problems if found is not None else Problems()
    _check_links(parts, problems)
    sections = read_sections(parts.body, parts.first, problems)
    quiz = _quiz(sections, problems)
    steps = tuple(read_step(section, problems) for section in sections if not _is_quiz(section))
    problems.note_if(not steps, parts.first, "There is no step. A step begins with “## ”.")
    if len(steps) > MOST_STEPS:
        line = steps[MOST_STEPS].line
        problems.note(line, f"A lesson has at most {MOST_STEPS} steps; this one has {len(steps)}.")
    lesson = Lesson(
        name=name,
        title=_text(facts, "title", 120, of_facts),
        summary=_text(facts, "summary", 300, of_facts),
        minutes=minutes(facts, "minutes", 1, LESSON_MINUTES, of_facts),
        goals=list_of(facts, "goals"),
        sources=list_of(facts, "sources"),
        steps=steps,
        quiz=quiz,
    )
    _check_facts(lesson, facts, of_facts)
    if problems.found:
        raise BadLesson(problems)
    return lesson


def _decoded(content: bytes, problems: Problems) -> str:
    if len(content) > FILE_BYTES:
        problems.note(1, f"The file has more than {FILE_BYTES:,} bytes. Make two lessons of it.")
        raise BadLesson(problems)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problems.note(line, "This is not UTF-8 text. Save the file as UTF-8.")
        raise BadLesson(problems) from None
    for line, written in enumerate(text.splitlines(), start=1):
        problems.note_if("\0" in written, line, "There is a zero byte. Save the file as text.")
    for line, chars in _paragraphs(text):
        problems.note_if(
            chars > PARAGRAPH_CHARS,
            line,
            f"A paragraph has at most {PARAGRAPH_CHARS:,} characters. Leave a line empty.",
        )
    if problems.found:
        raise BadLesson(problems)
    return text


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The first line and the length of what stands between empty lines."""
    first, chars = 1, 0
    for line, written in enumerate([*text.splitlines(), ""], start=1):
        if written.strip():
            chars += len(written) + 1
            continue
        yield first, chars
        first, chars = line + 1, 0


def _split(lines: Sequence[str], problems: Problems) -> _Parts:
    ends = [place for place, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE]
    if not lines or lines[0].rstrip() != _FENCE or not ends:
        problems.note(1, "The file begins with its title and other facts between two “---” lines.")
        return _Parts(None, lines, 1)
    return _Parts(lines[1 : ends[0]], lines[ends[0] + 1 :], ends[0] + 2)


def _is_quiz(section: Section) -> bool:
    return section.title.casefold() == "quiz"


def _quiz(sections: Sequence[Section], problems: Problems) -> tuple[LessonQuestion, ...]:
    found = [section for section in sections if _is_quiz(section)]
    if not found:
        return ()
    problems.note_if(found[0] is not sections[-1], found[0].line, "The quiz is the last part.")
    asked = found[0].parts
    problems.note_if(not asked, found[0].line, "The quiz has no question: a “### ” heading.")
    count = len(asked)
    problems.note_if(
        count > MOST_QUESTIONS, found[0].line, f"A quiz has at most {MOST_QUESTIONS} questions."
    )
    return tuple(read_question(part, part.title, _reason(part), problems) for part in asked)


def _reason(part: Section) -> str:
    """The quotation below the options, without its marks."""
    quoted = source_of([block for block in part.blocks if block.kind == "blockquote"])
    lines = (line.lstrip().removeprefix(">") for line in quoted.split("\n"))
    return "\n".join(line.removeprefix(" ") for line in lines)


def _text(facts: dict[str, Setting], name: str, longest: int, problems: Problems) -> str:
    text = text_of(facts, name, problems)
    problems.note_if(not text and name not in facts, 1, f"“{name}” is missing.")
    if name in facts:
        line = facts[name].line
        problems.note_if(facts[name].value == "", line, f"“{name}” is empty.")
        problems.note_if(len(text) > longest, line, f"“{name}” has at most {longest} characters.")
    return text


def _check_facts(lesson: Lesson, facts: dict[str, Setting], problems: Problems) -> None:
    for name, given in facts.items():
        known = ", ".join(FACTS)
        problems.note_if(
            name not in FACTS, given.line, f"A lesson has no fact “{name}”. It has {known}."
        )
    problems.note_if(not lesson.goals, 1, "“goals” is missing: what the class can do afterwards.")
    planned = lesson.planned(len(lesson.steps))
    problems.note_if(
        lesson.minutes and planned > lesson.minutes,
        facts["minutes"].line if "minutes" in facts else 1,
        f"The steps take {planned:g} minutes, more than the {lesson.minutes:g} of the lesson.",
    )


def _check_links(parts: _Parts, problems: Problems) -> None:
    """Links in prose lead to pages of the lab or to the Web."""
    for line, address in links(parsed(parts.body), parts.first):
        page, _, query = address.removeprefix("/").partition("?")
        if page in PAGES:
            for sentence in dead_links(page, read_link(unquote(query))):
                problems.note(line, sentence)
        elif not address.startswith("https://"):
            problems.note(line, f"Dead link: {address[:80]}. Use https or “/Probe?…”.")
