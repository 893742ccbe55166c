"""A link says it all: what somebody looks at, opened by somebody else on another server, shows the
same numbers.
"""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, no_errors, open_page, settle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
TEXT = "Not a bad film, but my popcorn had the better story."
_NUMBERS = """() => {
  const flat = (part) => part?.length ? [...part].flat(9) : part
  const along = (trace) => (axis) => [trace[axis] ?? []].flat(9).flatMap(flat)
  const numbers = (trace) => ['x', 'y', 'z'].flatMap(along(trace))
  const charts = [...document.querySelectorAll('.js-plotly-plot')]
  const bars = [...document.querySelectorAll('.probability-bar i')]
  const shares = bars.map((bar) => parseFloat(bar.style.width))
  return [...shares, ...charts.flatMap((chart) => chart._fullData.flatMap(numbers))]
    .filter(Number.isFinite)
}"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("elsewhere"), warmed=True)
    yield started
    started.stop()


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("Probe", ""),
        ("Attention", "layer=3&head=7"),
        ("Attention", "look=Measures"),
        ("Attention", "look=Silence%20heads"),
    ],
)
def test_a_link_shows_the_same_numbers_elsewhere(
    server: Server, elsewhere: Server, path: str, query: str, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, server, f"{path}?{query}")
    page.get_by_label("Review", exact=True).fill(TEXT)
    page.get_by_label("Review", exact=True).press("Enter")
    page.wait_for_function("() => location.search.includes('popcorn')")
    settle(page)
    address = page.url
    other = visitor()
    other.goto(address.replace(server.address, elsewhere.address))
    settle(other)
    expect(other.get_by_label("Review", exact=True)).to_have_value(TEXT)
    ours, theirs = seen(page), seen(other)
    no_errors(other)
    assert len(ours["numbers"]) > 1 and theirs["numbers"] == pytest.approx(
        ours["numbers"], abs=1e-6
    )
    assert theirs["words"] == ours["words"]


def seen(page: Page) -> dict[str, list]:
    """What stands on the page once it is whole: the numbers of its charts and the texts of tables
    and captions, but for the time taken.
    """
    before: dict[str, list] = {}
    for _ in range(60):
        page.wait_for_timeout(1_000)
        words = page.locator(
            '[data-testid="stTable"], h3, [data-testid="stCaptionContainer"]'
        ).all_inner_texts()
        found = {
            "numbers": page.evaluate(_NUMBERS),
            "words": [re.sub(r"[\d.,]+ (ms|s)\b", "some time", text) for text in words],
        }
        if found == before and found["numbers"]:
            return found
        before = found
    return before
