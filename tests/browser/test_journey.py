"""The whole journey in a real browser: upload, train, leave, come back, ask, look inside, map, with
the network watched.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bertsent.data.sources import load_reviews
from bertsent.training.runs.run import Run
from tests.browser.conftest import Server, menu, no_errors, open_page, settle, shoot
from tests.conftest import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
MENU = ["Home", "Fine-tune", "Probe", "Attention", "Words", "Map", "Class", "Lessons"]


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def upload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the built-in reviews as somebody's own file, a hostile one among them."""
    rows = load_reviews("builtin", contrastive=False).frame()[["text", "label"]].iloc[:120]
    rows.loc[0, "text"] = (
        "<script>window.PWNED=1</script> $$x$$ **bold** <img src=x onerror='window.PWNED=1'>"
    )
    path = tmp_path_factory.mktemp("upload") / "mine.csv"
    rows.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("path", ["", "Home", "Map", "Class"])
def test_a_link_as_the_first_request_of_a_fresh_server(
    path: str, tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    fresh = Server(tmp_path, warmed=False)
    try:
        page = visitor()
        open_page(page, fresh, path)
        assert menu(page) == MENU
        expect(page.get_by_text("Page not found")).to_have_count(0)
        first = page.locator("h1").first.inner_text()
        page.reload()
        settle(page)
        assert menu(page) == MENU and page.locator("h1").first.inner_text() == first
    finally:
        fresh.stop()


def test_the_journey(server: Server, upload: Path, visitor: Callable[..., Page]) -> None:
    teacher = visitor()
    run = _train_with_a_pause(teacher, server, upload, visitor)
    _probe(teacher, server, run)
    _attention(teacher, server)
    _map(teacher, server)
    assert teacher.evaluate("window.PWNED") is None


def _train_with_a_pause(
    page: Page, server: Server, upload: Path, visitor: Callable[..., Page]
) -> Run:
    open_page(page, server, "Fine-tune")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator('input[type="file"]').set_input_files(upload)
    expect(page.get_by_text("training and")).to_be_visible()
    _fill(page, "Epochs", "2")
    _fill(page, "Max length", "64")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    (folder,) = (server.home / "runs").glob("[a-z]*")
    run = Run(folder)
    wait_until(lambda: run.history().step >= 2, 120)
    page.goto(f"{server.address}/Probe")  # leaving changes nothing for the run
    settle(page)
    student = visitor(phone=True)
    open_page(student, server, f"Fine-tune?run={run.id}")
    expect(student.get_by_text(run.id).first).to_be_visible()
    open_page(page, server, f"Fine-tune?run={run.id}")
    if run.alive():
        page.get_by_role("button", name="Pause", exact=True).click()
        expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()
        page.get_by_role("button", name="Resume", exact=True).click()
    wait_until(lambda: run.status().state == "finished", 300)
    page.reload()
    expect(page.get_by_text("Answers to the validation reviews")).to_be_visible()
    settle(page)
    expect(page.get_by_text("macro avg")).to_be_visible()
    no_errors(page)
    shoot(page, "fine-tune")
    return run


def _fill(page: Page, label: str, value: str) -> None:
    field = page.get_by_label(label, exact=True).first
    field.fill(value)
    field.press("Enter")
    settle(page)


def _probe(page: Page, server: Server, run: Run) -> None:
    open_page(page, server, f"Probe?model={run.id}")
    expect(page.locator("h3, h2").filter(has_text="TIVE").first).to_be_visible()
    answer = page.locator("h3, h2").filter(has_text="TIVE").first.inner_text()
    page.get_by_label("Review", exact=True).fill(
        "<script>window.PWNED=1</script> $$\\sum$$ **loud**"
    )
    page.keyboard.press("Control+Enter")
    settle(page)
    no_errors(page)
    assert "text=" in page.url
    other = page.context.new_page()
    other.goto(f"{server.address}/Probe?model={run.id}&text=Great%2C+another+boring+movie")
    settle(other)
    assert other.locator("h3, h2").filter(has_text="TIVE").first.inner_text() == answer
    shoot(other, "probe")
    other.close()


def _attention(page: Page, server: Server) -> None:
    open_page(page, server, "Attention?text=Great%2C+another+boring+movie")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    no_errors(page)
    shoot(page, "attention")
    for view in ("head view", "model view"):
        page.get_by_text(view, exact=True).first.click()
        frame = page.frame_locator("iframe").first
        expect(frame.locator("svg").first).to_be_visible()
        settle(page)
        no_errors(page)
        shoot(page, f"attention-{view.split()[0].lower()}")


def _map(page: Page, server: Server) -> None:
    open_page(page, server, "Map")
    if page.get_by_role("button", name="Draw the map").count():
        page.get_by_role("button", name="Draw the map").click()
    expect(page.locator(".st-key-map_chart .map")).to_be_visible()
    settle(page)
    no_errors(page)
    shoot(page, "map")


def test_a_restarted_app_finds_the_run_still_training(
    tmp_path: Path, visitor: Callable[..., Page]
) -> None:
    first = Server(tmp_path, warmed=True)
    page = visitor()
    open_page(page, first, "Fine-tune")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    (folder,) = (tmp_path / "runs").glob("[a-z]*")
    run = Run(folder)
    first.process.kill()
    first.process.wait()
    assert run.alive()
    second = Server(tmp_path, warmed=True)
    try:
        open_page(page, second, f"Fine-tune?run={run.id}")
        expect(page.get_by_role("button", name="Stop and keep", exact=True)).to_be_visible()
        page.get_by_role("button", name="Stop and keep", exact=True).click()
        wait_until(lambda: run.status().state == "stopped", 120)
    finally:
        second.stop()
