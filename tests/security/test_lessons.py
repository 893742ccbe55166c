"""Only the host adds and deletes lessons, and no lesson is more than text."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.lessons.catalogue import own_folder
from bertsent.ui.lessons import catalogue, own_lessons
from bertsent.ui.shared.visitor import NOBODY
from tests.lessons.tiny import TINY

Visit = Callable[..., AppTest]


def test_a_lesson_cannot_be_added_or_deleted_by_who_is_no_host_any_more(
    lab: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit("8_Lessons")
    app.file_uploader(key="lesson_file").upload("mine.md", TINY.encode()).run()
    kept = own_folder() / "mine.md"
    assert kept.exists()
    for module in (catalogue, own_lessons):
        monkeypatch.setattr(module, "visitor", lambda: NOBODY)
    app.button(key="delete_sure_mine").click()
    app.file_uploader(key="lesson_file").upload("other.md", TINY.encode()).run()
    assert not app.exception and [p.name for p in own_folder().iterdir()] == ["mine.md"]
