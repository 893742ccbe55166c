"""A student walks through a lesson on a phone: the sheet folds to one line, a step forgets what was
chosen on the one before even where both are on the same page, and the quiz is graded.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, no_errors, open_page, settle
from tests.browser.visitor import TOO_WIDE
from tests.lessons.tiny import TINY

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
SECOND = "text=Not a bad film & a fine one&look=Silence heads&silenced=6·10&silenced=1·2"

SMALLEST_TARGET = """() => Math.min(...[...document.querySelectorAll(
  '.st-key-player :is(button, summary)')].map((each) => each.getBoundingClientRect())
  .filter((box) => box.width).map((box) => Math.min(box.width, box.height)))"""


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    (lab_home / "lessons").mkdir()
    same_page = TINY.replace("page: Probe", "page: Attention").replace(SECOND, "look=Heads")
    same_page = same_page.replace("&probe=Answer", "&look=Heads&rescale=true")
    same_page = same_page.replace("focus: [answer]", "hide: [heads]")
    (lab_home / "lessons" / "tiny.md").write_text(same_page, encoding="utf-8")
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


def switch(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} input")


def sound(page: Page) -> None:
    no_errors(page)
    assert page.evaluate(TOO_WIDE) <= 1
    assert page.evaluate(SMALLEST_TARGET) >= 43
    found = Axe().run(page).response["violations"]
    assert not [each["id"] for each in found if each["impact"] in ("serious", "critical")]


def test_a_lesson_on_a_phone(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor(phone=True)
    open_page(page, server, "Lessons")
    page.locator(".st-key-start_tiny button").click()
    expect(page.locator("h1")).to_have_text("Attention")
    settle(page)
    sheet = page.locator(".st-key-player")
    tall = sheet.bounding_box()
    page.locator(".st-key-player summary").click()
    page.wait_for_timeout(600)
    folded = sheet.bounding_box()
    assert tall and folded and folded["height"] < 64 < tall["height"]
    sound(page)
    page.locator(".st-key-player summary").click()
    plot = page.locator(".st-key-result_heads .js-plotly-plot").first
    expect(plot).to_have_css("visibility", "hidden")
    page.locator(".st-key-player_option_1_1 button").click()
    expect(page.get_by_text("It has seen such openings before.")).to_be_visible()
    expect(plot).to_have_css("visibility", "visible")
    page.locator(".st-key-settings button:visible").first.click()
    expect(switch(page, "rescale")).to_be_checked()
    page.locator(".st-key-hide label").click()
    expect(switch(page, "hide")).to_be_checked()
    page.keyboard.press("Escape")
    settle(page)
    page.locator(".st-key-player_next button").click()
    expect(page.locator(".st-key-player_body_2")).to_be_visible()
    settle(page)
    assert "rescale" not in page.url and "hide" not in page.url
    page.locator(".st-key-player summary").click()
    page.locator(".st-key-settings button:visible").first.click()
    for key in ("rescale", "hide"):
        expect(switch(page, key)).not_to_be_checked()
    page.keyboard.press("Escape")
    page.locator(".st-key-player_next button").click()
    expect(page.locator("h1")).to_have_text("Lessons")
    settle(page)
    page.locator(".st-key-player summary").click()
    option = page.locator(".st-key-result_quiz label", has_text="One pattern").last.bounding_box()
    assert option and option["height"] >= 43
    page.get_by_text("One pattern of attention").click()
    page.get_by_text("Fine-tuning", exact=True).click()
    page.locator(".st-key-player_quiz_check button").click()
    expect(page.get_by_text("2 of 2 right")).to_be_visible()
    expect(page.get_by_text("A layer has twelve of them.")).to_be_visible()
    sound(page)
    page.reload()
    settle(page)
    expect(page.locator(".st-key-player")).to_be_visible()
    page.locator(".st-key-player_end button").click()
    expect(page.locator(".st-key-player")).to_have_count(0)


def begins_in_sight(page: Page, name: str) -> None:
    """A result begins below the bars that stay, and not below the middle of the screen."""
    result = page.locator(f".st-key-result_{name}")
    expect(result).to_be_visible()
    page.wait_for_function(
        "(name) => { const top = document.querySelector(name)?.getBoundingClientRect().top;"
        " return top > 100 && top < 0.61 * innerHeight }",  # not while it is drawn anew
        arg=f".st-key-result_{name}",
    )


def test_what_a_step_is_about_comes_into_sight(
    server: Server, visitor: Callable[..., Page]
) -> None:
    """Far down on a page that opens one of its parts by itself, above where the last step was, and
    what the answer reveals.
    """
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "Lessons?lesson=inside-a-bert&step=1")
    begins_in_sight(page, "text_unhappiness")
    page.locator(".st-key-player_next button").click()
    begins_in_sight(page, "text_paris")
    page.locator(".st-key-player_next button").click()
    begins_in_sight(page, "text_beside")
    page.locator(".st-key-player_option_3_0 button").click()
    begins_in_sight(page, "text_answers")
