"""Two halves: no review in both, the same ones every time, nothing in both that gives it away."""

import random

import pytest

from bertsent.classroom.board_halves import NEEDED, halves_of
from bertsent.classroom.board_state import BoardEntry
from bertsent.errors import BadInput

WORDS = "plot cast film song joke end start score light pace tone wit".split()


def entry(n: int, member: str = "", label: int | None = None, text: str = "") -> BoardEntry:
    text = text or f"{WORDS[n % 12]} {n} {WORDS[n // 12]} {n * n} {n + 7}"
    return BoardEntry(
        f"e{n}", member or f"m{n}", text, n % 2 if label is None else label, 0.5, "m", float(n)
    )


@pytest.mark.parametrize("count", [6, 7, 20, 61])
@pytest.mark.parametrize("seed", [0, 42])
def test_every_review_is_in_one_half_and_labels_are_alike(count, seed):
    entries = [entry(n) for n in range(count)]
    halves = halves_of(entries, seed)
    learned, held_out = ({e.id for e in half} for half in (halves.learned, halves.held_out))
    assert not learned & held_out and learned | held_out == {e.id for e in entries}
    assert halves.kept == "author"
    for label in (0, 1):
        first, second = (
            sum(e.label == label for e in half) for half in (halves.learned, halves.held_out)
        )
        assert abs(first - second) <= 1


def test_equal_reviews_give_equal_halves_in_any_order_and_other_seeds_others():
    entries = [entry(n) for n in range(30)]
    mixed = random.Random(0).sample(entries, 30)
    assert halves_of(entries, 42) == halves_of(mixed, 42) != halves_of(entries, 43)


def test_what_one_author_wrote_stays_together():
    entries = [entry(n, f"author {n % 7}") for n in range(28)]
    halves = halves_of(entries, 42)
    first, second = ({e.member for e in half} for half in (halves.learned, halves.held_out))
    assert halves.kept == "author" and not first & second
    assert min(len(halves.learned), len(halves.held_out)) >= 28 / 3


def test_one_author_who_wrote_nearly_all_is_parted_but_not_a_trick():
    pairs = [f"oh {a} {b} how very {n} of you" for n, a in enumerate(WORDS[:6]) for b in ("a", "b")]
    entries = [entry(n, "ann", n % 2, text) for n, text in enumerate(pairs)]
    halves = halves_of(entries, 42)
    assert halves.kept == "wording"
    first, second = (
        {e.text.split()[1] for e in half} for half in (halves.learned, halves.held_out)
    )
    assert not first & second


def test_reviews_that_all_differ_in_a_word_are_drawn_one_by_one():
    entries = [entry(n, "ann", 0, f"what a {word} this was") for n, word in enumerate(WORDS)]
    halves = halves_of(entries, 42)
    assert halves.kept == "nothing" and len(halves.learned) == len(halves.held_out) == 6


@pytest.mark.parametrize("count", range(NEEDED))
def test_too_few_are_refused_with_how_many_are_missing(count):
    with pytest.raises(BadInput, match=f"confirm {NEEDED - count} more"):
        halves_of([entry(n) for n in range(count)], 42)


def test_reviews_of_one_label_are_halved():
    halves = halves_of([entry(n, label=1) for n in range(9)], 42)
    assert abs(len(halves.learned) - len(halves.held_out)) == 1
