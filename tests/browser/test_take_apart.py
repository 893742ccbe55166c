"""The parts of the way to an answer in a real browser: opened by hand, by link, by Play, by the
keys of a teacher; and numbers of the lecture that are changed.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, no_errors, open_page, settle
from tests.browser.test_presenter import press, wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
OPEN = "[class*=st-key-part_] details[open]"


def part(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-part_{key}")


def unfold(page: Page, key: str) -> None:
    part(page, key).locator("summary").click()
    expect(part(page, key).locator("[class*=st-key-result_]").first).to_be_visible()
    settle(page)


def keys_of(page: Page) -> list[str]:
    """The parts of the page, in their order."""
    names = page.locator("[class*=st-key-part_]").evaluate_all(
        "all => all.map(each => each.className.match(/st-key-part_(\\w+)/)[1])"
    )
    return list(dict.fromkeys(names))


def test_a_link_opens_the_same_part_with_the_same_numbers(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, server, "Probe")
    page.get_by_text("Before fine-tuning", exact=True).click()
    settle(page)
    unfold(page, "logits")
    assert "part=logits" in page.url and "when=Before" in page.url
    other = visitor()
    other.goto(page.url)
    settle(other)
    expect(other.locator(OPEN)).to_have_count(1)
    expect(part(other, "logits").locator("[data-testid=stTable]").first).to_be_visible()
    ours, theirs = (
        each.locator(".st-key-part_logits p").all_inner_texts() for each in (page, other)
    )
    assert ours == theirs and any("softmax makes" in text for text in ours)
    tables = [part(each, "logits").locator("td").all_inner_texts() for each in (page, other)]
    assert tables[0] == tables[1] and len(tables[0]) >= 6
    no_errors(other)


def test_a_number_of_the_lecture_is_changed_and_what_follows_changes(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    open_page(page, server, "Probe?numbers=lecture&part=logits")
    shown = part(page, "logits")
    expect(shown).to_contain_text("0.93")
    box = shown.get_by_label("Logits z of NEGATIVE and POSITIVE")
    box.fill("0, 0")
    box.press("Enter")
    settle(page)
    expect(shown).to_contain_text("0.5000, 0.5000")
    other = visitor()
    other.goto(page.url)
    settle(other)
    shown = part(other, "logits")
    expect(shown.get_by_label("Logits z of NEGATIVE and POSITIVE")).to_have_value("0, 0")
    expect(shown).to_contain_text("0.5000, 0.5000")


def test_a_table_of_the_lecture_is_typed_cell_by_cell(
    server: Server, visitor: Callable[..., Page]
) -> None:
    """A mistyped cell keeps what was typed and the last good mean; putting it right counts it."""
    page = visitor()
    open_page(page, server, "Probe?numbers=lecture&part=loss")
    card = page.locator(".st-key-result_loss_mean_loss")
    expect(card).to_contain_text("0.8492")
    for typed, shown, linked in (("x", "is not a number", "1%2C+x"), ("0.5", "0.9961", "1%2C+0.5")):
        type_cell(page, card, typed)
        settle(page)
        expect(card).to_contain_text(shown)
        assert linked in page.url
    page.locator(".st-key-mean_loss_as_in_the_lecture button").click()
    settle(page)
    expect(card).to_contain_text("0.8492")
    assert "mean_loss" not in page.url


def type_cell(page: Page, card: Locator, typed: str) -> None:
    """Type into the last cell of the first row of a card's table. The page may still be moving on a
    busy machine, and what moves opens no cell.
    """
    cell = page.locator("#portal input, #portal textarea").first
    for _ in range(8):
        card.scroll_into_view_if_needed()
        box = card.locator("canvas").first.bounding_box()
        assert box
        page.mouse.dblclick(box["x"] + 0.85 * box["width"], box["y"] + 52)
        page.wait_for_timeout(1_500)
        if cell.count():
            break
    cell.fill(typed)
    cell.press("Enter")


def test_play_opens_one_part_after_the_other_and_brings_it_into_sight(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, server, "Probe")
    keys = keys_of(page)
    press(page, "k")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    for key in keys[:2]:
        expect(part(page, key).locator("details[open]")).to_have_count(1, timeout=30_000)
        expect(page.locator(OPEN)).to_have_count(1)
        page.wait_for_timeout(1_500)
        box = part(page, key).bounding_box()
        assert box and 100 < box["y"] < 500, "the open part is in sight"
    page.keyboard.press("k")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert f"part={keys[1]}" in page.url
    press(page, "j")
    assert f"part={keys[0]}" in page.url
    no_errors(page)


def test_presenting_opens_every_part_on_the_way_to_the_next_tab(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server.address}/Probe?present=1")
    expect(page.locator(".st-key-present_next button").first).to_be_visible()
    keys = keys_of(page)
    seen: list[str] = []
    for _ in range(60):
        go_on(page, "ArrowRight")
        if "Others" in page.url:
            break
        expect(page.locator("[class*=st-key-result_]:visible").first).to_be_visible()
        expect(page.locator("[class*=st-key-present_title]:visible")).to_have_count(1)
        expect(page.locator(OPEN + ":visible")).to_have_count(1)
        key = page.url.split("part=")[1].split("&")[0]
        seen += [] if key in seen else [key]
    assert seen == keys
    go_on(page, "ArrowLeft")
    assert f"part={keys[-1]}" in page.url and "Others" not in page.url
    no_errors(page)


def go_on(page: Page, key: str) -> None:
    """Press a key, and wait until another result is shown."""
    where = "() => location.search + document.querySelector('.st-key-present_steps').innerText"
    wait_for_keys(page)
    before = page.evaluate(where)
    page.keyboard.press(key)
    page.wait_for_function(f"before => ({where})() !== before", arg=before)


def test_on_a_phone_nothing_scrolls_sideways_but_the_row_of_choices(
    server: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor(phone=True)
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, server, "Probe")
    for key in keys_of(page):
        page.get_by_role("button", name="Next", exact=True).click()
        expect(part(page, key).locator("details[open]")).to_have_count(1)
        settle(page)
        wide = page.evaluate(
            "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
        )
        assert wide <= 0, key
    no_errors(page)
