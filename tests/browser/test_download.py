"""What the menu below a chart gives is a picture of that chart, made in the browser, and a page
that opens without a network.
"""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, no_errors, open_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def take(page: Page, chart: str, file: str, folder: Path) -> None:
    """Save the chart of that key in every form."""
    for form in ("PNG", "SVG", "HTML"):
        button = page.get_by_role("button", name=form, exact=True)
        if not button.is_visible():  # the menu closes when a picture was taken
            page.locator(f".st-key-{chart}_download button").first.click()
        with page.expect_download() as waited:
            button.click()
        assert waited.value.suggested_filename == f"{file}.{form.lower()}"
        waited.value.save_as(folder / f"{file}.{form.lower()}")
    no_errors(page)


def open_offline(page: Page, file: Path) -> None:
    page.context.set_offline(True)
    page.goto(file.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_a_plotly_figure_is_taken_away_in_three_forms(
    server: Server, dark: bool, tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    page = visitor(dark=dark)
    open_page(page, server, "Attention?look=Word+to+word")
    chart = page.locator(".st-key-between_board .js-plotly-plot")
    expect(chart).to_be_visible()
    take(page, "between_board", "attention-word-to-word", tmp_path)
    drawn = Image.open(tmp_path / "attention-word-to-word.png").convert("RGB")
    seen = chart.bounding_box()
    assert drawn.width == pytest.approx(2 * seen["width"], abs=4), "twice as fine as on the screen"
    assert (sum(drawn.getpixel((2, 2))) < 300) is dark, "on the paper of the page's own theme"
    assert len(drawn.getcolors(1 << 24)) > 50
    words = " ".join(
        ElementTree.parse(tmp_path / "attention-word-to-word.svg").getroot().itertext()
    )
    assert "attention weight" in words
    offline = visitor()
    open_offline(offline, tmp_path / "attention-word-to-word.html")
    assert "attention weight" in offline.locator(".js-plotly-plot").text_content()


def test_a_map_is_taken_away_in_three_forms(
    server: Server, tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, server, "Map")
    expect(page.locator(".st-key-map_chart canvas").first).to_be_visible()
    take(page, "map_chart", "bertsent-map", tmp_path)
    drawn = Image.open(tmp_path / "bertsent-map.png").convert("RGB")
    seen = page.locator(".st-key-map_chart canvas").first.bounding_box()
    assert drawn.width >= seen["width"] and len(drawn.getcolors(1 << 24)) > 50
    picture = ElementTree.parse(tmp_path / "bertsent-map.svg").getroot()
    assert len(list(picture.iter())) > 400 and "positive" in " ".join(picture.itertext())
    open_offline(visitor(), tmp_path / "bertsent-map.html")
