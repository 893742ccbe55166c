"""What a visitor waits for, in Chromium: a page in a fresh browser, an answer after Enter, another
page by the menu, the first point of a curve, a map under the hand; what a first visit downloads.
"""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bertsent.settings import PROJECT
from tests.benchmarks.reviews import typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved

PAGES = ("Home", "Fine-tune", "Probe", "Attention", "Map")
PATIENCE = 120_000  # milliseconds
ROOM = {"width": 1280, "height": 800}
# the first result has a drawing or a text in it, and nothing is being drawn any more
DRAWN = """() => {
  const result = document.querySelector('[class*=st-key-result]')
  const drawing = result?.querySelector('svg, canvas, img, p, [data-testid=stDataFrame]')
  const chart = result?.querySelector('.js-plotly-plot')
  return drawing && (!chart || chart.querySelector('.main-svg'))
    && !document.querySelector('[data-testid=stSkeleton]')
}"""
FIRST_POINT = """() => [...document.querySelectorAll('[class*=st-key-result] svg .mark-line path')]
  .some((path) => (path.getAttribute('d') ?? '').length > 4)"""
RESULT = (
    "(document.querySelector('[class*=st-key-result]')?.className.match(/st-key-result\\w*/)?.[0])"
)
VERDICT = "document.querySelector('.st-key-result_answer')?.innerText"
ECHO = "document.querySelector('[data-testid=stText]')?.innerText"


def rows(quick: bool) -> list[Row]:
    """Everything but the training as a ratio to a bare page on the same machine.

    Raises:
        RuntimeError: Chromium is not installed.
    """
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, Server

    executable = shutil.which("chromium")
    if not executable:
        raise RuntimeError("Chromium is not installed (Debian: apt-get install chromium)")
    times = 3 if quick else 9
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        bare = str(Path(__file__).with_name("bare_app.py").relative_to(PROJECT))
        ours, peer = Server(Path(home), warmed=True), Server(Path(home), warmed=False, script=bare)
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        try:
            return [
                *_openings(chromium, ours.address, peer.address, times),
                *_changes(chromium, ours.address, peer.address, times),
                *_downloads(chromium, ours.address, peer.address),
                _first_point(chromium, ours.address),
                _panning(chromium, Path(home)),
            ]
        finally:
            chromium.close()
            ours.stop()
            peer.stop()


def _openings(chromium: Any, ours: str, peer: str, times: int) -> list[Row]:
    works: dict[str, Callable[[int], object]] = {
        page: lambda _, page=page: _open(chromium, _address(ours, page)) for page in PAGES
    }
    found = interleaved({**works, "": lambda _: _open(chromium, peer)}, times, warm_up=1)
    how = f"a fresh browser until the first result is drawn, median of {times}; peer: a bare page"
    return [Row(f"{page} opens", "ms", found[page] * 1000, found[""] * 1000, how) for page in PAGES]


def _address(ours: str, page: str) -> str:
    return f"{ours}/{'' if page == 'Home' else page}"


def _open(chromium: Any, address: str) -> None:
    page = _visit(chromium, address)
    page.context.close()


def _visit(chromium: Any, address: str) -> Any:  # a page
    page = chromium.new_context(viewport=ROOM).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_function(DRAWN, polling=20)
    return page


def _changes(chromium: Any, ours: str, peer: str, times: int) -> list[Row]:
    """Enter until another answer stands there; another page of the menu until its result does."""
    texts = typed_reviews(times + 2)
    mine, bare = _visit(chromium, f"{ours}/Probe"), _visit(chromium, peer)
    for page in (mine, bare):
        page.wait_for_timeout(3_000)
    enter = interleaved(
        {
            "ours": lambda i: _enter(mine, texts[i], VERDICT),
            "peer": lambda i: _enter(bare, texts[i], ECHO),
        },
        times,
        warm_up=2,
    )
    turn = interleaved(
        {
            "ours": lambda i: _turn(mine, ("Attention", "Probe")[i % 2]),
            "peer": lambda i: _turn(bare, ("Two", "One")[i % 2]),
        },
        times + times % 2,
        warm_up=2,
    )
    for page in (mine, bare):
        page.context.close()
    return [
        Row(
            "Enter to another answer",
            "ms",
            enter["ours"] * 1000,
            enter["peer"] * 1000,
            f"a review typed on Probe until its verdict stands there, median of {times}; "
            "peer: until a bare page with a Plotly figure says the text",
        ),
        Row(
            "page to page",
            "ms",
            turn["ours"] * 1000,
            turn["peer"] * 1000,
            f"Probe to Attention and back by the menu until the result is drawn, median of {times};"
            " peer: between two bare pages",
        ),
    ]


def _enter(page: Any, text: str, shown: str) -> None:
    """Until what ``shown`` reads off the page is another thing, its milliseconds at the least."""
    box = page.get_by_label("Review", exact=True)
    box.fill(text)
    page.evaluate(f"window.before = {shown}")
    box.press("Enter")
    page.wait_for_function(f"() => {shown} && {shown} !== window.before", polling=10)


def _turn(page: Any, name: str) -> None:
    """Until the first result is another one, and drawn."""
    page.evaluate(f"window.before = {RESULT}")
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_function(f"() => ({DRAWN})() && {RESULT} !== window.before", polling=20)


def _downloads(chromium: Any, ours: str, peer: str) -> list[Row]:
    found = {
        page: _megabytes(chromium, f"{ours}/{'' if page == 'Home' else page}") for page in PAGES
    }
    bare = _megabytes(chromium, peer)
    how = "what a first visit downloads, as it travels; peer: a bare page with a Plotly figure"
    return [Row(f"{page}, first visit", "MB", found[page], bare, how) for page in PAGES]


def _megabytes(chromium: Any, address: str) -> float:
    page = chromium.new_context(viewport=ROOM).new_page()
    page.set_default_timeout(PATIENCE)
    traffic = page.context.new_cdp_session(page)
    traffic.send("Network.enable")
    sizes: list[float] = []
    traffic.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    traffic.on(
        "Network.webSocketFrameReceived",
        lambda event: sizes.append(len(event["response"]["payloadData"]) * 3 / 4),  # base64
    )
    page.goto(address)
    page.wait_for_function(DRAWN)
    page.wait_for_timeout(4_000)
    page.context.close()
    return sum(sizes) / 1e6


def _first_point(chromium: Any, ours: str) -> Row:
    """A run of the defaults, from its button to the first point of its loss."""
    page = _visit(chromium, f"{ours}/Fine-tune")
    start = page.get_by_role("button", name="Start", exact=True)
    start.wait_for()
    page.wait_for_timeout(2_000)
    began = time.perf_counter()
    start.click()
    page.wait_for_function(FIRST_POINT, polling=50)
    waited = time.perf_counter() - began
    page.get_by_role("button", name="Stop and keep", exact=True).click()
    page.wait_for_timeout(3_000)
    page.context.close()
    how = "the defaults, from the button to the first point of the loss on the screen; owed: 10 s"
    return Row("Start to the first point", "s", waited, None, how)


def _panning(chromium: Any, home: Path) -> Row:
    """Frames a second while the map of 50,000 reviews is dragged about."""
    from tests.browser.conftest import Server
    from tests.browser.many_dots import DOTS
    from tests.browser.panning import panning

    server = Server(home, warmed=False, script="tests/browser/many_dots.py")
    page = chromium.new_context(viewport=ROOM).new_page()
    try:
        page.goto(server.address)
        page.locator(f".map[data-dots='{DOTS}']").wait_for(timeout=PATIENCE)
        page.wait_for_timeout(2_000)
        with panning(page) as gaps:
            rate = 1_000 * len(gaps) / sum(gaps)
    finally:
        page.context.close()
        server.stop()
    how = "while it is dragged about for two seconds, without a graphics card; owed: 30"
    return Row(f"panning {DOTS:,} dots", "frames/s", rate, None, how, more_is_better=True)
