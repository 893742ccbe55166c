"""50,000 dots in a real browser without a graphics card: how long until they are drawn, what a dot
says, how the picture moves, and what a click and a lasso tell the page.

Times are printed (``pytest -s``), not asserted: a busy machine says little about others.
"""

import io
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from bertsent.figures.colours import SAFE
from tests.browser.conftest import PATIENCE, Server, no_errors, settle
from tests.browser.many_dots import DOTS, many_points
from tests.browser.panning import CANVAS, panning

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
_PLACES = """(rows) => {  // where dots lie on the screen
  const root = [...document.querySelectorAll('.st-key-map_chart *')].find((e) => e.shadowRoot?.own)
  const map = root.shadowRoot.own, box = map.canvas.getBoundingClientRect()
  return rows.map((row) => map.at(row).map((at, i) => at + (i ? box.y : box.x)))
}"""


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=False, script="tests/browser/many_dots.py")
    yield started
    started.stop()


def test_fifty_thousand_dots_are_drawn_move_and_say_what_they_are(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    seconds = [_opened(page, server) for _ in range(2)]
    settle(page)
    no_errors(page)
    _is_coloured(page)
    points = many_points(DOTS)
    _lonely_dots_say_their_text(page, points)
    frames = _panning(page)
    _a_click_opens_and_a_lasso_selects(page, points)
    no_errors(page)
    rate = 1_000 * len(frames) / sum(frames)
    print(
        f"\n{DOTS:,} dots in Chromium without a graphics card: drawn {seconds[0]:.1f} s after the "
        f"first opening, {seconds[1]:.1f} s after the next; {rate:.0f} frames a second while "
        f"panning; {_middle(frames)} ms a frame (median, 95th per cent, longest)"
    )


def _opened(page: Page, server: Server) -> float:
    """Seconds until all dots are drawn."""
    began = time.perf_counter()
    page.goto(server.address)
    page.locator(f".map[data-dots='{DOTS}']").wait_for(timeout=PATIENCE)
    return time.perf_counter() - began


def _is_coloured(page: Page) -> None:
    """Both colours are really on the screen."""
    shot = page.locator(CANVAS).screenshot()
    seen = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)
    for label in ("POSITIVE", "NEGATIVE"):
        wanted = np.array([int(SAFE.of(label)[i : i + 2], 16) for i in (1, 3, 5)])
        near = (np.abs(seen - wanted).sum(axis=2) < 90).sum()
        assert near > 5_000, f"no {label.lower()} dots are seen"


def _ends(points) -> list[int]:  # a DataFrame
    """The rows of the outermost dots: nothing else lies where they are pointed at."""
    return [int(points[axis].to_numpy().argmin()) for axis in "xy"]


def _lonely_dots_say_their_text(page: Page, points) -> None:  # a DataFrame
    rows = _ends(points)
    for row, (x, y) in zip(rows, page.evaluate(_PLACES, rows), strict=True):
        page.mouse.move(x + 40, y + 10)
        page.mouse.move(x, y, steps=3)
        expect(page.locator(".map .tip")).to_contain_text(points["text"].iloc[row][:20])


def _panning(page: Page) -> list[float]:
    """Pan, and see that the dots stay where the hand has left them."""
    with panning(page) as found:
        before = page.evaluate(_PLACES, [0])
    page.wait_for_timeout(300)
    assert page.evaluate(_PLACES, [0]) == [pytest.approx(at, abs=1) for at in before]
    page.get_by_role("button", name="Fit").click()
    return found


def _a_click_opens_and_a_lasso_selects(page: Page, points) -> None:  # a DataFrame
    row = _ends(points)[0]
    ((x, y),) = page.evaluate(_PLACES, [row])
    page.mouse.click(x, y)
    expect(page.get_by_text(f"open {points['id'].iloc[row]}, 0 selected")).to_be_visible()
    page.get_by_role("button", name="Lasso").click()
    page.mouse.move(x - 6, y - 6)
    page.mouse.down()
    for corner in ((6, -6), (6, 6), (-6, 6)):
        page.mouse.move(x + corner[0], y + corner[1], steps=3)
    page.mouse.up()
    expect(page.get_by_text("open None, 1 selected")).to_be_visible()


def _middle(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ({np.percentile(values, 95):.0f}, {max(values):.0f})"
