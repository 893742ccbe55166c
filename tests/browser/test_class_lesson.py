"""A teacher and four students on phones over a whole lesson: from the code on the projector to the
quiz and the report. One student reloads the page in the middle, one loses the Wi-Fi.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_rooms
from bertsent.lessons.catalogue import find_lesson
from tests.browser.conftest import Server, no_errors, open_page, settle, shoot

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cem", "Dana")
PUZZLE, COMPUTED = find_lesson("the-puzzle"), 4  # the step at which the model says what is right
STEPS = len(PUZZLE.steps)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A lab of its own, so that a second try finds no open room."""
    started = Server(tmp_path / "lab", warmed=True)
    yield started
    started.stop()


@pytest.fixture
def only_room(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Room]:
    monkeypatch.setenv("BERTSENT_HOME", str(server.home))
    return lambda: open_rooms()[0]


def button(teacher: Page, key: str) -> Locator:
    return teacher.locator(f".st-key-player_{key} button")


def vote(phone: Page, option: str, sure: int = 5) -> None:
    phone.get_by_role("radio", name=option, exact=True).check()
    phone.locator("input[name=confidence]").nth(sure).check()
    phone.get_by_role("button", name="Vote").click()


def counted(phones: Sequence[Page]) -> None:
    for phone in phones:
        expect(phone.locator("#own")).to_contain_text("Your vote is counted")


def nothing_given_away(phones: Sequence[Page], reason: str) -> None:
    for phone in phones:
        expect(phone.locator("#verdict")).to_be_hidden()
        expect(phone.locator("#to-lab")).to_be_hidden()
        assert reason[:30] not in phone.content()


def revealed(phones: Sequence[Page], *sayings: str) -> None:
    for phone, said in zip(phones, sayings, strict=True):
        expect(phone.locator("#verdict")).to_contain_text(said)
        expect(phone.locator("#why")).to_be_visible()


def go_on(teacher: Page, phones: Sequence[Page], number: int) -> None:
    button(teacher, "next").click()
    heading = PUZZLE.steps[number - 1].title if number <= STEPS else "Quiz"
    for phone in phones:
        expect(phone.locator("#lesson h2")).to_have_text(heading)
        expect(phone.locator("#question")).to_be_hidden()
    if number <= STEPS:
        expect(teacher.locator(f".st-key-player_body_{number}")).to_be_visible()
        expect(teacher.locator("summary", has_text=f"{number}/{STEPS}")).to_be_visible()


def test_a_class_takes_a_whole_lesson(
    server: Server, visitor: Callable[..., Page], only_room: Callable[[], Room]
) -> None:
    teacher, phones = visitor(), [visitor(phone=True) for _ in NAMES]
    ann, ben, *_ = phones
    come_in(teacher, phones, server)
    room = only_room()
    first_question(teacher, phones)
    go_on(teacher, phones, 2)
    ben.reload()
    expect(ben.locator("#who")).to_have_text("Ben")
    expect(ben.locator("#lesson h2")).to_have_text(PUZZLE.steps[1].title)
    for number in range(3, COMPUTED + 1):
        go_on(teacher, phones, number)
    without_wifi(teacher, phones, ann, room)
    for number in range(COMPUTED + 1, STEPS + 2):
        go_on(teacher, phones, number)
    the_quiz(teacher, phones)
    the_end(teacher, phones, room)


def come_in(teacher: Page, phones: Sequence[Page], server: Server) -> None:
    open_page(teacher, server, "Class")
    teacher.get_by_role("button", name="Open a room").click()
    code = teacher.locator(".room-code").inner_text()
    for phone, name in zip(phones, NAMES, strict=True):
        phone.goto(f"{server.address}/room")
        phone.get_by_label("Code on the projector").fill(code)
        phone.get_by_role("button", name="Next").click()
        phone.get_by_label("Nickname").fill(name)
        phone.get_by_role("button", name="Join").click()
    expect(teacher.get_by_text("4 members")).to_be_visible()
    open_page(teacher, server, "Lessons")
    teacher.locator(".st-key-start_the-puzzle button").click()
    for phone in phones:
        expect(phone.locator("#lesson h2")).to_have_text(PUZZLE.steps[0].title)


def first_question(teacher: Page, phones: Sequence[Page]) -> None:
    """The page hides its result until the reveal; then all see how the class did, and why."""
    bars = teacher.locator(".st-key-result_others .js-plotly-plot")
    button(teacher, "ask").click()
    for phone in phones:
        expect(phone.locator("#text")).to_have_text("Great, another boring superhero movie")
    expect(bars.first).to_have_css("visibility", "hidden")
    for phone, option in zip(phones, ("None", "All four", "All four", "Three"), strict=True):
        vote(phone, option)
    counted(phones)
    expect(teacher.locator(".st-key-player").get_by_text("4 of 4", exact=True)).to_be_visible()
    nothing_given_away(phones, "As shipped, all four say negative")
    button(teacher, "reveal").click()
    expect(teacher.locator(".st-key-player_counts").get_by_text("2 of 4")).to_be_visible()
    expect(bars.first).to_have_css("visibility", "visible")
    revealed(phones, "and right", "and wrong", "and wrong", "and wrong")
    shoot(phones[0], "class-lesson-phone")


def without_wifi(teacher: Page, phones: Sequence[Page], lost: Page, room: Room) -> None:
    """On the projector; a vote given without a network counts once when there is one again."""
    settle(teacher)
    teacher.get_by_role("button", name="Present", exact=True).click()
    expect(teacher.locator(".st-key-present_steps")).to_be_visible()
    expect(button(teacher, "notes")).to_have_count(0)
    answer = teacher.locator(".st-key-review_bar_answer").get_by_text("POSITIVE")
    expect(answer).to_have_css("visibility", "hidden")
    button(teacher, "ask").click()
    for phone in phones:
        expect(phone.locator("#vote")).to_be_visible()
    lost.context.set_offline(True)
    for phone in phones:
        vote(phone, "Positive" if phone is lost else "Negative")
    expect(lost.locator("#trouble")).to_contain_text("Your vote is kept here")
    counted([phone for phone in phones if phone is not lost])
    expect(teacher.locator(".st-key-player").get_by_text("3 of 4", exact=True)).to_be_visible()
    lost.context.set_offline(False)
    counted([lost])
    expect(lost.locator("#trouble")).to_be_hidden()
    expect(teacher.locator(".st-key-player").get_by_text("4 of 4", exact=True)).to_be_visible()
    button(teacher, "reveal").click()
    expect(answer).to_have_css("visibility", "visible")
    revealed(phones, "and right", *["and wrong"] * 3)
    asked = room.look().question
    expect(button(teacher, "reveal")).to_have_count(0)
    assert asked and [sum(v.choice == c for v in asked.votes.values()) for c in (0, 1)] == [1, 3]
    shoot(teacher, "class-lesson-projector")
    teacher.get_by_role("button", name="Leave").click()
    expect(teacher.locator(".st-key-present_steps")).to_have_count(0)


def the_quiz(teacher: Page, phones: Sequence[Page]) -> None:
    settle(teacher)
    question = PUZZLE.quiz[0]
    assert question.right is not None
    for phone in phones:
        expect(phone.locator("#score")).to_contain_text("2 questions")
    button(teacher, "ask").click()
    for phone in phones:
        expect(phone.locator("#prompt")).to_have_text(question.text)
        vote(phone, question.options[question.right])
    counted(phones)
    nothing_given_away(phones, question.reason)
    button(teacher, "reveal").click()
    revealed(phones, *["and right"] * 4)
    expect(phones[0].locator("#score")).to_have_text(re.compile("right on 3 of 3 questions"))
    expect(phones[1].locator("#score")).to_have_text(re.compile("right on 1 of 3 questions"))
    expect(teacher.get_by_text("The class was right in 6 of 12 votes")).to_be_visible()
    expect(button(teacher, "reveal")).to_have_count(0)
    button(teacher, "next_question").click()
    expect(teacher.get_by_text(PUZZLE.quiz[1].text)).to_be_visible()
    no_errors(teacher)


def the_end(teacher: Page, phones: Sequence[Page], room: Room) -> None:
    button(teacher, "end").click()
    for phone in phones:
        expect(phone.locator("#lesson")).to_be_hidden()
        assert phone.evaluate("document.documentElement.scrollWidth") <= 400
    teacher.get_by_role("link", name="Class").first.click()
    teacher.get_by_role("radio", name="Report").click()
    contents = teacher.locator(".st-key-result_report_contents")
    expect(contents.get_by_text("All four")).to_be_visible()
    expect(contents).to_contain_text(PUZZLE.quiz[0].text)
    state = room.look()
    assert state.lesson is None
    assert [len(asked.votes) for asked in state.questions.values()] == [4, 4, 4]
