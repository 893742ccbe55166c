"""A visitor goes by the menu and the tabs, and meets no error; pastes what is too long, and is told
so; the bar stays in sight.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from bertsent.settings import LIMITS
from tests.browser.conftest import Server, no_errors, open_page, settle
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_800)]


def test_the_review_stays_on_every_way_by_the_menu(server: Server, chromium: Browser) -> None:
    """Home → Probe → Attention by the menu showed an empty box and an error."""
    visitor = Visitor(chromium, server.address, "desktop", "light")
    visitor.journeys()
    assert not visitor.findings and not visitor.strayed


# Inputs are larger than they look: their labels are targets as well. So are the boxes of choices
# around their arrows. What lies over a figure keeps its size, or it would cover it.
SMALL_TARGETS = """() => [...document.querySelectorAll('.stApp :is(button, summary, a[href])')]
  .filter((each) => !each.closest('p, td, [data-testid=stPlotlyChart], [data-testid=stSelectbox],'
    + '[data-testid=stElementToolbar], [data-testid=stDataFrame], svg, [role=grid]'))
  .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .map((each) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 120)])
  .filter(([box]) => box.width > 1 && box.right > 0 && (box.width < 43 || box.height < 43))
  .map(([box, html]) => `${Math.round(box.width)} × ${Math.round(box.height)}: ${html}`)"""


# an older map, greyed while the one that was asked for is made
SOUND = {"exclude": [[".st-key-map_stale"]]}
# Browsers focus what scrolls by themselves (Firefox, and Chromium since 130); axe does not know.
SCROLLS = "scrollable-region-focusable"


class CarefulVisitor(Visitor):
    """Looks at each tab with axe-core as well, and on a phone at the size of all targets."""

    def look(self, page: Page, where: str) -> None:
        super().look(page, where)
        if self.size == "phone" and (small := page.evaluate(SMALL_TARGETS)):
            self.note(where, f"{len(small)} small targets, such as {small[0]}", page)
        for violation in Axe().run(page, context=SOUND).response["violations"]:
            if violation["impact"] in ("serious", "critical") and violation["id"] != SCROLLS:
                first = violation["nodes"][0]
                self.note(where, f"{violation['id']}: {first['html'][:200]}", page)


@pytest.mark.parametrize(("size", "theme"), [("desktop", "light"), ("phone", "dark")])
def test_every_tab_is_sound_accessible_and_begins_with_its_result(
    server: Server, chromium: Browser, size: str, theme: str
) -> None:
    """No error, nothing wider than the screen, no serious finding of axe-core, the first result of
    a page within the first screen.
    """
    visitor = CarefulVisitor(chromium, server.address, size, theme, fold=True)
    visitor.tabs()
    assert visitor.clicked > 20 and not visitor.findings and not visitor.strayed


def test_a_paste_that_is_too_long_is_cut_and_said_so(
    server: Server, visitor: Callable[..., Page]
) -> None:
    """Streamlit's own limit ignored such a paste: the old review and its answer stayed."""
    page = visitor()
    open_page(page, server, "Probe")
    long = "what a dull and tedious film " * 220
    box = page.get_by_label("Review", exact=True)
    box.focus()
    box.select_text()
    page.evaluate("text => document.execCommand('insertText', false, text)", long)
    box.press("Enter")
    expect(page.get_by_text(f"The first {LIMITS.review_chars:,} are kept.")).to_be_visible()
    settle(page)
    assert len(box.input_value()) == len(long[: LIMITS.review_chars].strip())
    no_errors(page)


def test_the_bar_stays_in_sight(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 500})
    open_page(page, server, "Probe")
    page.mouse.move(600, 400)
    page.mouse.wheel(0, 600)
    page.wait_for_timeout(500)
    top = page.locator(".st-key-review_bar").bounding_box()["y"]
    assert 0 <= top < 120


def test_back_and_reload_keep_the_review(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    open_page(page, server, "Probe")
    box = page.get_by_label("Review", exact=True)
    box.fill("A quiet film that I loved")
    box.press("Enter")
    settle(page)
    page.reload()
    settle(page)
    expect(box).to_have_value("A quiet film that I loved")
    page.get_by_role("link", name="Attention", exact=True).click()
    page.wait_for_url("**/Attention**")
    settle(page)
    for _ in range(9):  # the page as it filled its link by and by is an entry each time, too
        page.go_back()
        page.wait_for_timeout(200)
        if "/Probe" in page.url:
            break
    settle(page)
    expect(box).to_have_value("A quiet film that I loved")


def test_a_page_that_is_the_first_request_of_a_server_has_the_bar(
    tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    fresh = Server(tmp_path, warmed=False)
    try:
        page = visitor()
        open_page(page, fresh, "Attention?text=Not%20a%20bad%20film")
        expect(page.get_by_label("Review", exact=True)).to_have_value("Not a bad film")
        no_errors(page)
    finally:
        fresh.stop()
