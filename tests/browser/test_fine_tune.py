"""The run page in a real browser: nothing fades while a run trains, a click on a cell brings its
reviews, and a page whose server was restarted says so and comes back whole.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bertsent.data.examples import Example, Reviews
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.run import Run
from tests.browser import conftest
from tests.browser.conftest import Server, no_errors, open_page, settle
from tests.conftest import wait_until
from tests.training.workers import start_run

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
LOWEST_OPACITY = """async () => {
  const live = document.querySelector(".st-key-live_run")
  const probe = document.createElement("div")
  probe.dataset.stale = "true"
  probe.style.opacity = 0.33
  live.append(probe)
  let lowest = 1
  for (const end = performance.now() + 5000; performance.now() < end;) {
    await new Promise(requestAnimationFrame)
    for (const each of live.querySelectorAll("[data-stale]"))
      lowest = Math.min(lowest, Number(getComputedStyle(each).opacity))
  }
  probe.remove()
  return lowest
}"""


@pytest.fixture
def live_run(
    tmp_path: Path,
    tiny_backbone: Path,
    toy_reviews: Reviews,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Run]:
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    training = TrainingConfig(epochs=100, batch_size=2, max_length=32)
    many = Reviews(  # so many that the run outlives a slow browser
        "many",
        tuple(
            Example(f"{each.id}-{copy}", f"{each.text} in cinema {copy}", each.label)
            for each in toy_reviews.examples
            for copy in range(10)
        ),
    )
    run = start_run(many, training, model=str(tiny_backbone), sentinels=("no fun",))
    yield run
    run.request("stop")
    wait_until(lambda: not run.alive())


def test_a_run_is_followed_through_a_restart_and_its_mistakes_are_read(
    live_run: Run, tmp_path: Path, visitor: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(tmp_path, warmed=True)
    page = visitor()
    open_page(page, server, f"Fine-tune?run={live_run.id}")
    wait_until(lambda: live_run.history().step > 3, 60)
    assert page.evaluate(LOWEST_OPACITY) == 1, "the curves fade at each look"
    server.process.kill()
    server.process.wait()
    notice = page.locator(".connection")
    expect(notice).to_be_visible()
    assert "goes on by itself" in notice.inner_text() and live_run.alive()
    monkeypatch.setattr(conftest, "free_port", lambda: server.port)
    second = Server(tmp_path, warmed=True)
    try:
        expect(notice).to_be_hidden()
        expect(page.locator(".st-key-review_bar")).to_be_visible()
        live_run.request("stop")  # the page that came back notices by itself
        _read_a_mistake(page)
    finally:
        second.stop()


def _read_a_mistake(page: Page) -> None:
    matrix = page.locator(".st-key-confusion_matrix")
    expect(matrix.locator("svg, canvas").first).to_be_visible()
    settle(page)
    matrix.scroll_into_view_if_needed()
    box = matrix.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.75 * box["height"])
    chosen = page.locator(".st-key-confusion_cell [aria-checked=true]")
    expect(chosen).to_contain_text("POS right")
    no_errors(page)
