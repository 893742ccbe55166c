"""The catalogue: what ships, what a lab adds, and that nothing outside the folder is reached."""

from pathlib import Path

import pytest

from bertsent.errors import BadInput, NotAvailable
from bertsent.lessons import catalogue as lessons
from bertsent.lessons.catalogue import catalogue, delete_lesson, find_lesson, keep_lesson
from bertsent.lessons.problems import BadLesson
from tests.lessons.tiny import TINY


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shipped"
    folder.mkdir()
    (folder / "puzzle.md").write_text(TINY, encoding="utf-8")
    monkeypatch.setattr(lessons, "SHIPPED_LESSONS", folder)
    return folder


def test_a_lesson_of_the_lab_stands_in_for_the_one_that_ships(lab: Path, shipped: Path) -> None:
    assert [(e.name, e.own) for e in catalogue()] == [("puzzle", False)]
    kept = keep_lesson(TINY.replace("The puzzle", "My puzzle").encode(), "../../Puzzle.md")
    keep_lesson(TINY.encode(), "Other one!.md")
    assert kept.name == "puzzle" and find_lesson("puzzle").title == "My puzzle"
    assert [(e.name, e.own) for e in catalogue()] == [("other-one", True), ("puzzle", True)]
    assert sorted(p.name for p in lab.rglob("*.md")) == ["other-one.md", "puzzle.md"]
    delete_lesson("puzzle")
    assert find_lesson("puzzle").title == "The puzzle" and shipped.joinpath("puzzle.md").exists()


def test_a_file_that_changes_is_read_again(lab: Path, shipped: Path) -> None:
    assert find_lesson("puzzle").title == "The puzzle"
    (shipped / "puzzle.md").write_text(TINY.replace("The puzzle", "Another"), encoding="utf-8")
    assert find_lesson("puzzle").title == "Another"


def test_a_bad_lesson_is_not_kept_and_one_in_the_folder_is_listed_with_its_problems(
    lab: Path, shipped: Path
) -> None:
    with pytest.raises(BadLesson):
        keep_lesson(TINY.replace("probe=", "prob=").encode(), "bad.md")
    with pytest.raises(BadLesson) as missing:
        keep_lesson(TINY.replace("probe=", "model=gone-run&probe=").encode(), "gone.md")
    assert missing.value.problems[0].line == TINY.split("\n").index("## A machine reads a joke") + 1
    with pytest.raises(BadInput):
        keep_lesson(TINY.encode(), "¿?.md")
    assert not (lab / "lessons").exists()
    (lab / "lessons").mkdir()
    (lab / "lessons" / "bad.md").write_bytes(b"\xff")
    bad = next(entry for entry in catalogue() if entry.name == "bad")
    assert bad.lesson is None and bad.problems[0].line == 1


@pytest.mark.parametrize("name", ["", "..", "../puzzle", "a/b", "a\0b", "x" * 1000, "none"])
def test_no_name_leads_out_of_the_folders(lab: Path, shipped: Path, name: str) -> None:
    (lab / "puzzle.md").write_text(TINY, encoding="utf-8")
    with pytest.raises(NotAvailable):
        find_lesson(name)
    delete_lesson(name)
    assert (lab / "puzzle.md").exists()


def test_what_cannot_be_a_lesson_is_listed_and_can_be_deleted(lab: Path, shipped: Path) -> None:
    folder = lab / "lessons"
    (folder / "folder.md").mkdir(parents=True)
    (folder / "My Lesson.md").write_text(TINY, encoding="utf-8")
    (folder / "large.md").write_bytes(b"x" * 5_000_000)
    own = {entry.name: entry for entry in catalogue() if entry.own}
    assert set(own) == {"My Lesson", "large"}
    assert "like my-lesson.md" in own["My Lesson"].problems[0].message
    assert own["My Lesson"].content() and not own["large"].content()
    for name in own:
        delete_lesson(name)
    assert [path.name for path in folder.iterdir()] == ["folder.md"]
