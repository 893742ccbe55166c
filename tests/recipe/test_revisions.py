"""Revisions turn the review they were written for and no other, and hold no words of it."""

import re
from collections import Counter

import pandas as pd
import pytest

from bertsent.data.cleaning import clean_text
from bertsent.recipe.datasets import HELD_OUT_FOLD
from bertsent.recipe.revisions import (
    DENSE,
    HURRIED,
    SPARSE,
    Revision,
    load_revisions,
    mark_of,
    revised_pairs,
)
from bertsent.settings import PROJECT

TEXT = "A dull film.<br />I was never bored, not once."
IMDB = PROJECT.parent / "shared" / "data" / "imdb_train.parquet"


def test_a_revision_by_hand():
    never, end = TEXT.index("never"), TEXT.index(", not once")
    revision = Revision(
        "a",
        mark_of(TEXT),
        ((2, 6, "gripping"), (never, never + 5, "always"), (end, len(TEXT) - 1, "")),
    )
    assert revision.of(TEXT) == "A gripping film.<br />I was always bored."
    assert revision.of(TEXT + " ") is None, "another text is not edited"


def test_a_shortened_pair_by_hand(monkeypatch):
    monkeypatch.setattr("bertsent.recipe.revisions.KEPT", (0.0,))
    text = "It rained. The acting is fine. We had soup. I would go again! Bye"
    fine, go = text.index("fine"), text.index("go again")
    revision = Revision(
        "a",
        mark_of(text),
        (
            (fine, fine + 4, "poor"),
            (go, go + 8, "sooner stay in"),
            (len(text), len(text), ", never again"),
        ),
    )
    assert revision.shortened(text) == (
        "The acting is fine. I would go again! Bye",
        "The acting is poor. I would sooner stay in! Bye, never again",
    )
    assert revision.shortened(text + " ") is None, "another text is not edited"


def test_an_edit_over_the_end_of_a_sentence_keeps_both(monkeypatch):
    monkeypatch.setattr("bertsent.recipe.revisions.KEPT", (0.0,))
    text = "Nothing here. So good. So very good. Nothing there."
    revision = Revision(
        "a", mark_of(text), ((text.index("good. So"), text.index(" very"), "bad,"),)
    )
    assert revision.shortened(text) == ("So good. So very good. ", "So bad, very good. ")


@pytest.mark.parametrize("id", ["a", "b", "c", "d"])
def test_nothing_that_differs_is_left_out_and_nothing_is_added(id):
    text = " ".join(f"Sentence {number} is dull." for number in range(20))
    edits = tuple(
        (found.start(), found.end(), "gripping") for found in list(re.finditer("dull", text))[::5]
    )
    before, after = Revision(id, mark_of(text), edits).shortened(text)
    sides = zip(*(re.findall(r"Sentence[^.]+\.", side) for side in (before, after)), strict=True)
    assert [(a, b) for a, b in sides if a != b] == [
        (f"Sentence {n} is dull.", f"Sentence {n} is gripping.") for n in (0, 5, 10, 15)
    ]
    assert set(before.split(". ")) <= set(text.split(". ")) | {""}
    assert Revision(id, mark_of(text), edits).shortened(text) == (before, after), (
        "the same each time"
    )


def test_pairs_have_both_labels_and_only_known_originals():
    table = pd.DataFrame(
        {"id": ["a", "b", "c"], "text": [TEXT, "other", "changed since"], "label": [0, 1, 1]}
    )
    revisions = [
        Revision("a", mark_of(TEXT), ((2, 6, "fine"),)),
        Revision("c", mark_of("before"), ()),
        Revision("z", "", ()),
    ]
    first, second = revised_pairs(table, revisions)
    assert (first.text, first.label, second.label) == (
        clean_text(TEXT),
        0,
        1,
    ) and second.text.startswith("A fine film")
    assert first.pair == second.pair and first.id != second.id


@pytest.mark.parametrize("file", [DENSE, SPARSE, HURRIED], ids=lambda file: file.stem)
def test_the_file_is_whole(file):
    revisions = load_revisions(file)
    assert len(revisions) > 800 and len({revision.id for revision in revisions}) == len(revisions)
    for revision in revisions:
        assert revision.edits and all(start <= end for start, end, _ in revision.edits)
        assert all(
            end <= start
            for (_, end, _), (start, _, _) in zip(revision.edits, revision.edits[1:], strict=False)
        ), revision.id
        assert "<" not in "".join(words for *_, words in revision.edits)


def test_no_review_is_turned_twice():
    turned = Counter(
        revision.id for file in (DENSE, SPARSE, HURRIED) for revision in load_revisions(file)
    )
    assert max(turned.values()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not IMDB.is_file(), reason="the public reviews are not here")
@pytest.mark.parametrize(
    ("file", "least"),
    [(DENSE, 0.45), (SPARSE, 0.4), (HURRIED, 0.45)],
    ids=["imdb", "sparse", "hurried"],
)
def test_every_revision_fits_its_review_and_copies_nothing_of_it(file, least):
    table = pd.read_parquet(IMDB)
    revisions = load_revisions(file)
    learned = table[(table["fold"] != HELD_OUT_FOLD) & (table["cf_split"] != "dev")]
    pairs = revised_pairs(learned, revisions)
    assert len(pairs) == 2 * len(revisions), "each belongs to a review that may be learned from"
    labels = Counter(pair.label for pair in pairs[1::2])
    assert min(labels.values()) > least * len(revisions)
    texts = dict(zip(table["id"], table["text"], strict=True))
    copied = [r.id for r in revisions for *_, words in r.edits if grams(words) & grams(texts[r.id])]
    assert len(copied) <= 0.01 * len(revisions), copied[:5]


@pytest.mark.skipif(not IMDB.is_file(), reason="the public reviews are not here")
@pytest.mark.parametrize(
    ("file", "one_in"), [(DENSE, 5), (SPARSE, 7), (HURRIED, 10)], ids=["imdb", "sparse", "hurried"]
)
def test_the_readme_says_how_much_is_new(file, one_in):
    texts = pd.read_parquet(IMDB).set_index("id")["text"].to_dict()
    revisions = load_revisions(file)
    new = sum(len(words.split()) for revision in revisions for *_, words in revision.edits)
    assert (
        round(sum(len(revision.of(texts[revision.id]).split()) for revision in revisions) / new)
        == one_in
    )


def test_the_readme_counts_what_is_in_the_files():
    dense, sparse, hurried = (len(load_revisions(file)) for file in (DENSE, SPARSE, HURRIED))
    assert f"There are {dense:,}, {sparse:,} and {hurried:,}" in (
        DENSE.parent / "README.md"
    ).read_text(encoding="utf-8")


def grams(text: str, size: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}
