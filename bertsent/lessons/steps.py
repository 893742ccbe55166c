"""A step of a lesson: its settings, what it says, asks and notes."""

import math
import re

from bertsent.lessons.lesson import LessonQuestion, Link, Step
from bertsent.lessons.markdown_sections import Block, Section, source_of
from bertsent.lessons.page_links import LINK_CHARS, dead_links, read_link, unknown_results
from bertsent.lessons.page_parameters import PAGES
from bertsent.lessons.problems import Problems
from bertsent.lessons.questions import read_question
from bertsent.lessons.settings_block import Setting, read_settings

SETTINGS = ("page", "link", "minutes", "focus", "hide", "answer")
PARTS = ("ask", "why", "notes")
VERDICT = "verdict"
TITLE_CHARS, TEXT_CHARS, NOTES_CHARS = 100, 1_500, 4_000
STEP_MINUTES = 60


def read_step(section: Section, problems: Problems) -> Step:
    """The step of a ``##`` section; what is wrong with it is noted."""
    found, rest = _settings(section, problems)
    settings, of_settings = found or {}, problems if found is not None else Problems()
    page, link = _place(settings, section.line, of_settings)
    parts = _parts(section, problems)
    text = source_of(rest)
    _check_text(section, text, problems)
    focus, hide = (_results(settings, name, page, problems) for name in ("focus", "hide"))
    notes = parts["notes"] if "notes" in parts else Section("Notes", section.line)
    problems.note_if(
        len(source_of(notes.blocks)) > NOTES_CHARS,
        notes.line,
        f"Notes have at most {NOTES_CHARS:,} characters.",
    )
    question = _question(parts, settings, problems)
    problems.note_if(
        hide and question is None,
        section.line,
        "“hide” needs a question: what is hidden appears when it is answered.",
    )
    return Step(
        title=section.title,
        text=text,
        page=page,
        link=link,
        minutes=minutes(settings, "minutes", section.line, STEP_MINUTES, of_settings),
        focus=focus,
        hide=hide,
        question=question,
        notes=source_of(notes.blocks),
        line=section.line,
    )


def minutes(
    settings: dict[str, Setting], name: str, line: int, most: float, problems: Problems
) -> float:
    """A number of minutes above 0; 0 where the setting is missing or no such number, which is
    noted.
    """
    given = settings.get(name)
    if given is None:
        problems.note(line, f"“{name}” is missing: how many minutes it takes.")
        return 0.0
    written = given.value if isinstance(given.value, str) else ""
    number = float(written) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,2})?", written) else math.nan
    if not 0 < number <= most:
        problems.note(
            given.line, f"“{name}” is a number above 0, at most {most:g}, not “{written[:20]}”."
        )
        return 0.0
    return number


def text_of(settings: dict[str, Setting], name: str, problems: Problems) -> str:
    """A setting that is one text, empty where it is missing; a list is noted."""
    given = settings.get(name)
    if given is None or isinstance(given.value, str):
        return str(given.value) if given else ""
    problems.note(given.line, f"“{name}” is one text, not a list.")
    return ""


def list_of(settings: dict[str, Setting], name: str) -> tuple[str, ...]:
    """A setting that is a list; a single text counts as a list of one."""
    given = settings.get(name)
    if given is None or given.value == "":
        return ()
    return (given.value,) if isinstance(given.value, str) else given.value


def _settings(
    section: Section, problems: Problems
) -> tuple[dict[str, Setting] | None, list[Block]]:
    """The settings of a step, None where they cannot be read, and its other blocks."""
    found = [block for block in section.blocks if _is_settings(block)]
    rest = [block for block in section.blocks if block not in found]
    if not found:
        problems.note(section.line, "This step has no settings: a “```yaml step” block.")
        return None, rest
    problems.note_if(len(found) > 1, found[-1].line, "A step has one block of settings.")
    settings = read_settings(found[0].tokens[0].content, found[0].line + 1, problems)
    for name, given in (settings or {}).items():
        known = ", ".join(SETTINGS)
        problems.note_if(
            name not in SETTINGS, given.line, f"A step has no setting “{name}”. It has {known}."
        )
    return settings, rest


def _is_settings(block: Block) -> bool:
    return block.kind == "fence" and "step" in block.tokens[0].info.split()


def _place(settings: dict[str, Setting], line: int, problems: Problems) -> tuple[str, Link]:
    page, written = (text_of(settings, name, problems) for name in ("page", "link"))
    page_line = settings["page"].line if "page" in settings else line
    link_line = settings["link"].line if "link" in settings else page_line
    problems.note_if(not page, page_line, "“page” is missing: a word of the menu.")
    too_long = len(written) > LINK_CHARS
    problems.note_if(too_long, link_line, f"A link has at most {LINK_CHARS:,} characters.")
    link = read_link(written[:LINK_CHARS])
    for sentence in dead_links(page, link) if page else ():
        problems.note(link_line if page in PAGES else page_line, sentence)
    return page, link


def _parts(section: Section, problems: Problems) -> dict[str, Section]:
    found: dict[str, Section] = {}
    for part in section.parts:
        name = part.title.casefold()
        problems.note_if(
            name not in PARTS, part.line, f"“### {part.title}” is none of Ask, Why and Notes."
        )
        problems.note_if(name in found, part.line, f"“### {part.title}” stands there twice.")
        found.setdefault(name, part)
    return found


def _check_text(section: Section, text: str, problems: Problems) -> None:
    line, title = section.line, section.title
    problems.note_if(not title, line, "The step has no title.")
    too_long = len(title) > TITLE_CHARS
    problems.note_if(too_long, line, f"A title has at most {TITLE_CHARS} characters.")
    problems.note_if(not text, line, "The step says nothing. Write a sentence below its settings.")
    problems.note_if(
        len(text) > TEXT_CHARS,
        line,
        f"The step says too much: {len(text):,} characters of at most {TEXT_CHARS:,}.",
    )


def _results(
    settings: dict[str, Setting], name: str, page: str, problems: Problems
) -> tuple[str, ...]:
    names = list_of(settings, name)
    for sentence in unknown_results(page, names):
        problems.note(settings[name].line, sentence)
    return names


def _question(
    parts: dict[str, Section], settings: dict[str, Setting], problems: Problems
) -> LessonQuestion | None:
    answer = text_of(settings, "answer", problems)
    if answer not in ("", VERDICT):
        problems.note(settings["answer"].line, f"“answer” can only be “{VERDICT}”.")
    if "ask" not in parts:
        for name in ("why",) if "why" in parts else ():
            problems.note(parts[name].line, "“### Why” belongs below a “### Ask”.")
        if answer:
            problems.note(settings["answer"].line, "“answer” belongs to a “### Ask”.")
        return None
    reason = source_of(parts["why"].blocks) if "why" in parts else ""
    return read_question(parts["ask"], "", reason, problems, computed=answer == VERDICT)
