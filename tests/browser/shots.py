"""``make shots``: start the app with a lab of its own, train, and photograph every page: light,
dark, on a phone and for a projector.

With ``BERTSENT_HOME`` set its newest run is shown instead of a fresh one.
"""

import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, TimeoutError, expect, sync_playwright

from bertsent.settings import ASSETS
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.run import list_runs
from tests.browser.conftest import FLAGS, PATIENCE, Server
from tests.browser.visitor import BUSY

PAGES = {  # the names of the files and where the pages are
    "home": "",
    "fine-tune": "Fine-tune",
    "probe": "Probe",
    "parts": "Probe?part=layers",
    "attention": "Attention",
    "words": "Words?words=Same%20word,%20other%20sentences",
    "map": "Map",
}
DESKTOP, PRESENTER = {"width": 1280, "height": 800}, "-presenter"
LOOKS: dict[str, dict[str, Any]] = {  # the endings of the files and what the browser is
    "": {"viewport": DESKTOP, "color_scheme": "light"},
    "-dark": {"viewport": DESKTOP, "color_scheme": "dark"},
    "-phone": {
        "viewport": {"width": 390, "height": 844},
        "is_mobile": True,
        "has_touch": True,
        "color_scheme": "light",
    },
    PRESENTER: {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "light"},
}
DRAWN = f"{BUSY}, [data-stale=true]"  # what is there only while a page is being drawn
QUIET = """(drawn) => {
  const main = document.querySelector("[data-testid=stMain]")
  const now = `${main.scrollTop} ${main.scrollHeight}`
  if (document.querySelector(drawn) || window.place !== now) window.quietSince = performance.now()
  window.place = now
  return performance.now() - window.quietSince > 800
}"""
LOOK_SECONDS = 20
SENTINELS = ("Great, another boring movie", "This is not a bad film", "Absolutely incredible")


def main() -> int:
    """Write one picture a page and theme to ``assets/screenshots``."""
    chromium = shutil.which("chromium")
    if not chromium:
        print("Chromium is not installed (Debian: apt-get install chromium)", file=sys.stderr)
        return 1
    from tests.browser.shots_of_class import shoot_class  # which needs this module

    with tempfile.TemporaryDirectory() as scratch:
        home = Path(os.environ.setdefault("BERTSENT_HOME", scratch))
        if not list_runs():
            _train()
        server = Server(home, warmed=True)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                for name, look in LOOKS.items():
                    _shoot(browser, server, name, look)
                shoot_class(browser, server)
        finally:
            server.stop()
    return 0


def _train() -> None:
    run = prepare_run(
        "builtin",
        TrainingConfig(epochs=2, max_length=64),
        contrastive_share=0.001,
        sentinels=SENTINELS,
    )
    launch(run)
    while run.alive():
        time.sleep(LOOK_SECONDS)
        print(f"step {run.history().step:,}", flush=True)  # minutes, so say how far it is


def _shoot(browser: Browser, server: Server, ending: str, look: dict[str, Any]) -> None:
    page = browser.new_context(**look).new_page()
    page.set_default_timeout(PATIENCE)
    for name, path in PAGES.items():
        picture(page, server, path, f"{name}{ending}", present=ending == PRESENTER)
    page.context.close()


def picture(page: Page, server: Server, path: str, name: str, *, present: bool) -> None:
    """Open a page, wait until nothing is drawn any more, and photograph it."""
    query = f"{'&' if '?' in path else '?'}present=1" if present else ""
    page.goto(f"{server.address}/{path}{query}")
    page.locator("[class*=st-key-result]:visible").first.wait_for()  # presented, it may be any
    page.wait_for_timeout(2_500)
    expect(page.get_by_test_id("stProgress").locator("visible=true")).to_have_count(
        0, timeout=120_000
    )
    with suppress(TimeoutError):  # a page that follows a run or a vote is never quiet for long
        page.wait_for_function(QUIET, arg=DRAWN, timeout=20_000)
    page.screenshot(path=file_of(name), style=".stStatusWidget { visibility: hidden }")


def file_of(name: str) -> Path:
    """Where the picture of that name lies."""
    return ASSETS / "screenshots" / f"{name}.png"


if __name__ == "__main__":
    sys.exit(main())
