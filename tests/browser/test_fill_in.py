"""By the menu to Words: a word is hidden by the keyboard, followed through fine-tuning, and two
sentences are asked about.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bertsent.models.folders import SHIPPED_WORDS, WEIGHTS
from tests.browser.conftest import Server, open_page, settle

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (SHIPPED_WORDS / WEIGHTS).is_file(), reason="the language-model heads are not here"
    ),
]


def test_a_walk_through_the_gaps(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "")
    page.get_by_role("link", name="Words", exact=True).click()
    result = page.locator(".st-key-result_fill_in")
    expect(result.get_by_text("−log p(“good”)")).to_have_count(2)
    begins, chart = (
        each.bounding_box() for each in (result, result.locator(".js-plotly-plot").first)
    )
    assert begins is not None and begins["y"] <= 330
    assert chart is not None and chart["y"] + chart["height"] <= 800
    pills = page.locator(".st-key-mask_hidden-pills button")
    for word in ("early", "good"):
        pills.filter(has_text=word).focus()
        page.keyboard.press("Space")
        settle(page)
    expect(result.get_by_text("−log p(“early”)")).to_have_count(2)
    settle(page)
    assert "mask_hidden=10" in page.url
    page.get_by_role("radio", name="While it is fine-tuned").click()
    followed = page.locator(".st-key-result_gap_checkpoints")
    expect(followed.get_by_text("The true word “early” has")).to_be_visible()
    page.get_by_role("radio", name="Next sentence").click()
    expect(page.get_by_text("The second sentence follows with")).to_be_visible()
