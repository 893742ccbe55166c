"""A teacher and a student in real browsers: a room is opened, a vote is given, answers are turned
over by the arrow key on the projector.
"""

import contextlib
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import Server, open_page

pytestmark = pytest.mark.browser


def go_on(teacher: Page, shown: Locator) -> None:
    """Press the arrow key until that is shown, as a teacher does on a busy machine."""
    for _ in range(4):
        teacher.keyboard.press("ArrowRight")
        with contextlib.suppress(TimeoutError):
            shown.wait_for(timeout=20_000)
            return
    expect(shown).to_be_visible()


def test_a_class_votes_and_the_teacher_reveals(
    server: Server, visitor: Callable[..., Page]
) -> None:
    teacher, student = visitor(), visitor(phone=True)
    student.set_default_timeout(30_000)
    open_page(teacher, server, "Class")
    teacher.get_by_role("button", name="Open a room").click()
    picture = teacher.get_by_role("img", name="QR code of")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 100, "the policy lets it be drawn"
    link = teacher.locator(".room-link").bounding_box()
    assert link is not None and link["height"] >= 44, "a teacher with a phone can hit it"
    code = teacher.locator(".room-code").inner_text()

    student.goto(f"{server.address}/room/{code}")
    student.get_by_role("button", name="Join").click()
    expect(teacher.get_by_text("1 member")).to_be_visible()

    open_page(teacher, server, "Class?class=Vote")
    sentence = teacher.get_by_role("textbox", name="Sentence")
    sentence.fill("Great, another boring movie")
    sentence.press("Enter")
    teacher.get_by_role("button", name="Ask the class").click()
    expect(teacher.get_by_text("0 of 1 have voted")).to_be_visible()
    student.get_by_role("radio", name="NEGATIVE").check()
    student.locator("input[name=confidence]").last.check()
    student.get_by_role("button", name="Vote").click()
    expect(teacher.get_by_text("1 of 1 have voted")).to_be_visible()
    assert "SVM" not in teacher.content() + student.content(), "nothing is given away"

    teacher.keyboard.press("p")
    steps = teacher.locator(".st-key-present_steps")
    expect(steps).to_be_visible()
    for shown in ("The vote is over", "The one vote is for “NEGATIVE”"):
        go_on(teacher, teacher.get_by_text(shown))
    for name in ("BOW", "TF-IDF", "LSTM", "Frozen BERT", "BERT: Built-in"):
        go_on(teacher, teacher.locator(".st-key-vote_reveal").get_by_text(name).first)
    expect(student.get_by_text("BOW + SVM")).to_be_visible()
