"""The started app and a real Chromium. Every request that leaves localhost is a failure."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from bertsent.settings import PROJECT
from tests.conftest import wait_until

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
SHOTS = Path(os.environ.get("BERTSENT_SHOTS", PROJECT / "tests" / "browser" / "artifacts"))
AT_HOME = ("http://localhost:", "ws://localhost:", "data:", "blob:", "about:", "file:")
PATIENCE = 120_000  # milliseconds; machines are busy
expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The app as `make run` or `streamlit run app.py` starts it, with a lab of its own."""

    def __init__(self, home: Path, *, warmed: bool, script: str = "app.py") -> None:
        self.port, self.home = free_port(), home
        self.address = f"http://localhost:{self.port}"
        environment = {
            **os.environ,
            "BERTSENT_HOME": str(home),
            "BERTSENT_DEVICE": "cpu",
            "PORT": str(self.port),
        }
        plain = ["-m", "streamlit", "run", script, "--server.port", str(self.port)]
        command = [sys.executable, *(["-m", "bertsent.ui.serve"] if warmed else plain)]
        self.process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        wait_until(self._answers, 120)

    def _answers(self) -> bool:
        try:
            return urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2).status == 200
        except OSError:
            return False

    def stop(self) -> None:
        """At once: asked to end, it waits for open pages first."""
        self.process.kill()
        self.process.wait()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine is tried twice: two failures are a defect, one may be the load.
    The summary (-rR) names who needed the second try.

    The walks of the visitor begin first: each takes minutes, and one that began last would be
    waited for.
    """
    items.sort(key=lambda item: item.path.name != "test_visitor.py")
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        yield _launch(playwright, found)


def _launch(playwright: Playwright, executable: str) -> Browser:
    return playwright.chromium.launch(executable_path=executable, args=FLAGS)


@pytest.fixture(scope="module")
def lab_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that look at a lab in which nobody has trained yet; those that change it
    start their own.
    """
    started = Server(tmp_path_factory.mktemp("lab"), warmed=True)
    yield started
    started.stop()


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Make visitors: each has a browser of its own, and what it asks of the network, and what
    the policy of the pages refuses, is watched.
    """
    contexts, strayed, refused = [], [], []

    def make(*, dark: bool = False, phone: bool = False) -> Page:
        size = {"width": 400, "height": 800} if phone else {"width": 1440, "height": 1100}
        context = chromium.new_context(viewport=size, color_scheme="dark" if dark else "light")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on(
            "console",
            lambda message: (
                refused.append(message.text) if "Content Security" in message.text else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(AT_HOME) else strayed.append(request.url)
            ),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not strayed, f"requests left localhost: {strayed[:5]}"
    assert not refused, f"the policy of the pages is too tight: {refused[:3]}"


def settle(page: Page) -> None:
    """Wait until the page stands and nothing runs any more."""
    page.wait_for_selector("h1", state="attached")  # presenter mode hides it
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=\"stStatusWidget\"]')", timeout=PATIENCE
    )
    page.wait_for_timeout(500)


def open_page(page: Page, server: Server, path: str) -> None:
    page.goto(f"{server.address}/{path}")
    settle(page)


def menu(page: Page) -> list[str]:
    return page.locator('[data-testid="stTopNavLink"]').all_inner_texts()


def shoot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def no_errors(page: Page) -> None:
    """No error box and no exception on the page."""
    boxes = page.locator('[data-testid="stException"], [data-testid="stAlertContentError"]')
    assert boxes.count() == 0, boxes.first.inner_text()
