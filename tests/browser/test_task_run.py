"""A visitor lets a model learn another question than two labels, by the menu alone: the form, the
curves as they grow, the report, and Probe, where that run answers.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from bertsent.tasks.catalogue import FIVE_STEPS
from bertsent.training.runs.report import newest_scores
from bertsent.training.runs.run import Run
from tests.browser.conftest import Server, no_errors, settle, shoot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Iterator[Server]:
    """A lab that offers a tiny encoder, in which nobody has trained yet."""
    home = tmp_path_factory.mktemp("lab")
    (home / "models").mkdir()
    (home / "models" / "tiny").symlink_to(tiny_backbone)
    started = Server(home, warmed=True)
    yield started
    started.stop()


def test_five_steps_are_learnt_and_asked(lab: Server, visitor: Callable[..., Page]) -> None:
    page = visitor()
    run = _learn(page, lab, FIVE_STEPS.title)
    expect(page.locator(".st-key-fitted_report")).to_contain_text("very positive")
    true, given = _fullest_cell(run)
    cell = f'.mark-rect path[aria-label^="predicted: {given}; true: {true};"]'
    _click_into(page.locator(f".st-key-confusion_matrix {cell}"))
    name = f"{true}, right" if true == given else f"{true} → {given}"
    expect(page.get_by_role("combobox", name="Reviews")).to_have_value(re.compile(f"^{name} "))
    shoot(page, "learn-five-steps")
    page.locator(f".st-key-probe-{run.id}").get_by_role("button").first.click()
    expect(page.locator(".st-key-result_five_steps")).to_contain_text(run.id)
    expect(page.locator(".st-key-result_five_steps .js-plotly-plot")).to_be_visible()
    no_errors(page)
    shoot(page, "ask-five-steps")


def _learn(page: Page, lab: Server, task: str) -> Run:
    """Train a tiny model on the small set of a task and wait for its report; the page is not
    loaded again meanwhile.
    """
    page.goto(lab.address)
    settle(page)
    page.get_by_role("link", name="Fine-tune").first.click()
    page.get_by_role("radio", name="New run").click()
    _choose(page.get_by_role("combobox", name="What shall it learn?"), task)
    _choose(page.get_by_role("combobox", name="Model", exact=True).last, "tiny")
    for name, value in (("Epochs", "1"), ("Max length", "48")):
        box = page.get_by_role("spinbutton", name=name, exact=True)
        box.fill(value)
        box.press("Enter")
        settle(page)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".st-key-live_run [data-testid=stVegaLiteChart]")).to_have_count(3)
    expect(page.get_by_text("Answers to the validation reviews")).to_be_visible()
    expect(page.locator(".st-key-result_curves")).to_contain_text("From step 0 to step")
    settle(page)
    no_errors(page)
    return Run(lab.home / "runs" / parse_qs(urlsplit(page.url).query)["run"][0])


def _choose(box: Locator, option: str) -> None:
    box.click()
    box.page.get_by_role("option", name=option, exact=True).click()
    settle(box.page)


def _click_into(drawn: Locator) -> None:
    """Click beside the number in a cell of a picture, which gets the click in its place."""
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    assert box is not None
    drawn.page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)


def _fullest_cell(run: Run) -> tuple[str, str]:
    """The true and the given label that most validation reviews have."""
    reviews, (_, scores) = run.splits().validation, newest_scores(run, run.history())
    given, names = scores.argmax(1).tolist(), reviews.task.output_names
    pairs = list(zip(reviews.labels, given, strict=True))
    true, taken = max(set(pairs), key=pairs.count)
    return names[true], names[taken]
