"""50,000 dots in a real browser: how long until they are drawn, until a dot says what it is, and
how the picture moves.

Times are printed (``pytest -s``), not asserted: a browser without a graphics card on a busy machine
says little about others.
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

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
CHART = ".st-key-map_chart .js-plotly-plot"
_DRAWN = f"""() => {{
  const chart = document.querySelector('{CHART}')
  const drawn = chart?._fullData?.reduce((sum, trace) => sum + (trace.x?.length ?? 0), 0)
  return drawn === {DOTS} && chart.querySelector('canvas.gl-canvas')
}}"""
_LISTEN = f"""() => {{
  const chart = document.querySelector('{CHART}')
  const seen = window.seen = {{ moved: 0, waits: [], ids: [], frames: [] }}
  chart.addEventListener('mousemove', () => {{ seen.moved ||= performance.now() }}, true)
  chart.on('plotly_hover', (event) => {{
    const since = seen.moved, id = event.points[0].customdata
    seen.moved = 0
    requestAnimationFrame(() => {{ seen.waits.push(performance.now() - since); seen.ids.push(id) }})
  }})
  const tick = (now) => {{ seen.frames.push(now); requestAnimationFrame(tick) }}
  requestAnimationFrame(tick)
}}"""
_PLACES = f"""(ids) => {{  // where dots lie on the screen
  const chart = document.querySelector('{CHART}'), box = chart.getBoundingClientRect()
  const {{ xaxis, yaxis }} = chart._fullLayout
  return ids.map((id) => {{
    const trace = chart._fullData.find((trace) => trace.customdata.includes(id))
    const j = trace.customdata.indexOf(id), x = xaxis.d2p(trace.x[j]), y = yaxis.d2p(trace.y[j])
    return [box.x + xaxis._offset + x, box.y + yaxis._offset + y]
  }})
}}"""


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=False, script="tests/browser/many_dots.py")
    yield started
    started.stop()


def test_fifty_thousand_dots_are_drawn_and_say_what_they_are(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    seconds = [_opened(page, server) for _ in range(2)]
    settle(page)
    no_errors(page)
    _is_coloured(page)
    points = many_points(DOTS)
    page.evaluate(_LISTEN)
    _lonely_dots_say_their_text(page, points)
    waits = _waits(page, points)
    still, pointing, panning = (
        _frames(page, lambda: page.wait_for_timeout(1500)),
        _pointing(page),
        _panning(page),
    )
    _a_dot_inside_a_lasso_opens(page, points)
    no_errors(page)
    print(
        f"\n{DOTS:,} dots in Chromium without a graphics card: drawn {seconds[0]:.1f} s after the "
        f"first opening, {seconds[1]:.1f} s after"
        f" the next; from a move of the mouse to the painted label {_middle(waits)} ms; frames "
        f"{_middle(still)} ms at rest,"
        f" {_middle(pointing)} ms while pointing, {_middle(panning)} ms while panning (median, "
        "95th per cent, longest)"
    )


def _opened(page: Page, server: Server) -> float:
    """Seconds until all dots are drawn."""
    began = time.perf_counter()
    page.goto(server.address)
    page.wait_for_function(_DRAWN, timeout=PATIENCE)
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    return time.perf_counter() - began


def _is_coloured(page: Page) -> None:
    """Both colours are really on the screen."""
    seen = np.asarray(
        Image.open(io.BytesIO(page.locator(CHART).screenshot())).convert("RGB")
    ).astype(int)
    for label in ("POSITIVE", "NEGATIVE"):
        wanted = np.array([int(SAFE.of(label)[i : i + 2], 16) for i in (1, 3, 5)])
        assert (np.abs(seen - wanted).sum(axis=2) < 90).sum() > 5_000, (
            f"no {label.lower()} dots are seen"
        )


def _lonely_dots_say_their_text(page: Page, points) -> None:  # a DataFrame
    """The outermost dots: nothing else lies where they are pointed at."""
    ends = [points[axis].agg(end) for axis in "xy" for end in ("idxmin", "idxmax")]
    rows = points.loc[ends]
    for row, (x, y) in zip(
        rows.itertuples(), page.evaluate(_PLACES, rows["id"].tolist()), strict=True
    ):
        page.mouse.move(x + 40, y + 40)
        page.mouse.move(x, y, steps=3)
        expect(page.locator(f"{CHART} .hoverlayer .hovertext")).to_contain_text(row.text[:20])


def _waits(page: Page, points) -> list[float]:  # a DataFrame
    """Milliseconds from a move to the painted label, for dots anywhere in the cloud."""
    ids = points["id"].sample(40, random_state=0).tolist()
    page.evaluate("() => { seen.waits.length = seen.ids.length = 0 }")
    for x, y in page.evaluate(_PLACES, ids):
        page.evaluate("() => { seen.moved = 0 }")
        page.mouse.move(x, y)
        page.wait_for_timeout(250)
    found = page.evaluate("() => seen.waits")
    assert len(found) >= 30, "dots say nothing"
    return found


def _frames(page: Page, meanwhile: Callable[[], object]) -> list[float]:
    """Milliseconds between the browser's frames while something happens."""
    page.evaluate("() => { seen.frames.length = 0 }")
    meanwhile()
    return np.diff(page.evaluate("() => seen.frames")).tolist()


def _pointing(page: Page) -> list[float]:
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    return _frames(
        page,
        lambda: page.mouse.move(
            box["x"] + box["width"] - 40, box["y"] + box["height"] - 40, steps=120
        ),
    )


def _panning(page: Page) -> list[float]:
    page.locator(f"{CHART} .modebar-btn[data-val='pan']").click()
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    before = page.evaluate(f"() => document.querySelector('{CHART}')._fullLayout.xaxis.range[0]")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    found = _frames(
        page,
        lambda: page.mouse.move(
            box["x"] + box["width"] / 2 + 200, box["y"] + box["height"] / 2 + 60, steps=40
        ),
    )
    page.mouse.up()
    page.wait_for_function(
        f"(before) => document.querySelector('{CHART}')._fullLayout.xaxis.range[0] !== before",
        arg=before,
    )
    return found


def _a_dot_inside_a_lasso_opens(page: Page, points) -> None:  # a DataFrame
    """A lasso around the leftmost dot, then a click on that dot: the ring says that it was
    taken.
    """
    page.locator(f"{CHART} .modebar-btn[data-title='Reset axes']").click()
    page.locator(f"{CHART} .modebar-btn[data-val='lasso']").click()
    ((x, y),) = page.evaluate(_PLACES, [points.loc[points["x"].idxmin(), "id"]])
    page.mouse.move(x - 12, y - 12)
    page.mouse.down()
    for corner in ((12, -12), (12, 12), (-12, 12), (-12, -12)):
        page.mouse.move(x + corner[0], y + corner[1], steps=4)
    page.mouse.up()
    expect(page.locator(f"{CHART} .selectionlayer path").first).to_be_attached()
    settle(page)
    page.mouse.move(x + 2, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    expect(page.locator(f"{CHART} .bertsent-ring-open")).to_have_count(1)


def _middle(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ({np.percentile(values, 95):.0f}, {max(values):.0f})"
