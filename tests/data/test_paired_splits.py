"""Two training sets that differ in nothing but the chosen rows, judged on the same reviews."""

from collections import Counter

import pandas as pd
import pytest

from bertsent.data.examples import Example, Reviews, Splits
from bertsent.data.paired_splits import (
    HANDCRAFTED,
    ROWS,
    SARCASM,
    TOY_BATCH,
    chosen_rows,
    held_out,
    paired_splits,
    toy,
)
from bertsent.data.sources import contrastive_reviews
from bertsent.data.splits import duplicate_key, imdb_recipe, split, with_rows
from bertsent.errors import BadInput


def texts(reviews):
    return Counter(e.text for e in reviews)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("times", [1, 10, 50])
@pytest.mark.parametrize("source", ["toy", "builtin"])
def test_the_arms_differ_in_exactly_the_chosen_rows(source, times, rows):
    twins = paired_splits(source, rows, times)
    without, having = texts(twins.without.train), texts(twins.having.train)
    assert having - without == Counter({e.text: times for e in chosen_rows(rows)})
    assert not without - having
    assert twins.having.validation == twins.without.validation
    assert len({e.id for e in twins.having.train}) == len(twins.having.train), (
        "each copy has a name of its own"
    )
    assert twins.share == pytest.approx(times * len(twins.rows) / len(twins.having.train))


def test_labels_and_everything_else_of_the_common_rows_are_the_same():
    twins = paired_splits("toy", HANDCRAFTED, 7)
    chosen = {e.text for e in contrastive_reviews()}
    assert (
        tuple(e for e in twins.having.train if e.text not in chosen) == twins.without.train.examples
    )


def test_the_toy_has_the_sizes_of_the_published_figures():
    twins = paired_splits("toy", HANDCRAFTED, 7)
    assert Counter(twins.without.train.labels) == {0: 28, 1: 28}
    assert len(twins.without.train) / TOY_BATCH == 8 and len(twins.having.train) / TOY_BATCH == 16
    assert Counter(twins.without.validation.labels) == {0: 8, 1: 7}, "as in the published report B"
    assert {(e.phenomenon, e.pair) for e in toy()} == {("plain", "")}


def test_no_sarcasm_row_of_training_is_left_in_the_arm_without_and_validation_keeps_its_own():
    twins = paired_splits("builtin", SARCASM)
    assert not any(e.phenomenon == "sarcasm" or e.contrastive for e in twins.without.train)
    assert any(e.phenomenon == "sarcasm" for e in twins.without.validation)


def test_the_recipe_is_split_before_the_rows_come_in():
    imdb = pd.DataFrame(
        {"text": [f"review {n}" for n in range(6_000)], "label": [n % 2 for n in range(6_000)]}
    )
    recipe = imdb_recipe(imdb, ())
    twins = paired_splits(recipe, HANDCRAFTED, 10)
    assert twins.without == split(recipe)
    assert (len(twins.without.train), len(twins.having.train), len(twins.having.validation)) == (
        4_000,
        4_080,
        1_000,
    )


def test_rows_that_the_source_holds_already_are_taken_out_of_both_halves_first():
    own = [Example(f"r{n}", f"review {n}", n % 2) for n in range(60)]
    held = [Example(f"h{n}", e.text.upper(), e.label) for n, e in enumerate(contrastive_reviews())]
    twins = paired_splits(Reviews("mine", (*own, *held)), HANDCRAFTED, 1)
    known = {duplicate_key(e.text) for e in contrastive_reviews()}
    for half in (twins.without.train, twins.without.validation, twins.having.validation):
        assert not known & {duplicate_key(e.text) for e in half}


def test_the_test_reviews_are_in_neither_arm():
    twins = paired_splits("builtin", SARCASM)
    unseen = held_out(twins.having)
    assert len(unseen) > 1_000 and {e.split for e in unseen} == {"test"}
    known = {
        duplicate_key(e.text)
        for half in (twins.having.train, twins.having.validation)
        for e in half
    }
    assert not known & {duplicate_key(e.text) for e in unseen}


def test_copies_of_a_pair_are_pairs_of_their_own():
    pair = [Example(f"p-{n}", f"side {n}", n, pair="p") for n in (0, 1)]
    halves = Splits(Reviews("x", (Example("a", "a", 1),)), Reviews("x", (Example("b", "b", 0),)))
    train = with_rows(halves, pair, 3).train
    assert Counter(e.pair for e in train) == {"p": 2, "p~2": 2, "p~3": 2, "": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times": 0}, "cannot be repeated 0 times"),
        ({"times": 1_001}, "cannot be repeated 1001 times"),
        ({"rows": "irony"}, "no contrastive reviews “irony”"),
        (
            {"source": Reviews("few", tuple(Example(f"r{n}", f"r {n}", n % 2) for n in range(8)))},
            "only 4 reviews of one class",
        ),
    ],
)
def test_impossible_choices_are_refused(change, said):
    with pytest.raises(BadInput, match=said):
        paired_splits(**{"source": "toy", "rows": HANDCRAFTED, "times": 1, **change})


def test_a_row_of_the_validation_reviews_cannot_be_trained_on():
    halves = Splits(
        Reviews("x", (Example("a", "a", 1),)), Reviews("x", (Example("b", "The  same", 0),))
    )
    with pytest.raises(BadInput, match="already contains some of the contrastive reviews"):
        with_rows(halves, [Example("c", "the same", 0)], 1)
    with pytest.raises(BadInput, match="no contrastive reviews to add"):
        with_rows(halves, [], 1)
