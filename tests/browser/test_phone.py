"""Two students on phones and a teacher: the Wi-Fi of one drops while she votes, she loads the page
again, and her vote counts once. The teacher is this test, which writes to the room's folder.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from tests.browser.conftest import Server, free_port, shoot
from tests.ui.room.conftest import QUESTION
from tests.ui.room.test_bad_days import start_server
from tests.ui.room.wire import Wire

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(lab_home: Path) -> Iterator[Server]:
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


@pytest.fixture
def room(server: Server, monkeypatch: pytest.MonkeyPatch) -> Room:
    monkeypatch.setenv("BERTSENT_HOME", str(server.home))
    return open_room("Year 11")


def join(page: Page, server: Server | SimpleNamespace, room: Room, nickname: str) -> None:
    page.goto(f"{server.address}/room")
    page.get_by_label("Code on the projector").fill(room.code.lower())
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", name="You are in")).to_be_visible()


def vote(page: Page, answer: str, sure: str) -> None:
    page.get_by_role("radio", name=answer).check()
    page.get_by_role("radio", name=sure, exact=True).check()
    page.get_by_role("button", name="Vote").click()


def test_a_vote_given_without_wifi_survives_a_reload_and_counts_once(
    visitor, server: Server, room: Room
) -> None:
    ann, ben = visitor(phone=True), visitor(phone=True, dark=True)
    join(ann, server, room, "Ann")
    join(ben, server, room, "Ben")
    question = room.ask(QUESTION)
    expect(ann.locator("#text")).to_have_text(QUESTION.text)

    ann.route("**/vote", lambda route: route.abort())
    vote(ann, "Positive", "90")
    expect(ann.locator("#trouble")).to_contain_text("Your vote is kept here")
    ann.reload()
    expect(ann.locator("#own")).to_contain_text("kept on this phone")
    assert not room.look().questions[question].votes
    vote(ben, "Negative", "60")
    expect(ben.locator("#own")).to_contain_text("counted")
    ann.unroute("**/vote")
    expect(ann.locator("#own")).to_contain_text("counted")
    expect(ann.locator("#trouble")).to_be_hidden()
    assert len(room.look().questions[question].votes) == 2

    for turned_over in range(1, 4):
        room.reveal(question)
        expect(ann.locator("#reveal > li")).to_have_count(turned_over)
    expect(ann.locator("#verdict")).to_contain_text("You were 90\u00a0% sure, and wrong")
    expect(ben.locator("#verdict")).to_contain_text("and right")
    for page in (ann, ben):
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    shoot(ann, "phone-reveal")
    room.close()
    expect(ben.get_by_role("heading", name="The hour is over")).to_be_visible()


@pytest.mark.slow
def test_thirty_seconds_without_wifi_lose_no_vote_and_double_none(
    visitor, server: Server, room: Room
) -> None:
    """No connection ends: they stall, and what was sent arrives late, after it was sent again."""
    wire = Wire(server.port)
    near = SimpleNamespace(address=f"http://localhost:{wire.port}")
    ann, ben = visitor(phone=True), visitor(phone=True)
    join(ann, near, room, "Ann")
    join(ben, near, room, "Ben")
    question = room.ask(QUESTION)
    expect(ann.locator("#vote")).to_be_visible()
    wire.flows.clear()
    dropped = time.monotonic()
    vote(ann, "Positive", "90")
    expect(ann.locator("#trouble")).to_contain_text("Your vote is kept here", timeout=15_000)
    ann.wait_for_timeout(1000 * (30 - (time.monotonic() - dropped)))
    expect(ben.locator("#trouble")).to_contain_text("No connection")
    assert not room.look().questions[question].votes
    wire.flows.set()
    expect(ann.locator("#own")).to_contain_text("counted", timeout=10_000)
    for page in (ann, ben):
        expect(page.locator("#trouble")).to_be_hidden(timeout=10_000)
    room.reveal(question, 3)
    for page in (ann, ben):
        expect(page.locator("#verdict")).to_be_visible(timeout=10_000)
    (counted,) = room.look().questions[question].votes.values()
    assert (counted.choice, counted.confidence) == (1, 0.9)
    wire.close()


@pytest.mark.slow
def test_a_killed_server_has_its_phones_back_within_ten_seconds_with_all_votes(
    visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    port = free_port()
    place = SimpleNamespace(address=f"http://localhost:{port}")
    process = start_server(tmp_path, port)
    try:
        room = open_room()
        pages = [visitor(phone=True) for _ in range(4)]
        for number, page in enumerate(pages):
            join(page, place, room, f"Ann {number}")
        question = room.ask(QUESTION)
        for number, page in enumerate(pages):
            if number == 2:
                process.kill()
                process.wait()
            expect(page.locator("#vote")).to_be_visible()
            vote(page, "Positive", "90")
        expect(pages[3].locator("#trouble")).to_contain_text("Your vote is kept here")
        process = start_server(tmp_path, port)
        again = time.monotonic()
        for page in pages:
            expect(page.locator("#own")).to_contain_text("counted", timeout=30_000)
            expect(page.locator("#trouble")).to_be_hidden(timeout=30_000)
        room.reveal(question, 3)
        for page in pages:
            expect(page.locator("#verdict")).to_be_visible(timeout=30_000)
        assert time.monotonic() - again < 30  # under 10 s where nothing else runs
        assert len(room.look().questions[question].votes) == 4
    finally:
        process.kill()


def test_markup_in_a_nickname_and_a_question_is_drawn_as_text(
    visitor, server: Server, room: Room
) -> None:
    ann = visitor(phone=True)
    join(ann, server, room, "<img src=x>")
    expect(ann.locator("#who")).to_have_text("<img src=x>")
    room.ask(type(QUESTION)("sentence", "<b>What?</b>", ("<i>a</i>", "b"), 60, text="<s>c</s>"))
    expect(ann.get_by_role("heading", name="<b>What?</b>")).to_be_visible()
    assert ann.locator("main b, main i, main s, img").count() == 0


def test_a_review_is_asked_on_the_phone_and_looked_at_in_the_lab(
    visitor, server: Server, room: Room
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    ann = visitor(phone=True, dark=True)
    join(ann, server, room, "Ann")
    ann.get_by_label("A review of your own").fill("Not <b>bad</b> & not good")
    ann.get_by_role("button", name="Ask", exact=True).click()
    expect(ann.locator(".chip")).to_contain_text("TIVE")
    check(Axe, ann)
    shoot(ann, "phone-probe")
    answer = ann.locator(".chip").inner_text()
    question = room.ask(QUESTION)
    vote(ann, "Negative", "100")
    expect(ann.locator("#why-not")).to_contain_text("First everybody predicts")
    expect(ann.locator(".chip")).to_be_hidden()
    room.withdraw(question)
    expect(ann.locator(".chip")).to_have_text(answer)
    ann.get_by_role("link", name="Look at it in the lab").click()
    expect(ann.locator('[class*="st-key-review_bar_"]', has_text=answer).last).to_be_visible()


def test_the_page_has_no_problems_of_accessibility(visitor, server: Server, room: Room) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for dark in (False, True):
        page = visitor(phone=True, dark=dark)
        page.goto(f"{server.address}/room/{room.code}")
        expect(page.get_by_label("Nickname")).to_be_visible()
        check(Axe, page)
        join(page, server, room, "")
        question = room.ask(QUESTION)
        expect(page.locator("#vote")).to_be_visible()
        check(Axe, page)
        vote(page, "Negative", "100")
        room.reveal(question, 3)
        expect(page.locator("#verdict")).to_be_visible()
        check(Axe, page)
        room.withdraw(question)


def check(axe: type, page: Page) -> None:
    found = axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    for target in page.locator("button:visible, a:visible, input:visible").all():
        box = target.bounding_box()
        assert box and box["height"] >= 44, target.evaluate("e => e.outerHTML")
