"""The board: who may offer and judge what, and what it is worth."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from bertsent.classroom import board as rules
from bertsent.classroom.board import drop, is_small_edit, judge, offer, set_board
from bertsent.classroom.board_state import BoardEntry, BoardState
from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.data.examples import NEGATIVE, POSITIVE
from bertsent.data.sources import load_reviews
from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable

ANN, BO, CY, DI = "ann", "bo", "cy", "di"
IRONY = "Oh good, two more hours of this"


def says(p_positive: float, label: str = "POSITIVE"):
    """A model with one answer to everything, as the registry's models give it."""
    return lambda name, text: SimpleNamespace(p_positive=p_positive, label=label)


@pytest.fixture
def room(lab, monkeypatch):
    monkeypatch.setattr(rules, "PAUSE", 0.0)
    room = open_room("Year 11")
    for visitor in (ANN, BO, CY, DI):
        room.join(visitor, visitor)
    set_board(room, "builtin")
    return room


def offered(room, text=IRONY, p_positive=0.97, label=NEGATIVE, visitor=ANN):
    return offer(room, visitor, text, label, says(p_positive)).entry


def board(room):
    return room.look().board


def test_points_are_the_probability_of_the_wrong_label_once_somebody_confirms(room):
    negative = offered(room, p_positive=0.974)
    positive = offered(room, "Not a dull minute in it", p_positive=0.2, label=POSITIVE, visitor=BO)
    assert [e.points for e in (negative, positive)] == [0, 0]
    judge(room, BO, negative.id, NEGATIVE)
    judge(room, ANN, positive.id, POSITIVE)
    assert [e.points for e in board(room).entries.values()] == [97, 80]
    offered(room, "Words fail me, as they failed the writers", p_positive=0.6)
    ranking = [(r.place, r.points, r.confirmed, r.waiting, r.tries) for r in board(room).ranking()]
    assert ranking == [(1, 97, 1, 1, 2), (2, 80, 1, 0, 1)]


def test_equal_points_share_a_place(room):
    for visitor, text in ((ANN, IRONY), (BO, "My dentist was better company"), (CY, "What a way")):
        entry = offered(room, text, 0.9, visitor=visitor)
        if visitor != CY:
            judge(room, DI, entry.id, NEGATIVE)
    assert [rank.place for rank in board(room).ranking()] == [1, 1, 3]


def test_only_a_model_that_is_surely_wrong_is_fooled(room):
    set_board(room, "builtin", 0.8)
    for p, fooled in ((0.3, False), (0.8, False), (0.81, True)):
        found = offer(room, ANN, f"{IRONY} at {100 * p:.0f}" + " and on" * int(10 * p), 0, says(p))
        assert (found.entry is not None) == fooled
        assert found.p_wrong == p
    assert len(board(room).entries) == 1
    assert board(room).tries[room.member(ANN)].count == 3


def test_the_text_of_a_miss_is_not_kept(room):
    offer(room, ANN, IRONY, NEGATIVE, says(0.1))
    assert IRONY.encode() not in room.log.path.read_bytes()


def test_the_author_cannot_confirm_and_nobody_judges_twice(room):
    entry = offered(room)
    with pytest.raises(NotAllowed, match="You wrote this"):
        judge(room, ANN, entry.id, NEGATIVE)
    for _ in range(3):  # the same one sent again
        judge(room, BO, entry.id, NEGATIVE)
    with pytest.raises(NotAllowed, match="already"):
        judge(room, BO, entry.id, POSITIVE)
    with pytest.raises(NotAllowed, match="not in this room"):
        judge(room, "a stranger", entry.id, NEGATIVE)
    assert board(room).entries[entry.id].confirmations == 1


@pytest.mark.parametrize("against", [POSITIVE, None])
def test_two_who_contradict_make_a_label_disputed(room, against):
    entry = offered(room)
    judge(room, BO, entry.id, NEGATIVE)
    judge(room, CY, entry.id, against)
    assert board(room).entries[entry.id].standing == "confirmed"
    judge(room, DI, entry.id, against)
    found = board(room).entries[entry.id]
    assert (found.standing, found.points) == ("disputed", 0)


def test_a_dropped_review_counts_for_nothing(room):
    entry = offered(room)
    judge(room, BO, entry.id, NEGATIVE)
    drop(room, entry.id)
    assert board(room).entries[entry.id].points == 0 and not board(room).confirmed
    for act in (lambda: drop(room, entry.id), lambda: judge(room, CY, entry.id, NEGATIVE)):
        with pytest.raises(NotAvailable, match="gone"):
            act()


def test_each_is_given_what_others_wrote_and_nobody_judged_the_least_first(room):
    first = offered(room)
    second = offered(room, "My dentist was better company", visitor=BO)
    judge(room, DI, first.id, None)
    assert [e.id for e in board(room).to_judge(room.member(CY))] == [second.id, first.id]
    assert [e.id for e in board(room).to_judge(room.member(DI))] == [second.id]
    assert [e.id for e in board(room).to_judge(room.member(ANN))] == [second.id]


def test_sent_again_by_a_phone_without_wifi_counts_once(room):
    assert offered(room) == offered(room)
    assert len(board(room).entries) == 1


@pytest.mark.parametrize(
    ("text", "label", "visitor", "said"),
    [
        (f"  {IRONY.upper()} ...", NEGATIVE, ANN, "You have offered this review"),
        (IRONY, POSITIVE, ANN, "You have offered this review"),
        (IRONY, NEGATIVE, BO, "Somebody has offered this review"),
        ("Oh good, three more hours of this", NEGATIVE, ANN, "You have offered nearly the same"),
        (f"{IRONY} film", NEGATIVE, BO, "Somebody has offered nearly the same"),
        ("Oh good, two more hours", NEGATIVE, ANN, None),  # two words less
        ("Oh good, three more hours of this", POSITIVE, ANN, None),  # a minimal pair
    ],
)
def test_what_is_there_already_is_refused(room, text, label, visitor, said):
    offered(room)
    ask = says(0.9 if label == NEGATIVE else 0.1)
    if said is None:
        offer(room, visitor, text, label, ask)
        assert len(board(room).entries) == 2
        return
    with pytest.raises(BadInput, match=said):
        offer(room, visitor, text, label, ask)


@pytest.mark.parametrize(
    ("one", "other", "small"),
    [
        ("a b c", "a b c", True),
        ("a b c", "a x c", True),
        ("a b c", "b c", True),
        ("a b c", "a b", True),
        ("a b c", "a c b", False),
        ("a b c", "a b c d e", False),
        ("a b c", "x y c", False),
    ],
)
def test_a_small_edit_is_one_word(one, other, small):
    assert is_small_edit(one.split(), other.split()) == small
    assert is_small_edit(other.split(), one.split()) == small


@pytest.mark.parametrize(
    ("text", "label", "said"),
    [
        ("", 0, "at least 3 words"),
        ("so ... bad !!!", 0, "at least 3 words"),
        ("word " * 2_000, 0, "at most"),
        ("x" * 1_000_000, 0, "at most"),
        (load_reviews("builtin").texts[100].upper(), 0, "built-in review"),
        (IRONY, 2, "no label"),
    ],
)
def test_what_is_no_review_is_refused(room, text, label, said):
    with pytest.raises(BadInput, match=said):
        offer(room, ANN, text, label, says(0.9))


def test_a_text_that_no_file_can_hold_is_cleaned(room):
    entry = offered(room, f"{IRONY} \ud800\u202e<b>&amp;\x00")
    assert Room(room.folder).look().board.entries[entry.id].text == f"{IRONY} <b>&"


def test_what_the_model_cannot_read_fools_nobody(room):
    with pytest.raises(BadInput, match="knows no word"):
        offer(room, ANN, "这 是 什 么", POSITIVE, says(0.1, "UNDECIDED"))


def test_a_member_and_a_room_have_bounds(room, monkeypatch):
    monkeypatch.setattr(rules, "ENTRIES_EACH", 1)
    offered(room)
    with pytest.raises(Busy, match="You have 1"):
        offered(room, "My dentist was better company")
    monkeypatch.setattr(rules, "ENTRIES", 1)
    with pytest.raises(Busy, match="full"):
        offered(room, "My dentist was better company", visitor=BO)
    monkeypatch.setattr(rules, "TRIES_EACH", 1)
    with pytest.raises(Busy, match="You have sent 1"):
        offered(room, "My dentist was better company")
    monkeypatch.setattr(rules, "PAUSE", 60.0)
    with pytest.raises(Busy, match="quick"):
        offered(room, "My dentist was better company")


def test_a_closed_board_takes_no_reviews_and_still_lets_judge(room):
    entry = offered(room)
    set_board(room, "builtin", taking=False)
    with pytest.raises(NotAvailable, match="takes no reviews"):
        offered(room, "My dentist was better company")
    assert judge(room, BO, entry.id, NEGATIVE).standing == "confirmed"
    with pytest.raises(NotAllowed, match="not in this room"):
        offered(room, visitor="a stranger")


def test_another_model_has_a_board_of_its_own(room):
    entry = offered(room)
    judge(room, BO, entry.id, NEGATIVE)
    set_board(room, "amber-otter/step-10")
    assert not board(room).confirmed and board(room).ranking()[0].points == 0
    offered(room)  # the same sentence may be tried on it
    set_board(room, "builtin")
    assert [e.id for e in board(room).confirmed] == [entry.id]


def test_the_model_is_asked_once_and_by_the_name_on_the_board(room):
    asked = []

    def ask(name, text):
        asked.append((name, text))
        return says(0.9)(name, text)

    offer(room, ANN, IRONY, NEGATIVE, ask)
    offer(room, ANN, IRONY, NEGATIVE, ask)
    assert asked == [("builtin", IRONY)]


@pytest.mark.parametrize("threshold", [0.4, 0.99, float("nan")])
def test_a_threshold_is_a_probability_of_a_mistake(room, threshold):
    with pytest.raises(BadInput, match="threshold"):
        set_board(room, "builtin", threshold)


OFFERS = """
import sys
from types import SimpleNamespace
from bertsent.classroom import board
from bertsent.classroom.rooms import find_room
board.PAUSE = 0.0
room = find_room(sys.argv[1])
for n in range(15):
    text = f"the {n} film that {n} people {n} never {n} saw {n}"
    try:
        board.offer(room, sys.argv[2], text, 0, lambda *_: SimpleNamespace(p_positive=.9, label=""))
    except board.BadInput:
        pass
"""


def test_two_processes_offer_the_same_and_each_review_is_there_once(room):
    workers = [
        subprocess.Popen([sys.executable, "-c", OFFERS, room.code, who], env=dict(os.environ))
        for who in (ANN, BO)
    ]
    assert [worker.wait() for worker in workers] == [0, 0]
    entries = board(room).entries.values()
    assert len(entries) == len({entry.text for entry in entries}) == 15
    assert [entry.id for entry in entries] == [f"e{n}" for n in range(1, 16)]


def test_a_class_does_not_judge_the_oldest_thirty_times():
    """With all phones beginning at the oldest, twenty reviews waited for the class to come by."""
    entries = {
        f"e{n}": BoardEntry(f"e{n}", "ann", f"text {n}", 0, 0.9, "m", float(n)) for n in range(20)
    }
    state = BoardState("m", entries=entries)
    given = [[e.id for e in state.to_judge(f"member {n}")] for n in range(30)]
    assert len({names[0] for names in given}) > 10
    assert all(sorted(names) == sorted(entries) for names in given)
