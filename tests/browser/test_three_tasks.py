"""The experiment on three tasks in a browser: the published rows, a finished group of runs with its
effects and its answers to the study's sentences, one of its runs, and its parts on Probe.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bertsent.training.config import TrainingConfig
from bertsent.training.groups.three_tasks import TaskSets, start_three_tasks
from tests.browser.conftest import Server, no_errors, open_page, settle, shoot
from tests.own_mixture import pair_sets, steps_set
from tests.ui.fine_tune.groups_trained_here import trained_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def lab(tmp_path: Path, tiny_backbone: Path) -> Iterator[Server]:
    """A lab with four finished runs, trained here: workers on a busy machine take minutes."""
    training = TrainingConfig(
        epochs=1, batch_size=12, epoch_rows=72, max_length=48, encoder_lr=3e-3, head_lr=1e-2
    )
    sets = TaskSets((steps_set(), *pair_sets()))
    with trained_in(tmp_path):
        group = start_three_tasks(sets, training, ("CLS", "JS"), model=str(tiny_backbone))
    (tmp_path / "group").write_text(group.name)
    (tmp_path / "run").write_text(group.members[-1].run)
    started = Server(tmp_path, warmed=True)
    yield started
    started.stop()


def test_a_visitor_reads_the_experiment_and_asks_its_models(
    lab: Server, visitor: Callable[..., Page], tmp_path: Path
) -> None:
    page, group = visitor(), (tmp_path / "group").read_text()
    open_page(page, lab, "Fine-tune?tab=Compare&group=published-configurations")
    expect(page.get_by_text("All eighteen rows, as published")).to_be_visible()
    no_errors(page)
    shoot(page, "three-tasks-published")
    open_page(page, lab, f"Fine-tune?tab=Compare&group={group}")
    expect(page.get_by_text("4 of 4 runs finished")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    page.get_by_text("The study’s example sentences, answered here").click()
    expect(page.get_by_text("of 9 right, the study")).to_be_visible()
    no_errors(page)
    shoot(page, "three-tasks-group")
    _report_of_each_part(page, lab, (tmp_path / "run").read_text())


def _report_of_each_part(page: Page, lab: Server, run: str) -> None:
    open_page(page, lab, f"Fine-tune?tab=Run&run={run}")
    expect(page.locator(".st-key-fitted_report")).to_contain_text("very positive")
    page.get_by_role("radio", name="How alike two texts are").click()
    expect(page.get_by_text("The line of best fit goes")).to_be_visible()
    settle(page)
    no_errors(page)
    shoot(page, "three-tasks-run")
    open_page(page, lab, f"Probe?probe=Two+texts&model={run}")
    no_errors(page)
    shoot(page, "three-tasks-probe")


def test_a_phone_shows_the_table_without_a_sideways_scroll(
    lab: Server, visitor: Callable[..., Page], tmp_path: Path
) -> None:
    page = visitor(phone=True, dark=True)
    open_page(page, lab, f"Fine-tune?tab=Compare&group={(tmp_path / 'group').read_text()}")
    expect(page.get_by_text("4 of 4 runs finished")).to_be_visible()
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    no_errors(page)
    shoot(page, "three-tasks-phone")
