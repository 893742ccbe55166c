"""The class hour for ``make shots``: a room of a dozen, a vote, its reveal, a board and a lesson,
on the projector, for the teacher and on a phone. ``python -m tests.browser.shots_of_class`` takes
these pictures alone.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bertsent.classroom.board import judge, offer, set_board
from bertsent.classroom.questions.sentence import sentence_question
from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.probing.baselines.shipped import FOUR, shipped_baselines
from bertsent.ui.probe.others_say_training import bert_classifier
from bertsent.ui.shared.live_answer import answer_of
from tests.browser.conftest import FLAGS, PATIENCE, Server
from tests.browser.shots import LOOKS, PRESENTER, file_of, picture

STUDENTS = "Amina Ben Chiara Deniz Elif Farid Greta Hamza Ida Jonas Kaito Lena".split()
REVIEW = "Great, another boring movie"
VOTES = ((0, 0.9), (1, 0.8), (0, 1.0), (0, 0.7), (1, 0.6), (0, 0.8), (1, 0.9), (0, 0.6), (0, 0.9))
BOARD = (  # what fools the built-in model comes onto the board, the rest is a try
    ("Two hours I will happily describe to my therapist.", 0),
    ("I went in expecting a disaster and came out ashamed of myself.", 1),
    ("Killer film, it left me dead.", 1),
    ("I could not sleep for a week, exactly as advertised.", 1),
    ("A brilliant poster, and then the film.", 0),
    ("The best thing about it is the exit.", 0),
    ("A perfect cure for insomnia.", 0),
)
VOTE, WALL, STEP = "Class?class=Vote", "Class?class=Board", "Lessons?lesson=the-puzzle&step=2"


def shoot_class(browser: Browser, server: Server) -> None:
    """Photograph the hour; the room is in ``BERTSENT_HOME``, which is the server's."""
    room = open_room("Year 11, film reviews")
    for name in STUDENTS[1:]:
        room.join(name, name)
    phone = browser.new_context(**LOOKS["-phone"]).new_page()
    phone.set_default_timeout(PATIENCE)
    phone.goto(f"{server.address}/room/{room.code}")
    phone.get_by_label("Nickname").fill(STUDENTS[0])
    phone.get_by_role("button", name="Join").click()
    phone.get_by_role("heading", name="You are in").wait_for()
    _teacher(browser, server, {"class": "Class"}, "", PRESENTER)
    _vote(browser, server, room, phone)
    _board(browser, server, room, phone)
    _teacher(browser, server, {"lessons": "Lessons"}, "", "-dark", "-phone")
    _teacher(browser, server, {"lessons-step": STEP}, "", PRESENTER)
    phone.context.close()


def _vote(browser: Browser, server: Server, room: Room, phone: Page) -> None:
    shipped = shipped_baselines("imdb")
    classifiers = [*(shipped[name] for name in FOUR), bert_classifier("builtin")]
    question = room.ask(sentence_question(REVIEW, classifiers, 600, truth=0))
    for name, (choice, sure) in zip(STUDENTS[1:], VOTES, strict=False):
        room.vote(name, question, choice, sure)
    phone.get_by_role("radio", name="POSITIVE").check()
    phone.get_by_role("radio", name="80", exact=True).check()
    _phone(phone, "phone-vote")
    phone.get_by_role("button", name="Vote").click()
    _teacher(browser, server, {"class-vote": VOTE}, "", PRESENTER)
    room.reveal(question, 1 + len(classifiers))
    _phone(phone, "phone-reveal", full=True)
    _teacher(browser, server, {"class-reveal": VOTE}, *LOOKS)


def _board(browser: Browser, server: Server, room: Room, phone: Page) -> None:
    set_board(room, "builtin")
    for place, (text, label) in enumerate(BOARD):
        author, other = STUDENTS[place + 1], STUDENTS[place + 2]
        entry = offer(room, author, text, label, answer_of).entry
        if entry is not None and place != 3:  # one waits to be judged
            judge(room, other, entry.id, label)
    phone.wait_for_timeout(2_500)
    phone.locator("#board").evaluate("board => board.scrollIntoView()")
    _phone(phone, "phone-board")
    _teacher(browser, server, {"class-board": WALL}, "", "-dark", PRESENTER)


def _teacher(browser: Browser, server: Server, pages: dict[str, str], *looks: str) -> None:
    for ending in looks:
        page = browser.new_context(**LOOKS[ending]).new_page()
        page.set_default_timeout(PATIENCE)
        for name, path in pages.items():
            picture(page, server, path, f"{name}{ending}", present=ending == PRESENTER)
        page.context.close()


def _phone(phone: Page, name: str, *, full: bool = False) -> None:
    phone.wait_for_timeout(2_500)
    phone.screenshot(path=file_of(name), full_page=full)


def main() -> int:
    """Take the pictures with a lab of their own."""
    chromium = shutil.which("chromium")
    if not chromium:
        print("Chromium is not installed (Debian: apt-get install chromium)", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(os.environ.setdefault("BERTSENT_HOME", scratch)), warmed=True)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                shoot_class(browser, server)
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
