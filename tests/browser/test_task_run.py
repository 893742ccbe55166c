"""A visitor lets a model learn another question than two labels, by the menu alone: the form, the
curves as they grow, the report with its own figure, and Probe, where that run answers.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.followed import followed_answer
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.tasks.task import OneLabel, Task
from bertsent.training.runs.report import EvaluationReport, run_report
from bertsent.training.runs.run import Run
from tests.browser.conftest import Server, no_errors, settle, shoot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
Visitor = Callable[..., Page]
TABS = {  # the tab of Probe that asks a task, its result, and where the texts stand
    FIVE_STEPS.name: ("Five steps", "five_steps", ("Review",)),
    ASPECTS.name: ("Aspects", "aspects", ("Sentence",)),
    FEELINGS.name: ("Feelings", "feelings", ("Review",)),
    SIMILARITY.name: ("Two texts", "two_texts", ("First text", "Second text")),
    PARAPHRASE.name: ("Two texts", "two_texts", ("First text", "Second text")),
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Iterator[Server]:
    """A lab that offers a tiny encoder, in which nobody has trained yet."""
    home = tmp_path_factory.mktemp("lab")
    (home / "models").mkdir()
    (home / "models" / "tiny").symlink_to(tiny_backbone)
    started = Server(home, warmed=True)
    yield started
    started.stop()


@pytest.mark.parametrize("task", [FIVE_STEPS, ASPECTS, PARAPHRASE], ids=lambda task: task.name)
def test_a_cell_of_the_matrix_leads_to_probe(lab: Server, visitor: Visitor, task: OneLabel) -> None:
    page = visitor()
    run = _learn(page, lab, task)
    expect(page.locator(".st-key-fitted_report")).to_contain_text(task.labels[-1])
    row = _review_of_the_fullest_cell(page, run)
    shoot(page, f"learn-{task.name}")
    _open_row(page, "confusion", run, task, row)
    shoot(page, f"ask-{task.name}")
    _back_to(page, run)
    _open_run(page, f"probe-{run.id}", run, task)


def test_a_text_with_several_labels_leads_to_probe(lab: Server, visitor: Visitor) -> None:
    page = visitor()
    run = _learn(page, lab, FEELINGS)
    expect(page.locator(".st-key-fitted_report")).to_contain_text("anticipation")
    _choose_first_row(page, "worst-answers")
    shoot(page, "learn-feelings")
    _open_row(page, "worst-answers", run, FEELINGS, run_report(run).answers.iloc[0])
    shoot(page, "ask-feelings")
    phone = visitor(phone=True, dark=True)
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(page.url)
    _asked(phone, run, FEELINGS)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    shoot(phone, "ask-feelings-phone")
    _back_to(page, run)
    _open_run(page, f"probe-{run.id}", run, FEELINGS)


def test_a_dot_of_the_scatter_leads_to_probe(lab: Server, visitor: Visitor) -> None:
    """Dots lie over each other where a model has learnt little: only the last one, which is drawn
    on top, is sure to get a click.
    """
    page = visitor()
    run = _learn(page, lab, SIMILARITY)
    page.locator(".st-key-rating-chart .mark-symbol.role-mark path").last.click()
    expect(page.locator(".st-key-rating-dot_probe")).to_be_visible()
    shoot(page, "learn-similarity")
    _open_row(page, "rating-dot", run, SIMILARITY, run_report(run).answers.iloc[-1])
    shoot(page, "ask-similarity")
    _back_to(page, run)
    _open_run(page, f"probe-{run.id}", run, SIMILARITY)


def test_three_tasks_at_once_lead_to_probe(lab: Server, visitor: Visitor) -> None:
    page = visitor()
    run = _learn(page, lab, THREE_TASKS)
    reports = run_report(run).parts
    _wrong_ones_are_listed(page, reports[FIVE_STEPS.title])
    page.get_by_role("radio", name=PARAPHRASE.title).click()
    _wrong_ones_are_listed(page, reports[PARAPHRASE.title])
    settle(page)
    shoot(page, "learn-three-tasks-paraphrase")
    page.get_by_role("radio", name=SIMILARITY.title).click()
    expect(page.locator(".st-key-rating-chart svg.marks")).to_be_visible()
    no_errors(page)
    _choose_first_row(page, "worst-answers")
    shoot(page, "learn-three-tasks-similarity")
    page.locator(".st-key-worst-answers_probe").get_by_role("button").first.click()
    _asked(page, run, SIMILARITY)
    shoot(page, "ask-three-tasks-two-texts")
    _back_to(page, run)
    _open_run(page, f"probe-{run.id}-Five-steps", run, FIVE_STEPS)
    shoot(page, "ask-three-tasks-five-steps")


def _learn(page: Page, lab: Server, task: Task) -> Run:
    """Train a tiny model on the small set of a task and wait for its report; the page is not
    loaded again meanwhile.
    """
    page.goto(lab.address)
    settle(page)
    page.get_by_role("link", name="Fine-tune").first.click()
    page.get_by_role("radio", name="New run").click()
    _choose(page.get_by_role("combobox", name="What shall it learn?"), task.title)
    _choose(page.get_by_role("combobox", name="Model", exact=True).last, "tiny")
    for name, value in (("Epochs", "1"), ("Max length", "48")):
        box = page.get_by_role("spinbutton", name=name, exact=True)
        box.fill(value)
        box.press("Enter")
        settle(page)
    shoot(page, f"form-{task.name}")
    page.get_by_role("button", name="Start", exact=True).click()
    curves = 2 if followed_answer(task) is None else 3  # the third is that of the sentinels
    expect(page.locator(".st-key-live_run [data-testid=stVegaLiteChart]")).to_have_count(curves)
    expect(page.get_by_text("Answers to the validation reviews")).to_be_visible()
    expect(page.locator(".st-key-result_curves")).to_contain_text("From step 0 to step")
    settle(page)
    no_errors(page)
    shoot(page, f"run-{task.name}")
    return Run(lab.home / "runs" / parse_qs(urlsplit(page.url).query)["run"][0])


def _review_of_the_fullest_cell(page: Page, run: Run) -> pd.Series:
    """Click the cell of the matrix with the most reviews, then the first of them."""
    answers = run_report(run).answers
    true, given = answers[["true", "predicted"]].value_counts().index[0]
    cell = f'.mark-rect path[aria-label^="predicted: {given}; true: {true};"]'
    drawn = page.locator(f".st-key-confusion_matrix {cell}")
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    assert box is not None
    # beside the number, which would get the click in its place
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)
    name = f"{true}, right" if true == given else f"{true} → {given}"
    expect(page.get_by_role("combobox", name="Reviews")).to_have_value(re.compile(f"^{name} "))
    settle(page)
    _choose_first_row(page, "confusion")
    return answers[(answers["true"] == true) & (answers["predicted"] == given)].iloc[0]


def _wrong_ones_are_listed(page: Page, found: EvaluationReport) -> None:
    """The list had the count of the task that was looked at before."""
    expect(page.locator(".st-key-confusion_matrix svg.marks")).to_be_visible()
    box = page.get_by_role("combobox", name="Reviews")
    expect(box).to_have_value(f"Wrong {len(found.mistakes)}")


def _choose_first_row(page: Page, key: str) -> None:
    table = page.locator(f".st-key-{key}_reviews [data-testid=stDataFrame]")
    table.scroll_into_view_if_needed()
    expect(table.locator("canvas").first).to_be_visible()
    settle(page)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 16, box["y"] + 52)  # the box in front of it: all is on a canvas
    expect(page.locator(f".st-key-{key}_probe")).to_be_visible()


def _open_row(page: Page, key: str, run: Run, task: Task, row: pd.Series) -> None:
    """Leave for Probe from a text of the report."""
    page.locator(f".st-key-{key}_probe").get_by_role("button").first.click()
    _asked(page, run, task)
    for box, text in zip(TABS[task.name][2], (row["text"], row.get("second", "")), strict=False):
        expect(page.get_by_role("textbox", name=box)).to_have_value(text)
    if task == ASPECTS:
        expect(page.locator(".st-key-result_aspects mark")).to_contain_text(row["second"])


def _open_run(page: Page, key: str, run: Run, task: Task) -> None:
    """Leave for Probe from the line of the run."""
    page.locator(f".st-key-{key}").get_by_role("button").first.click()
    _asked(page, run, task)


def _asked(page: Page, run: Run, task: Task) -> None:
    """The tab of the task stands there with the answer of that run."""
    tab, name, _ = TABS[task.name]
    result = page.locator(f".st-key-result_{name}")
    expect(result).to_contain_text(f"{run.id}, step ")
    expect(result.locator(".js-plotly-plot")).to_be_visible()
    expect(page.get_by_role("radio", name=tab, exact=True)).to_be_checked()
    settle(page)
    no_errors(page)


def _back_to(page: Page, run: Run) -> None:
    """By the menu, which brings the run that was left."""
    page.get_by_role("link", name="Fine-tune").first.click()
    expect(page.locator(".st-key-live_run")).to_be_visible()
    expect(page.get_by_role("combobox", name="Run")).to_have_value(re.compile(f"^{run.id} "))
    settle(page)


def _choose(box: Locator, option: str) -> None:
    box.click()
    box.page.get_by_role("option", name=option, exact=True).click()
    settle(box.page)
