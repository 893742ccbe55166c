"""Reviews are values: equal hashes for equal work, and whole again after a round trip through a
file.
"""

import dataclasses

import pytest

from bertsent.data.examples import (
    COLUMNS,
    FURTHER,
    LABELS,
    NEGATIVE,
    POSITIVE,
    Example,
    Reviews,
    Splits,
    from_frame,
)
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, SIMILARITY

ROWS = (
    Example("a", "Bad <br /> film", 0, "plain", "p1", "train", True),
    Example("b", "Good, “film”\n😀", 1),
    Example("c", "Who knows", None),
)


def test_labels_stand_at_their_ids():
    assert (LABELS[NEGATIVE], LABELS[POSITIVE]) == ("NEGATIVE", "POSITIVE")


def test_reviews_are_a_sequence_that_cannot_be_changed():
    reviews = Reviews("three", ROWS)
    assert len(reviews) == 3 and list(reviews) == list(ROWS)
    assert reviews.texts == [e.text for e in ROWS] and reviews.labels == [0, 1, None]
    with pytest.raises(dataclasses.FrozenInstanceError):
        reviews.name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        ROWS[0].label = 1


def test_where_and_take_keep_the_name():
    reviews = Reviews("three", ROWS)
    assert reviews.where([True, False, True]) == Reviews("three", (ROWS[0], ROWS[2]))
    assert reviews.take([2, 0]) == Reviews("three", (ROWS[2], ROWS[0]))
    with pytest.raises(ValueError, match="shorter|argument 2"):
        reviews.where([True])


def test_the_hash_follows_ids_texts_labels_and_order_and_nothing_else():
    base = Reviews("x", ROWS).sha256
    assert base == Reviews("other name", ROWS).sha256
    assert (
        base
        == Reviews(
            "x", (dataclasses.replace(ROWS[0], phenomenon="other", pair=""), *ROWS[1:])
        ).sha256
    )
    changed = [
        (ROWS[1], ROWS[0], ROWS[2]),
        ROWS[:2],
        *(
            (dataclasses.replace(ROWS[0], **change), *ROWS[1:])
            for change in ({"id": "z"}, {"text": "Bad"}, {"label": 1}, {"label": None})
        ),
        (dataclasses.replace(ROWS[0], id='a", "Bad'), *ROWS[1:]),
    ]
    assert len({base, *(Reviews("x", rows).sha256 for rows in changed)}) == len(changed) + 1


def test_a_frame_gives_the_same_reviews_back():
    reviews = Reviews("three", ROWS)
    assert from_frame("three", reviews.frame()) == reviews
    assert Reviews("none", ()).frame().columns.tolist() == [*COLUMNS[: -len(FURTHER)]]


@pytest.mark.parametrize(
    ("task", "rows"),
    [
        (FEELINGS, [Example("a", "Oh", scores=(1.0, 0.0, *9 * [0.0]))]),
        (SIMILARITY, [Example("a", "One cat", second="A cat", scores=(4.6,))]),
        (ASPECTS, [Example("a", "Good soup", 2, second="soup"), Example("b", "Soup", 1)]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_reviews_of_other_tasks_come_back_from_their_file(tmp_path, task, rows):
    reviews = Reviews("set", tuple(rows), task=task)
    Splits(reviews, reviews).save(tmp_path / "reviews.parquet")
    found = Splits.load(tmp_path / "reviews.parquet", "set", task=task)
    assert found.train == reviews and found.sha256 == Splits(reviews, reviews).sha256


def test_what_a_model_reads_and_what_is_true():
    soup = Reviews("soup", (Example("a", "Good soup", 2, second="soup"),), task=ASPECTS)
    assert soup.inputs == [("soup", "Good soup")] and soup.targets == [2]
    cats = Reviews("cats", (Example("a", "One", second="Two", scores=(1.5,)),), task=SIMILARITY)
    assert cats.inputs == [("One", "Two")] and cats.targets == [1.5]
    assert cats.sha256 != Reviews("cats", (Example("a", "One", second="Two"),)).sha256


def test_splits_come_back_from_their_file_as_they_were(tmp_path):
    splits = Splits(
        Reviews("set", ROWS[:2]),
        Reviews("set", (Example("d", "Better", 1), Example("e", "Worse", 0))),
    )
    splits.save(tmp_path / "data.parquet")
    again = Splits.load(tmp_path / "data.parquet", "set")
    assert again == splits and again.sha256 == splits.sha256
    assert all(
        type(e.label) is int and type(e.contrastive) is bool
        for half in (again.train, again.validation)
        for e in half
    )
    assert splits.sha256 != Splits(splits.validation, splits.train).sha256


def test_the_text_of_an_example_is_clean_and_says_what_was_removed(tmp_path):
    """Models read ``<br /><br />`` that nobody saw: P(positive) moved by more than five points in
    one IMDb review of ten.
    """
    raw = Example("a", "Great.<br /><br />Tom &amp; Jerry", 1)
    assert raw.text == "Great. Tom & Jerry"
    assert raw.removed == {"HTML tag": 2, "HTML entity": 1}
    clean = Example("a", "Great. Tom & Jerry", 1)
    assert raw == clean and clean.removed == {}
    reviews = Reviews("one", (raw,))
    Splits(reviews, reviews).save(tmp_path / "splits.parquet")
    assert Splits.load(tmp_path / "splits.parquet", "one").train.examples == (clean,)
