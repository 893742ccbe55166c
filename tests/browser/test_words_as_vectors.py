"""A word is looked for on the map of words, and skip-gram moves its words while one watches."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, no_errors, open_page, settle

pytestmark = pytest.mark.browser
TEXT = "\n".join(
    "the captain saw the white whale and the sailor saw the old ship in the storm"
    for _ in range(60)
)
PLACES = """() => [...document.querySelectorAll(
  '.st-key-result_skip_gram_training .mark-text.role-mark text')]
  .map(one => one.textContent + one.getAttribute('transform'))"""


def test_a_map_is_searched_and_words_move(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "Words?words=Vectors&vectors_count=1,000%20words")
    found = page.locator(".st-key-result_word_map")
    expect(found.locator(".js-plotly-plot")).to_be_visible()
    area = found.bounding_box()
    assert area is not None and area["y"] <= 330
    expect(found).to_contain_text("Of the 10 nearest to “film”")
    page.get_by_label("Find a word, or click a dot").fill("war")
    page.keyboard.press("Enter")
    expect(found).to_contain_text("Of the 10 nearest to “war”")
    expect(page.locator(".st-key-result_word_neighbours")).to_contain_text("Nearest to “war”")
    assert "vectors_word=war" in page.url
    page.get_by_role("radio", name="Skip-gram").click()
    page.get_by_role("radio", name="Live training").click()
    page.get_by_role("radio", name="My own text").click()
    page.get_by_role("textbox", name="A text of at most").fill(TEXT)
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function(f"() => ({PLACES})().some(one => one.startsWith('whale'))")
    page.get_by_text("Look back").wait_for()
    settle(page)
    after = page.evaluate(PLACES)
    page.get_by_role("slider").press("Home")
    expect(page.get_by_text("At the start.")).to_be_visible()
    settle(page)
    before = page.evaluate(PLACES)
    assert len(before) == len(after) > 4 and before != after
    no_errors(page)
