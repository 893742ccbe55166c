"""The tabs of Probe on a screen: a test without a browser knows no places."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server, open_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def test_four_groups_of_sixteen_tabs_stand_in_two_rows(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "Probe?probe=Batch")
    tabs = page.locator(".st-key-page_row [role=radio]")
    boxes = [tab.bounding_box() for tab in tabs.all()]
    assert len(boxes) == 16 and all(boxes)
    assert len({round(box["y"]) for box in boxes if box}) == 2
    assert max(box["x"] + box["width"] for box in boxes if box) < 1280


def test_a_phone_shows_the_chosen_tab_wherever_it_stands(
    server: Server, visitor: Callable[..., Page]
) -> None:
    """The row scrolled sideways and began with the first group: the chosen tab was out of sight."""
    page = visitor(phone=True)
    for name in ("Milliseconds", "Pairs", "Batch", "Prompt"):
        open_page(page, server, f"Probe?probe={name}")
        box = page.locator(".st-key-page_row [aria-checked=true]").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 391, name
