"""Questions of a lesson: a text, a task list of options, and a reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bertsent.lessons.lesson import LessonQuestion
from bertsent.lessons.markdown_sections import Block, Section, source_of
from bertsent.lessons.problems import Problems

MOST_OPTIONS = 8
OPTION_CHARS, QUESTION_CHARS, REASON_CHARS = 160, 600, 1_500
LABELS = ("Positive", "Negative", "Undecided")  # the options of a question that the model answers
_OPTION = re.compile(r"\[([ xX])\]\s+(.+)", re.DOTALL)


@dataclass(frozen=True)
class _Options:
    texts: tuple[str, ...]
    marked: tuple[int, ...]  # places from 0


def read_question(
    section: Section, text: str, reason: str, problems: Problems, *, computed: bool = False
) -> LessonQuestion:
    """The question that stands in a section.

    Args:
        section: holds paragraphs and, last, the task list.
        text: what is asked, in front of the paragraphs.
        reason: shown after the answer.
        problems: where to note what is missing or too much.
        computed: whether the model says which option is right, so that none is marked.
    """
    lists = [block for block in section.blocks if block.kind == "bullet_list"]
    before = [
        block for block in section.blocks if block not in lists and block.kind != "blockquote"
    ]
    asked = "\n\n".join(filter(None, (text, source_of(before))))
    options = _options(lists[0], problems) if lists else _Options((), ())
    _check(section, lists, asked, reason, problems)
    if lists and not computed:
        _check_marks(options, section.line, problems)
    if computed:
        _check_labels(options, section.line, problems)
    right = options.marked[0] if options.marked and not computed else None
    return LessonQuestion(asked, options.texts, right, reason)


def _options(block: Block, problems: Problems) -> _Options:
    texts, marked = list[str](), list[int]()
    lines = block.source.split("\n")
    items = [token for token in block.tokens if token.type == "list_item_open" and token.level == 1]
    first = (block.tokens[0].map or [0])[0]
    for item in items:
        start, end = item.map or [first, first]
        line = block.line + start - first
        written = " ".join(part.strip() for part in lines[start - first : end - first]).strip()
        found = _OPTION.fullmatch(re.sub(r"^[-*+]\s+", "", written))
        if found is None:
            problems.note(line, "An option begins with “- [ ] ”, the right one with “- [x] ”.")
            continue
        problems.note_if(
            len(found[2]) > OPTION_CHARS, line, f"An option has at most {OPTION_CHARS} characters."
        )
        if found[1] != " ":
            marked.append(len(texts))
        texts.append(found[2].strip())
    return _Options(tuple(texts), tuple(marked))


def _check(
    section: Section, lists: Sequence[Block], asked: str, reason: str, problems: Problems
) -> None:
    line = section.line
    problems.note_if(not asked, line, "The question has no text.")
    problems.note_if(
        len(asked) > QUESTION_CHARS, line, f"A question has at most {QUESTION_CHARS} characters."
    )
    problems.note_if(not lists, line, "The question has no options. Write “- [ ] ” lines.")
    problems.note_if(len(lists) > 1, line, "The question has two lists of options. Keep one.")
    problems.note_if(not reason, line, _no_reason(section.title))
    problems.note_if(
        len(reason) > REASON_CHARS, line, f"A reason has at most {REASON_CHARS:,} characters."
    )


def _no_reason(title: str) -> str:
    if title.casefold() == "ask":
        return "The question has no reason to show afterwards. Write one below “### Why”."
    return f"“{title}” has no reason to show afterwards. Write one below the options, after “> ”."


def _check_marks(options: _Options, line: int, problems: Problems) -> None:
    count, marks = len(options.texts), len(options.marked)
    wrong = not 2 <= count <= MOST_OPTIONS
    problems.note_if(wrong, line, f"A question has two to {MOST_OPTIONS} options, not {count}.")
    problems.note_if(not marks, line, "No option is right. Mark one with “[x]”.")
    problems.note_if(marks > 1, line, f"{marks} options are right. Mark only one with “[x]”.")
    twice = len(set(options.texts)) < count
    problems.note_if(twice, line, "Two options are the same.")


def _check_labels(options: _Options, line: int, problems: Problems) -> None:
    fitting = options.texts in (LABELS, LABELS[:2])
    problems.note_if(
        not fitting,
        line,
        "With “answer: verdict” the options are Positive, Negative and, if you like, Undecided.",
    )
    problems.note_if(
        options.marked, line, "With “answer: verdict” the model says what is right: mark nothing."
    )
