"""The checkpoint animation plays in a real browser, however slow the machine is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.animation import CHART, STEPS
from tests.browser.conftest import Server, settle

pytestmark = pytest.mark.browser
_LISTEN = f"""() => {{
  const chart = document.querySelector('.st-key-{CHART} .js-plotly-plot')
  window.frames_seen = []
  chart.on('plotly_animatingframe', (event) => {{
    window.frames_seen.push(event.name)
    if (!STEPS.includes(event.name)) return
    const until = performance.now() + BLOCK  // the main thread of a slow laptop
    while (performance.now() < until) {{}}
  }})
}}"""


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=False, script="tests/browser/animation.py")
    yield started
    started.stop()


@pytest.fixture
def opened(server: Server, visitor: Callable[..., Page]) -> Callable[[int], Page]:
    def open_it(block: int) -> Page:
        page = visitor()
        page.goto(server.address)
        settle(page)
        page.wait_for_selector(f".st-key-{CHART} .updatemenu-button")
        page.wait_for_timeout(1_000)  # the listener looks for the chart three times a second
        listen(page, block)
        return page

    return open_it


def listen(page: Page, block: int) -> None:
    script = _LISTEN.replace("BLOCK", str(block)).replace("STEPS", str(list(map(str, STEPS))))
    page.evaluate(script)


def press(page: Page, button: str) -> None:
    page.locator(f".st-key-{CHART} .updatemenu-button", has_text=button).click(force=True)


def steps_seen(page: Page) -> list[str]:
    return [name for name in page.evaluate("window.frames_seen") if "-" not in name]


@pytest.mark.parametrize("block", [0, 2_200], ids=["idle", "busy"])
def test_it_plays_from_step_zero_to_the_end(opened: Callable[[int], Page], block: int) -> None:
    """On a busy machine a pause of 1.5 seconds between two frames was taken for rest: the page was
    drawn anew and the animation stopped at its second checkpoint.
    """
    page = opened(block)
    if block:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    press(page, "Play")
    page.wait_for_function(f"window.frames_seen.at(-1) === '{STEPS[-1]}'")
    page.wait_for_timeout(2_000)
    assert steps_seen(page) == [str(step) for step in STEPS]
    expect(page.locator("h1")).to_have_text(f"Step {STEPS[-1]}, run 1")  # not drawn anew meanwhile


def test_paused_it_moves_the_page_s_slider_and_goes_on_from_there(
    opened: Callable[[int], Page],
) -> None:
    page = opened(600)
    press(page, "Play")
    page.wait_for_function(f"window.frames_seen.at(-1)?.startsWith('{STEPS[2]}-')")
    press(page, "Pause")
    expect(page.locator("h1")).to_have_text(f"Step {STEPS[1]}, run 2")
    page.wait_for_timeout(2_000)
    listen(page, 0)
    press(page, "Continue")
    page.wait_for_function(f"window.frames_seen.at(-1) === '{STEPS[-1]}'")
    assert steps_seen(page) == [str(step) for step in STEPS[2:]]
