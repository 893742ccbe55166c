"""By the menu to Words, Before BERT: the verdict moves, a filter is chosen, the slips are named."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, settle

pytestmark = pytest.mark.browser


def test_a_walk_by_the_menu(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "")
    page.get_by_role("link", name="Words", exact=True).click()
    page.get_by_role("radio", name="Before BERT").click()
    finding = page.locator(".st-key-result_reach").get_by_text("leans most to late words")
    expect(finding).to_be_visible()
    area = page.locator(".st-key-result_reach .js-plotly-plot").bounding_box()
    assert area is not None and area["y"] + area["height"] <= 800
    before = finding.text_content()
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("menuitem", name="The verdict last").click()
    expect(finding.filter(has_not_text=before or "")).to_be_visible()
    page.get_by_role("radio", name="Filters over words").click()
    expect(page.get_by_text("All contributions and the bias add up")).to_be_visible()
    expect(page.locator(".st-key-result_like_detector")).to_contain_text("3 < 5")
    page.get_by_role("radio", name="History").click()
    expect(page.get_by_text("masks no word of its text")).to_be_visible()
    settle(page)
    assert "before_part=History" in page.url
