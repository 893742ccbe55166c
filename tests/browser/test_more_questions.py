"""Probe's tabs for other questions than two labels on a screen, with models of random weights that
the host offers.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, no_errors, open_page, settle, shoot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
TABS = ("Five steps", "Aspects", "Feelings", "Two texts", "Prompt")
TOP = """() => document.querySelector('[class*=st-key-result_]').getBoundingClientRect().top"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Iterator[Server]:
    """A lab whose host offers a model of each task."""
    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.models.task_model import BertForTask
    from bertsent.tasks.catalogue import TASKS

    home, backbone = tmp_path_factory.mktemp("lab"), load_backbone(str(tiny_backbone))
    for name, task in TASKS.items():
        model = BertForTask(backbone.model, "mean", task=task).eval()
        folder = home / "models" / f"tiny-{name}"
        save_checkpoint(folder, model, backbone.tokenizer, CheckpointCard(max_length=64))
    started = Server(home, warmed=True)
    yield started
    started.stop()


def test_each_tab_begins_within_the_first_screen(lab: Server, visitor: Callable[..., Page]) -> None:
    for phone, width, height, fold in ((False, 1280, 800, 330), (True, 390, 844, 480)):
        page = visitor(phone=phone, dark=phone)
        page.set_viewport_size({"width": width, "height": height})
        for tab in TABS:
            open_page(page, lab, f"Probe?probe={tab}")
            no_errors(page)
            assert page.evaluate(TOP) <= fold, tab
            assert page.evaluate(TOO_WIDE) <= 0, tab
            shoot(page, f"probe-{tab.lower().replace(' ', '-')}{'-phone' if phone else ''}")


def test_words_are_clicked_texts_swapped_and_the_threshold_moved(
    lab: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, lab, "Probe?probe=Aspects")
    bars = page.locator(".st-key-result_aspects .ytick")
    expect(bars).to_have_count(2)
    page.get_by_role("button", name="terrible", exact=True).click()
    expect(bars).to_have_count(3)
    assert "terrible" in page.evaluate("() => decodeURIComponent(location.search)")
    page.reload()
    settle(page)
    expect(bars).to_have_count(3)

    open_page(page, lab, "Probe?probe=Two texts&two_first=One text&two_second=Another")
    page.get_by_role("button", name="Swap", exact=True).click()
    expect(page.get_by_label("First text")).to_have_value("Another")
    no_errors(page)

    open_page(page, lab, "Probe?probe=Feelings")
    page.get_by_role("slider").press("ArrowRight")
    page.wait_for_url("**feelings_threshold=55**")
    no_errors(page)
