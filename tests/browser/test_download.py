"""What the menu below a chart gives is a picture of that chart, made in the browser, and a page
that opens without a network.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, no_errors, open_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


@pytest.mark.parametrize("dark", [False, True])
def test_the_chart_of_home_is_taken_away_in_three_forms(
    server: Server, dark: bool, tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    page = visitor(dark=dark)
    open_page(page, server, "Home")
    expect(page.locator(".st-key-scores .js-plotly-plot")).to_be_visible()
    for form in ("PNG", "SVG", "HTML"):
        button = page.get_by_role("button", name=form, exact=True)
        if not button.is_visible():  # the menu closes when a picture was taken
            page.locator(".st-key-scores_download button").first.click()
        with page.expect_download() as waited:
            button.click()
        assert waited.value.suggested_filename == f"bertsent-scores.{form.lower()}"
        waited.value.save_as(tmp_path / f"scores.{form.lower()}")
    no_errors(page)

    drawn = Image.open(tmp_path / "scores.png").convert("RGB")
    seen = page.locator(".st-key-scores .js-plotly-plot").bounding_box()
    assert drawn.width == pytest.approx(2 * seen["width"], abs=4), "twice as fine as on the screen"
    assert (sum(drawn.getpixel((2, 2))) < 300) is dark, "on the paper of the page's own theme"
    assert len(drawn.getcolors(1 << 24)) > 50
    words = " ".join(ElementTree.parse(tmp_path / "scores.svg").getroot().itertext())
    assert "sarcasm" in words and "BERT" in words

    offline = visitor()
    offline.context.set_offline(True)
    offline.goto((tmp_path / "scores.html").as_uri())
    expect(offline.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert "sarcasm" in offline.locator(".js-plotly-plot").inner_text()
