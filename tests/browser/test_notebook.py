"""From a figure to a file on a machine without a network: pinned, annotated, downloaded, opened,
hovered, on a phone, in the dark and on paper.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Server, no_errors, open_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
MARKUP = '</script><img src=x onerror="window.evil=1"><script>window.evil=1</script>'


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


def pin(page: Page, menu: str) -> None:
    page.locator(f".st-key-{menu}_download button").first.click()
    page.get_by_role("button", name="Pin to my notebook").click()
    expect(page.get_by_text("Pinned. Your notebook").first).to_be_visible()
    page.keyboard.press("Escape")


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture
def filled(server: Server, visitor: Callable[..., Page]) -> Page:
    """The page of a notebook with two pins, one of which has a note."""
    page = visitor()
    open_page(page, server, "Attention?look=Word+to+word")
    pin(page, "between_board")
    open_page(page, server, "Probe?probe=Why")
    pin(page, "attributions")
    page.get_by_role("link", name=re.compile("Notebook")).click()
    expect(page.get_by_text("2 pins")).to_be_visible()
    note = page.locator("textarea").first
    note.fill(MARKUP)
    note.press("Control+Enter")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    no_errors(page)
    return page


@pytest.fixture
def folder(downloads: Path, request: pytest.FixtureRequest) -> Path:
    """Where the downloaded notebook lies. Each worker downloads its own, because the tests of this
    file may be shared out among several.
    """
    if not (downloads / "notebook.html").is_file():
        download_notebook(request.getfixturevalue("filled"), downloads)
    return downloads


def download_notebook(page: Page, folder: Path) -> None:
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download as one HTML file").click()
    assert waited.value.suggested_filename == "bertsent-notebook.html"
    waited.value.save_as(folder / "notebook.html")


def test_a_notebook_is_filled_and_downloaded(
    server: Server, visitor: Callable[..., Page], filled: Page, downloads: Path
) -> None:
    download_notebook(filled, downloads)
    filled.get_by_role("link", name="Open again").first.click()
    expect(filled.locator(".st-key-between_board .js-plotly-plot")).to_be_visible()
    assert "look=Word" in filled.url and "text=Great" in filled.url
    other = visitor()
    open_page(other, server, "Notebook")
    expect(other.get_by_text("Your notebook is empty")).to_be_visible()


@pytest.mark.parametrize("look", [{}, {"dark": True}, {"phone": True}], ids=str)
def test_it_opens_and_answers_the_pointer_with_the_network_blocked(
    visitor: Callable[..., Page], folder: Path, look: dict[str, bool]
) -> None:
    asked: list[str] = []

    def block(route: Route) -> None:
        if route.request.url.startswith("file:"):
            return route.continue_()
        asked.append(route.request.url)
        return route.abort()

    page = visitor(**look)
    page.context.route("**/*", block)
    page.goto((folder / "notebook.html").as_uri())
    plot = page.locator(".js-plotly-plot").first
    expect(plot.locator(".main-svg").first).to_be_visible()
    cells = plot.locator(".nsewdrag").first
    cells.scroll_into_view_if_needed()
    cells.hover()
    expect(plot.locator(".hovertext").first).to_contain_text("attention weight")
    page.locator(".drawing").last.scroll_into_view_if_needed()
    bars = page.locator(".vega-embed svg path[aria-roledescription=bar]")
    expect(bars).to_have_count(15)
    assert page.evaluate("window.evil") is None and not asked
    expect(page.locator(".note")).to_have_text(MARKUP)
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0, "nothing scrolls sideways"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(20, 18, 15)") is bool(look.get("dark"))
    ink = plot.locator(".xtick text").first.evaluate("text => getComputedStyle(text).fill")
    assert (ink == "rgb(236, 232, 225)") is bool(look.get("dark"))


def test_it_can_be_printed(visitor: Callable[..., Page], folder: Path, tmp_path: Path) -> None:
    """In the dark as well: on paper the ground is white, and figures are as wide as the sheet."""
    page = visitor(dark=True)
    page.goto((folder / "notebook.html").as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".vega-embed svg").last).to_be_attached()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for plot in page.locator(".js-plotly-plot .main-svg").all():
        assert plot.bounding_box()["width"] <= 660
    page.pdf(path=tmp_path / "notebook.pdf", format="A4")
    assert (tmp_path / "notebook.pdf").stat().st_size > 10_000
