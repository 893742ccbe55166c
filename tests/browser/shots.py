"""``make shots``: start the app with a lab of its own, train, and photograph every page for the
README, light and dark.

With ``BERTSENT_HOME`` set its newest run is shown instead of a fresh one.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bertsent.recipe.stages import finish
from bertsent.settings import ASSETS
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.run import list_runs
from tests.browser.conftest import FLAGS, PATIENCE, Server, settle

PAGES = ("", "Fine-tune", "Probe", "Attention", "Map")
SENTINELS = ("Great, another boring movie", "This is not a bad film", "Absolutely incredible")


def main() -> int:
    """Write one picture a page and theme to ``assets/screenshots``."""
    chromium = shutil.which("chromium")
    if not chromium:
        print("Chromium is not installed (Debian: apt-get install chromium)", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(os.environ.setdefault("BERTSENT_HOME", scratch))
        if not list_runs():
            _train()
        server = Server(home, warmed=True)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                for theme in ("light", "dark"):
                    _shoot(browser, server, theme)
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
    for line in finish(run):  # minutes, so say how far it is
        print(line, flush=True)


def _shoot(browser: Browser, server: Server, theme: str) -> None:
    page = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme=theme
    ).new_page()
    page.set_default_timeout(PATIENCE)
    for name in PAGES:
        page.goto(f"{server.address}/{name}")
        settle(page)
        if name == "Map":
            page.wait_for_selector(".st-key-map_chart .map")
        page.wait_for_timeout(3000)
        suffix = "" if theme == "light" else "-dark"
        file = f"{(name or 'Home').lower()}{suffix}.png"
        page.screenshot(path=ASSETS / "screenshots" / file)


if __name__ == "__main__":
    sys.exit(main())
