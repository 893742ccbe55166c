"""Home in a browser: from Enter to the moment when all five pictures follow the typed review,
beside a page that only repeats it.
"""

import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.reviews import typed_reviews
from tests.benchmarks.rows import Row
from tests.browser.conftest import FLAGS, PATIENCE, Server

BOX = 'input[aria-label="Review"]'
SHOWN = {  # selectors of all that has to change
    "ours": [".home-words", ".home-heads", ".home-map", ".home-others"],
    "peer": ['[data-testid="stText"]'],
}
WARM_UP, ALLOWED = 3, 400  # turns; milliseconds beyond the plain page
WATCH = """([box, shown]) => {
  const read = () => shown.map((selector) => {
    const element = document.querySelector(selector)
    return element ? element.outerHTML : ""
  })
  const before = read()
  window.changed = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("nothing changed within 30 s")), 30000)
    document.querySelector(box).addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return
      const began = performance.now()
      const look = () => read().every((now, place) => now && now !== before[place])
        ? resolve(performance.now() - began) : requestAnimationFrame(look)
      look()
    }, {once: true})
  })
}"""


def rows(quick: bool) -> list[Row]:
    """Both pages in turns, each on a server of its own."""
    times = 5 if quick else 20
    with tempfile.TemporaryDirectory() as folder:
        servers = {
            "ours": Server(Path(folder), warmed=True),
            "peer": Server(Path(folder), warmed=False, script="tests/benchmarks/plain_box.py"),
        }
        try:
            found = _milliseconds({who: server.address for who, server in servers.items()}, times)
        finally:
            for server in servers.values():
                server.stop()
    ours, peer = (statistics.median(found[who][WARM_UP:]) for who in ("ours", "peer"))
    how = f"from Enter to changed in Chromium, median of {times} in turns"
    return [
        Row("Home, new review", "ms", ours, peer, f"all its tiles; a box and its text; {how}"),
        Row("  beyond the plain page", "ms", ours - peer, None, f"asked for: at most {ALLOWED} ms"),
    ]


def _milliseconds(addresses: dict[str, str], times: int) -> dict[str, list[float]]:
    """How long each page took to follow each review."""
    found: dict[str, list[float]] = {who: [] for who in addresses}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        pages = {who: browser.new_page() for who in addresses}
        for who, page in pages.items():
            page.goto(addresses[who])
            for selector in SHOWN[who]:
                page.wait_for_selector(selector, timeout=PATIENCE)
        for text in typed_reviews(times + WARM_UP):
            for who, page in pages.items():
                found[who].append(_follow(page, SHOWN[who], text))
        browser.close()
    return found


def _follow(page: Page, shown: list[str], text: str) -> float:
    """Type a review; how many milliseconds pass until everything shown is another."""
    page.locator(BOX).fill(text)
    page.evaluate(WATCH, [BOX, shown])
    page.locator(BOX).press("Enter")
    found = page.evaluate("window.changed")
    page.wait_for_timeout(300)
    return float(found)
