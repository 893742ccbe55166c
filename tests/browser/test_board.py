"""A teacher and two students play the board and retrain, with a tiny model that trains in seconds:
from the first try on a phone to the report, opened without a network.
"""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, Route, expect

from bertsent.classroom.rooms import find_room
from tests.browser.conftest import Server, no_errors, open_page
from tests.classroom.conftest import MODEL, tiny_classifier  # noqa: F401 - a fixture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
REVIEWS = (
    "<b>Not</b> one dull minute 🎬",
    "=1+1 reasons to leave early",
    "My uncle slept through all of it",
    "I would watch it again tomorrow",
    "The popcorn had more of a story",
    "Nobody in our row wanted it to end",
)


@pytest.fixture
def server(tmp_path: Path, tiny_classifier: Path) -> Iterator[Server]:  # noqa: F811
    """A lab of its own, so that a second try finds no open room."""
    (tmp_path / "lab" / "models").mkdir(parents=True)
    (tmp_path / "lab" / "models" / MODEL).symlink_to(tiny_classifier)
    started = Server(tmp_path / "lab", warmed=True)
    yield started
    started.stop()


def join(page: Page, address: str, nickname: str) -> Page:
    page.set_default_timeout(30_000)
    page.goto(address)
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()
    return page


def fool(page: Page, text: str) -> str:
    """Send a review with the label that the model does not give; that label."""
    for label in ("Negative", "Positive"):
        page.wait_for_timeout(1_100)  # a second lies between two tries
        page.locator("#typed").fill(text)
        page.get_by_role("radio", name=label).check()
        page.get_by_role("button", name="Try it on the model").click()
        said = page.locator("#offered")
        expect(said).to_contain_text("The model gives")
        if "fooled" in said.inner_text():
            return label
    raise AssertionError("one of both labels is wrong")


def judge(page: Page, labels: dict[str, str]) -> None:
    """Give the review that stands there the label that its author gave it."""
    page.locator("#typed").blur()
    card = page.locator("#judge blockquote")
    expect(card).to_be_visible()
    text = card.inner_text()
    page.locator("#judge").get_by_role("button", name=labels[text]).click()
    expect(card.and_(page.get_by_text(text, exact=True))).to_be_hidden()


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waited:
        page.get_by_role("button", name=name).click()
    return waited.value.path().read_bytes()


def open_offline(page: Page, file: Path) -> list[str]:
    """Open the file; everything that it asks of a network, which is blocked."""
    asked: list[str] = []

    def block(route: Route) -> None:
        if route.request.url.startswith("file:"):
            return route.continue_()
        asked.append(route.request.url)
        return route.abort()

    page.context.route("**/*", block)
    page.goto(file.as_uri())
    return asked


def test_a_class_fools_the_model_retrains_it_and_takes_the_hour_home(
    server: Server,
    visitor: Callable[..., Page],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BERTSENT_HOME", str(server.home))
    teacher = visitor()
    open_page(teacher, server, "Class")
    teacher.get_by_role("button", name="Open a room").click()
    code = teacher.locator(".room-code").inner_text()
    open_page(teacher, server, "Class?class=Board")
    teacher.get_by_role("combobox", name="Model to fool").click()
    teacher.get_by_role("option", name=MODEL).click()
    teacher.get_by_role("button", name="Open the board").click()
    expect(teacher.get_by_role("button", name="Retrain")).to_be_disabled()

    address = f"{server.address}/room/{code}"
    ann, ben = (join(visitor(phone=True), address, name) for name in ("Ann", "Ben"))
    labels = {}
    for n, text in enumerate(REVIEWS):
        labels[text] = fool((ann, ben)[n % 2], text)
    projector = teacher.get_by_text(re.compile("6 of .* tries fooled the model; 0 are confirmed"))
    expect(projector).to_be_visible()
    expect(ann.locator("#mine li")).to_have_count(3)
    expect(ann.locator("#mine b").first).to_have_text(REVIEWS[0])
    for _ in range(3):
        judge(ann, labels)
        judge(ben, labels)
    expect(ann.locator("#mine")).to_contain_text("points")
    expect(teacher.get_by_text("6 are confirmed")).to_be_visible()
    assert ann.evaluate("document.documentElement.scrollWidth") <= 400

    retrain = teacher.get_by_role("button", name="Retrain")
    expect(retrain).to_be_enabled()  # without loading the page again
    teacher.locator(".st-key-board_download button").first.click()
    saved = pd.read_csv(io.BytesIO(download(teacher, "Confirmed reviews as CSV")))
    saved["text"] = saved["text"].str.removeprefix("'")  # before what looks like a formula
    assert dict(zip(saved["text"], saved["label"], strict=True)) == {
        text: int(label == "Positive") for text, label in labels.items()
    }
    teacher.keyboard.press("Escape")

    watching = visitor()  # the projector, in a window of its own
    open_page(watching, server, "Class?class=Board&present=1")
    retrain.click()
    expect(watching.locator(".st-key-result_curves")).to_be_visible()
    expect(ben.get_by_text("The board takes no reviews now")).to_be_visible()
    finding = teacher.locator(".st-key-result_retrained strong")
    expect(finding).to_contain_text("that it never saw")
    expect(watching.locator(".st-key-result_retrained strong")).to_be_visible()
    assert len(find_room(code).look().board.retrained) == 1
    verdict = finding.inner_text()
    no_errors(teacher)

    open_page(teacher, server, "Class?class=Report")
    expect(teacher.get_by_text(verdict.split(":")[0])).to_be_visible()
    (tmp_path / "report.html").write_bytes(download(teacher, "Download the report"))
    reader = visitor()
    asked = open_offline(reader, tmp_path / "report.html")
    expect(reader.get_by_text(verdict)).to_be_visible()
    point = reader.locator(".vega-embed").first.locator("path[aria-roledescription=point]").last
    point.scroll_into_view_if_needed()
    point.hover()
    expect(reader.locator("#vg-tooltip-element")).to_contain_text("accuracy")
    reader.locator(".drawing").last.scroll_into_view_if_needed()
    expect(reader.locator(".vega-embed svg")).to_have_count(4)
    expect(reader.get_by_role("cell", name=REVIEWS[0])).to_be_visible()
    assert not asked and "Ann" not in reader.content()
