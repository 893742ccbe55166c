"""Two visitors of one lab in real browsers: who owns a run, who is the host."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bertsent.ui.host_key import FILE
from tests.browser.conftest import Server, open_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOST_BY_ADDRESS", "0")  # these browsers are not the class's
        started = Server(lab_home, warmed=True)
    yield started
    started.stop()


def test_others_look_on_until_they_are_the_host(
    server: Server, visitor: Callable[..., Page]
) -> None:
    ann, ben = visitor(), visitor(phone=True)
    open_page(ann, server, "Fine-tune?tab=New+run")
    ann.locator(".st-key-start button:visible").click()
    pause = "[class*=st-key-pause-] button:visible"
    expect(ann.locator(pause)).to_be_enabled()
    open_page(ben, server, "Fine-tune")
    expect(ben.locator(pause)).to_be_disabled()
    expect(ben.get_by_text("Started by somebody else")).to_be_visible()

    key = (server.home / FILE).read_text().strip()
    ben.goto(f"{server.address}/host")
    ben.fill("#key", "wrong")
    ben.click("button")
    expect(ben.get_by_role("alert")).to_be_visible()
    open_page(ben, server, f"Fine-tune?tab=Run&key={key}")
    assert key not in ben.url
    expect(ben.locator(pause)).to_be_enabled()
    assert "bertsent" not in ben.evaluate("document.cookie"), "scripts see no secret"

    ben.goto(f"{server.address}/host")
    ben.click("button")
    ben.wait_for_selector("h1")
    open_page(ben, server, "Fine-tune?tab=Run")
    expect(ben.locator(pause)).to_be_disabled()
    ann.reload()
    ann.locator("[class*=st-key-stop-] button:visible").click()


def test_bertviz_works_under_the_policy(server: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    for view in ("head", "model"):
        open_page(page, server, f"Attention?bertviz={view}+view")
        frame = page.frame_locator("iframe").first
        expect(frame.locator("svg").first).to_be_attached()
        page.wait_for_function("document.querySelector('iframe').clientHeight > 200")
