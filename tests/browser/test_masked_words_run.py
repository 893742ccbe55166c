"""A visitor lets a tiny encoder learn masked words and watches what it puts into the gaps."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from bertsent.tasks.masked_words import MASKED_WORDS
from bertsent.training.runs.run import Run
from tests.browser.conftest import Server, no_errors, settle, shoot
from tests.browser.test_task_run import _choose

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("lab")
    (home / "models").mkdir()
    (home / "models" / "tiny").symlink_to(tiny_backbone)
    started = Server(home, warmed=True)
    yield started
    started.stop()


def test_gaps_are_guessed_anew_while_one_watches(lab: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{lab.address}/Fine-tune?tab=New+run&learn={MASKED_WORDS.name}")
    settle(page)
    page.get_by_role("radio", name="Short comments").click()
    _choose(page.get_by_role("combobox", name="Model", exact=True).last, "tiny")
    for name, value in (("Epochs", "1"), ("Batch size", "64"), ("Max length", "32")):
        box = page.get_by_role("spinbutton", name=name, exact=True)
        box.fill(value)
        box.press("Enter")
        settle(page)
    shoot(page, "form-masked-words")
    page.get_by_role("button", name="Start", exact=True).click()
    charts = page.locator(".st-key-live_run [data-testid=stVegaLiteChart]")
    expect(charts).to_have_count(3)
    expect(page.locator(".st-key-result_report")).to_contain_text("rank of the true word")
    settle(page)
    no_errors(page)
    folder = lab.home / "runs" / parse_qs(urlsplit(page.url).query)["run"][0]
    guesses = Run(folder).history().guess_frame()
    first = guesses[guesses["rank"] == 1].iloc[-5]
    expect(page.locator(".st-key-result_guesses")).to_contain_text("The movie was [MASK].")
    expect(page.locator(".st-key-result_guesses")).to_contain_text(f"“{first['word']}”")
    shoot(page, "run-masked-words")
    phone = visitor(phone=True, dark=True)
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(page.url)
    expect(phone.locator(".st-key-result_guesses")).to_be_visible()
    settle(phone)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    shoot(phone, "run-masked-words-phone")
