"""The links of a lesson: read as people write them, and checked against what the page knows."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from bertsent.errors import NotAvailable
from bertsent.lessons.lesson import Lesson, Link
from bertsent.lessons.page_parameters import PAGES, PageParameters
from bertsent.lessons.problems import Problem
from bertsent.probing.registry import BACKBONE, find_model
from bertsent.training.groups.run_group import list_groups
from bertsent.training.runs.run import find_run

LINK_CHARS = 4_000
NEED_LABELS = ("Home", "Probe")  # pages whose models classify
PUBLISHED = ("published-pair", "published-configurations")
_NEXT = re.compile(r"&(?=[A-Za-z_-]+=)")  # an ampersand that begins a parameter


def read_link(written: str) -> Link:
    """The parameters of ``name=value&name=value``; nothing is percent-encoded, and an ampersand
    that no ``name=`` follows belongs to the value.
    """
    pairs = (part.partition("=") for part in _NEXT.split(written.removeprefix("?")) if part)
    return tuple((name.strip(), value) for name, _, value in pairs)


def dead_links(page: str, link: Link) -> Iterator[str]:
    """What is wrong with a link, in sentences; nothing where the page understands all of it."""
    if page not in PAGES:
        yield f"There is no page “{page}”.{_meant(page, PAGES)} Pages are {', '.join(PAGES)}."
        return
    known = PAGES[page]
    names = [name for name, _ in link]
    for name in sorted({name for name in names if names.count(name) > 1} - known.repeated):
        yield f"Dead link: “{name}” is set twice."
    for name, value in link:
        wrong = _wrong(page, known, name, value)
        if wrong:
            yield f"Dead link: {wrong}"


def unknown_results(page: str, names: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the names of results, in sentences."""
    known = PAGES[page].results if page in PAGES else frozenset(names)
    for name in names:
        if name not in known:
            yield f"{page} has no result “{name}”.{_meant(name, known)}"


def _wrong(page: str, known: PageParameters, name: str, value: str) -> str:
    if name not in known.values:
        return f"{page} has no parameter “{name}”.{_meant(name, known.values)}"
    values = known.values[name]
    if not values.accept(value):
        hint = _meant(value, values.options)
        encoded = " Write spaces and signs as they are." if "%2" in value else ""
        return f"{name} cannot be “{value[:60]}”: it is {values.about()}.{hint}{encoded}"
    if name == "model" and value == BACKBONE and page in NEED_LABELS:
        return f"{page} needs a model that classifies."
    return ""


def missing_here(lesson: Lesson) -> list[Problem]:
    """The models, runs and groups of runs that the steps name and this lab does not have."""
    named = ((step.line, pair) for step in lesson.steps for pair in step.link)
    found = ((line, _missing(*pair)) for line, pair in named)
    return [Problem(line, f"Dead link: {sentence}") for line, sentence in found if sentence]


def _missing(name: str, value: str) -> str:
    if name not in ("model", "run", "group") or (name, value) == ("model", BACKBONE):
        return ""
    try:
        if name == "model":
            find_model(value, folders=False)
        elif name == "run":
            find_run(value)
    except NotAvailable as error:
        return str(error)
    if name == "group" and value not in (*PUBLISHED, *(group.name for group in list_groups())):
        return f"There is no group of runs “{value[:60]}”."
    return ""


def _meant(word: str, known: Iterable[str]) -> str:
    plain = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), plain, n=1, cutoff=0.6)
    return f" Did you mean “{plain[found[0]]}”?" if found else ""
