"""How a map moves in a browser: milliseconds between two frames while somebody drags it about."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from playwright.sync_api import Page

CANVAS = ".st-key-map_chart .map > canvas"
SECONDS = 2
_LISTEN = """() => {
  window.frames_at = []
  const tick = (now) => { frames_at.push(now); requestAnimationFrame(tick) }
  requestAnimationFrame(tick)
}"""


@contextmanager
def panning(page: Page) -> Iterator[list[float]]:
    """Drag the map for two seconds; gives the milliseconds between the browser's frames, and lets
    go of the map at the end.
    """
    page.get_by_role("button", name="Pan").click()
    box = page.locator(CANVAS).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(_LISTEN)
    began, turn = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        turn += 1
        page.mouse.move(x + 4 * (turn % 100), y + 2 * (turn % 50))
    yield np.diff(page.evaluate("() => frames_at")).tolist()
    page.mouse.up()
