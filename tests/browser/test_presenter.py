"""Presenter mode and the keys, as a teacher at a projector uses them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, settle

pytestmark = pytest.mark.browser


def wait_for_keys(page: Page) -> None:
    """Until the page listens to the keyboard: its script comes after the page."""
    page.wait_for_function("() => document.bertsentKeyboard?.listening")


def press(page: Page, key: str) -> None:
    wait_for_keys(page)
    page.keyboard.press(key)
    page.wait_for_timeout(1_000)  # the title, for which ``settle`` waits, is out of sight
    busy = "() => !document.querySelector('[data-testid=\"stStatusWidget\"]')"
    page.wait_for_function(busy)
    page.wait_for_timeout(500)


def test_the_keys_present_one_result_after_the_other(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, server, "Attention?look=Measures")
    press(page, "p")
    results = page.locator("[class*=st-key-result_]:visible")
    expect(results).to_have_count(1)
    expect(page.locator("[data-testid=stTopNavLink]:visible")).to_have_count(0)
    expect(page.locator(".st-key-review_bar")).to_be_visible()
    assert "present=1" in page.url
    sizes = results.locator("p").evaluate_all(
        "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert sizes and min(sizes) >= 24  # pixels of 1080
    for _ in range(5):
        if "/Words" in page.url:
            break
        press(page, "ArrowRight")
    assert "/Words" in page.url and "present=1" in page.url
    seen = page.locator("[data-testid=stMain]").bounding_box()
    steps = page.locator(".st-key-present_steps").bounding_box()
    assert seen and steps and seen["y"] + seen["height"] <= steps["y"], "a tall result is covered"
    press(page, "ArrowLeft")
    assert "/Attention" in page.url
    press(page, "Escape")
    assert "present=1" not in page.url
    expect(page.locator("[data-testid=stTopNavLink]").first).to_be_visible()


def test_a_question_mark_lists_the_keys_and_none_of_them_works_while_one_writes(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, server, "Probe")
    press(page, "/")
    page.keyboard.type("p2?")
    assert "present" not in page.url and "/Probe" in page.url
    page.keyboard.press("Tab")
    settle(page)
    page.locator("h1").click()
    press(page, "?")
    expect(page.get_by_text("Present, or stop presenting")).to_be_visible()
    press(page, "Escape")
    press(page, "4")
    assert "/Attention" in page.url
    expect(page.get_by_label("Review", exact=True)).to_have_value("p2?")
