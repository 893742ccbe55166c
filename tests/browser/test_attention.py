"""All heads and one large, side by side and wholly in sight; a click on a small one chooses it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, open_page, settle

pytestmark = pytest.mark.browser


def box(place: Locator) -> dict[str, float]:
    expect(place).to_be_visible()
    found = place.bounding_box()
    assert found is not None
    return dict(found)


def test_all_heads_and_one_large_stand_side_by_side_and_a_click_chooses(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "Attention")
    result = box(page.locator(".st-key-result_heads"))
    grid, large = (
        box(page.locator(f".st-key-attention_{name} .js-plotly-plot")) for name in ("grid", "head")
    )
    assert result["y"] <= 250 and result["y"] + result["height"] <= 800  # finding and legend too
    assert grid["x"] + grid["width"] <= large["x"] and abs(grid["y"] - large["y"]) < 2
    row = box(page.locator(".st-key-attention_controls"))
    assert row["y"] + row["height"] <= 800
    title = page.locator(".st-key-attention_head .gtitle")
    before = title.text_content()
    tiles = page.locator(".st-key-attention_grid .nsewdrag").first
    area = box(tiles)
    tiles.click(position={"x": area["width"] * 2.5 / 12, "y": area["height"] * 0.5 / 6})
    expect(title.filter(has_text="Head 1·3")).to_be_visible()  # the one before may still stand
    settle(page)
    assert before != "Head 1·3" and "layer=1" in page.url and "head=3" in page.url
    tiles.click(position={"x": area["width"] * 9.5 / 12, "y": area["height"] * 4.5 / 6})
    expect(title.filter(has_text="Head 5·10")).to_be_visible()


def test_on_a_phone_the_grid_comes_first_and_its_heads_are_named(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor(phone=True)
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, server, "Attention")
    grid, large = (
        box(page.locator(f".st-key-attention_{name} .js-plotly-plot")) for name in ("grid", "head")
    )
    assert grid["y"] <= 440 and grid["x"] >= 0 and grid["x"] + grid["width"] <= 390
    assert large["y"] >= grid["y"] + grid["height"]
    names = page.locator(".st-key-attention_grid .xtick text")
    assert names.all_text_contents() == [f"H{n}" for n in range(1, 13)]
    ends = [box(names.nth(n)) for n in range(12)]
    assert all(
        first["x"] + first["width"] <= second["x"] + 1
        for first, second in zip(ends, ends[1:], strict=False)
    )
