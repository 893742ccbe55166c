"""The lessons that can be taken: those that ship, and those of this lab in
``BERTSENT_HOME/lessons``. A lesson of the lab stands in for the one that ships under its name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bertsent.errors import BadInput, NotAvailable
from bertsent.files import write_atomically
from bertsent.lessons.lesson import Lesson
from bertsent.lessons.page_links import missing_here
from bertsent.lessons.problems import BadLesson, Problem, Problems
from bertsent.lessons.reading import FILE_BYTES, read_lesson
from bertsent.settings import ASSETS, home

SHIPPED_LESSONS = ASSETS / "lessons"
COURSE = (  # the order in which a course takes those that ship
    "the-puzzle",
    "inside-a-bert",
    "watch-it-learn",
    "does-contrast-data-help",
    "one-model-three-tasks",
    "what-can-go-wrong",
)
MOST_LESSONS = 100  # of one folder
ENDING = ".md"
MISNAMED = Problem(1, "Name the file with small letters, digits and hyphens, like my-lesson.md.")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


@dataclass(frozen=True)
class CatalogueEntry:
    """A file of a lesson: the lesson where it can be read, and what is wrong with it."""

    name: str
    path: Path
    own: bool  # of this lab
    lesson: Lesson | None
    problems: tuple[Problem, ...] = ()

    def content(self) -> bytes:
        """What the file holds; empty where it cannot be read, or is larger than a lesson may be."""
        try:
            large = self.path.stat().st_size > FILE_BYTES
            return b"" if large else self.path.read_bytes()
        except OSError:  # deleted meanwhile, or not for the lab to read
            return b""


def catalogue() -> list[CatalogueEntry]:
    """All lessons: those that ship in the order of the course, then those of this lab by name."""
    own = _files(own_folder())
    shipped = {name: path for name, path in _files(SHIPPED_LESSONS).items() if name not in own}
    return [
        *(_entry(name, shipped[name], own=False) for name in sorted(shipped, key=_place)),
        *(_entry(name, path, own=True) for name, path in own.items()),
        *(CatalogueEntry(path.stem, path, True, None, (MISNAMED,)) for path in _misnamed()),
    ]


def find_lesson(name: str) -> Lesson:
    """The lesson of that name.

    Raises:
        NotAvailable: there is none.
        BadLesson: its file cannot be used.
    """
    path = lesson_file(name)
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)


def lesson_file(name: str) -> Path:
    """The file of the lesson of that name.

    Raises:
        NotAvailable: there is none.
    """
    if _NAME.fullmatch(name):
        for folder in (own_folder(), SHIPPED_LESSONS):
            if (folder / f"{name}{ENDING}").is_file():
                return folder / f"{name}{ENDING}"
    raise NotAvailable(f"There is no lesson “{name[:60]}”.", "Choose one on the page Lessons.")


def keep_lesson(content: bytes, file: str) -> Lesson:
    """Check a lesson and keep it in this lab, in place of an older one of its name.

    Args:
        content: of the file.
        file: its name; letters and digits of it become the name of the lesson.

    Raises:
        BadLesson: it cannot be used.
        BadInput: its name holds no letters, or there are too many lessons.
    """
    name = re.sub(r"[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-")[:60]
    BadInput.raise_if(
        not _NAME.fullmatch(name), "The file has no name.", "Name it with letters and digits."
    )
    lesson = read_lesson(content, name)
    if missing := missing_here(lesson):
        raise BadLesson(Problems(set(missing)))
    BadInput.raise_if(
        len(_files(own_folder()) | {name: Path()}) > MOST_LESSONS,
        f"This lab has {MOST_LESSONS} lessons of its own already.",
        "Delete one first.",
    )
    own_folder().mkdir(parents=True, exist_ok=True)
    write_atomically(own_folder() / f"{name}{ENDING}", content)
    return lesson


def delete_lesson(name: str) -> None:
    """Delete a lesson of this lab; what ships stays."""
    path = own_folder() / f"{name}{ENDING}"
    if path in own_folder().glob(f"*{ENDING}"):
        path.unlink(missing_ok=True)


def own_folder() -> Path:
    """Where the lessons of this lab are."""
    return home() / "lessons"


def _place(name: str) -> tuple[int, str]:
    return (COURSE.index(name) if name in COURSE else len(COURSE), name)


def _files(folder: Path) -> dict[str, Path]:
    found = sorted(path for path in _listed(folder) if _NAME.fullmatch(path.stem))
    return {path.stem: path for path in found[:MOST_LESSONS]}


def _misnamed() -> list[Path]:
    """What the host has put into the folder under a name that no link can carry."""
    found = sorted(path for path in _listed(own_folder()) if not _NAME.fullmatch(path.stem))
    return found[:MOST_LESSONS]


def _listed(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(f"*{ENDING}") if path.is_file())


def _entry(name: str, path: Path, *, own: bool) -> CatalogueEntry:
    try:
        lesson = find_lesson(name)
    except BadLesson as error:
        return CatalogueEntry(name, path, own, None, tuple(error.problems))
    except (NotAvailable, OSError):  # deleted meanwhile, or not to be read
        return CatalogueEntry(name, path, own, None, (Problem(1, "The file cannot be read."),))
    return CatalogueEntry(name, path, own, lesson, tuple(missing_here(lesson)))


@lru_cache(maxsize=64)
def _read(path: Path, changed: int, size: int) -> Lesson:
    del changed, size  # they tell one state of the file from another
    with path.open("rb") as file:
        return read_lesson(file.read(FILE_BYTES + 1), path.stem)
