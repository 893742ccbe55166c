"""The published recipe row for row, halves that share nothing, and contrastive rows in the share
that was asked for.
"""

import random
import re
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import contrastive_reviews
from bertsent.data.splits import (
    check_trainable,
    duplicate_key,
    imdb_recipe,
    mix_contrastive,
    split,
)
from bertsent.errors import BadInput

ORDERS = {
    "ours": None,
    "negative first": [0, 0, 0, 0, 1, 1, 1, 1],
    "positive first": [1, 1, 1, 1, 0, 0, 0, 0],
    "alternating, negative first": [0, 1] * 4,
    "alternating, positive first": [1, 0] * 4,
}


@pytest.fixture(scope="module")
def imdb():
    """A stand-in for the IMDb training table in its own order: 12,500 negative, then 12,500
    positive reviews.
    """
    return pd.DataFrame(
        {
            "text": [f"stand-in review {n}" for n in range(25_000)],
            "label": [0] * 12_500 + [1] * 12_500,
        }
    )


def handcrafted(order):
    if order is None:
        return contrastive_reviews()
    return tuple(
        Example(f"handcrafted-{n}", f"contrastive {n}", label, contrastive=True)
        for n, label in enumerate(order, start=1)
    )


def published(imdb, custom):
    """The code of the published recipe (rows 000-06 to 000-08), word for word but for loading the
    table.
    """
    df = imdb.copy()
    pos = df[df["label"] == 1].sample(2500, random_state=42)
    neg = df[df["label"] == 0].sample(2500, random_state=42)
    df_balanced = pd.concat([pos, neg], ignore_index=True)
    df_balanced["sentiment"] = df_balanced["label"]
    df_custom = pd.DataFrame(
        {"text": [e.text for e in custom], "sentiment": [e.label for e in custom]}
    )
    df_total = pd.concat([df_custom, df_balanced], ignore_index=True)
    return train_test_split(
        df_total, test_size=0.2, stratify=df_total["sentiment"], random_state=42
    )


def numbered(labels, **fields):
    return Reviews(
        "set",
        tuple(Example(f"r{n}", f"review {n}", label, **fields) for n, label in enumerate(labels)),
    )


# The recipe


@pytest.mark.parametrize("order", ORDERS)
def test_the_recipe_equals_the_published_code_row_for_row(imdb, order):
    custom = handcrafted(ORDERS[order])
    reviews = imdb_recipe(imdb, custom)
    assert len(reviews) == 5_008 and reviews.examples[:8] == custom
    halves = split(reviews)
    for half, rows in zip((halves.train, halves.validation), published(imdb, custom), strict=True):
        assert half.texts == rows["text"].tolist()
        assert half.labels == rows["sentiment"].tolist()
    assert Counter(halves.train.labels) == {0: 2_003, 1: 2_003}
    assert Counter(halves.validation.labels) == {0: 501, 1: 501}


@pytest.mark.parametrize("order", ORDERS)
def test_one_handcrafted_row_a_negative_one_is_judged_on(imdb, order):
    found = [
        e for e in split(imdb_recipe(imdb, handcrafted(ORDERS[order]))).validation if e.contrastive
    ]
    assert [e.label for e in found] == [0]


def test_the_run_without_contrastive_rows(imdb):
    reviews = imdb_recipe(imdb, ())
    assert Counter(reviews.labels) == {0: 2_500, 1: 2_500}
    assert [len(half) for half in (split(reviews).train, split(reviews).validation)] == [
        4_000,
        1_000,
    ]


def test_the_recipe_stays_the_recipe_although_imdb_repeats_itself(imdb):
    """The original table holds 96 reviews twice. One repeat among the drawn rows was enough to
    leave the published split.
    """
    repeated = imdb.assign(text=imdb["text"].where(imdb.index % 10 != 0, "the same again"))
    halves = split(imdb_recipe(repeated, contrastive_reviews()))
    assert halves.validation.texts == published(repeated, contrastive_reviews())[1]["text"].tolist()


@pytest.mark.parametrize("columns", [["text"], ["label"], ["text", "label"]])
def test_another_table_than_imdb_is_refused(imdb, columns):
    with pytest.raises(BadInput, match="2,500 IMDb reviews of each class"):
        imdb_recipe(imdb[columns][:14_000], ())


# Any set


def test_a_plain_set_is_split_like_scikit_learn_does():
    reviews = numbered([0, 1, 1] * 20)
    train, validation = train_test_split(
        range(60), test_size=0.25, stratify=reviews.labels, random_state=7
    )
    halves = split(reviews, share=0.25, seed=7)
    assert (halves.train, halves.validation) == (reviews.take(train), reviews.take(validation))
    assert halves == split(reviews, share=0.25, seed=7) != split(reviews, share=0.25, seed=8)


@pytest.mark.parametrize("seed", range(12))
def test_pairs_and_repeated_texts_are_never_torn_apart(seed):
    reviews = tangled(seed)
    halves = split(reviews, seed=seed)
    assert Counter(halves.train.examples) + Counter(halves.validation.examples) == Counter(
        reviews.examples
    )
    sides = [
        ({e.pair for e in half if e.pair}, set(map(letters, half.texts)))
        for half in (halves.train, halves.validation)
    ]
    assert not sides[0][0] & sides[1][0], "a pair on both sides"
    assert not sides[0][1] & sides[1][1], "a text on both sides"
    assert set(halves.train.labels) == set(halves.validation.labels) == {0, 1}
    assert len(halves.validation) == pytest.approx(
        len(reviews) / 5, abs=6
    )  # the largest group has some ten rows


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Great, another boring movie", "great another  boring movie!!", True),
        ("Café — “good”", "cafe\u0301 good", True),
        ("ＧＯＯＤ", "good", True),
        ("!!!", "???", False),
        ("🙂", "🙁", False),
        ("not bad", "bad", False),
    ],
)
def test_duplicates_are_found_whatever_their_case_spaces_and_punctuation(one, other, same):
    """Only case and spaces were folded, so a review that differed by a full stop was learned from
    and judged on.
    """
    assert (duplicate_key(one) == duplicate_key(other)) is same


def letters(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def tangled(seed):
    """Single reviews, pairs, repeats (also in other cases, spacings and punctuation), and repeats
    of one side of a pair outside it.
    """
    chance = random.Random(seed)
    rows = [Example(f"s{n}", f"single {n}", n % 2) for n in range(60)]
    rows += [
        Example(f"p{n}-{side}", f"pair {n} side {side}", side, pair=f"p{n}")
        for n in range(40)
        for side in (0, 1)
    ]
    chosen = chance.sample(rows, 40)
    rows += [
        replace(
            e,
            id=f"again {e.id}",
            text=chance.choice(
                [
                    e.text,
                    e.text.upper(),
                    re.sub(" ", "  ", e.text),
                    f"{e.text} ... !",
                    f"“{e.text}”,",
                ]
            ),
        )
        for e in chosen
    ]
    rows += [replace(e, id=f"lone {e.id}", pair="") for e in chance.sample(rows, 20)]
    rows += [
        replace(rows[60], id="bridge", pair="p1")
    ]  # a text of one pair in another: the two stay together
    chance.shuffle(rows)
    return Reviews("tangled", tuple(rows))


def test_long_chains_of_repeats_stay_together_and_do_not_swallow_validation():
    """Pair 0 shares a text with pair 1, that with pair 2, and so on: 4,000 rows that are one group,
    too large to be judged on.
    """
    links = [
        Example(f"{n}-{side}", f"text {n + side}", n % 2, pair=f"p{n}")
        for n in range(2_000)
        for side in (0, 1)
    ]
    free = [Example(f"f{n}", f"free {n}", n % 2) for n in range(4_000)]
    halves = split(Reviews("chain", (*links, *free)))
    assert {e.pair for e in halves.validation} == {""}
    assert Counter(halves.validation.labels) == {0: 800, 1: 800}


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.5])
def test_a_set_of_pairs_is_split_in_the_share_that_was_asked_for(share):
    pairs = Reviews(
        "pairs",
        tuple(
            Example(f"p{n}-{side}", f"{n} {side}", side, pair=f"p{n}")
            for n in range(50)
            for side in (0, 1)
        ),
    )
    halves = split(pairs, share=share)
    assert Counter(halves.validation.labels) == {0: 50 * share, 1: 50 * share}
    assert halves == split(pairs, share=share) != split(pairs, share=share, seed=1)


def test_a_set_with_its_own_splits_keeps_them():
    parts = ["train"] * 14 + ["validation"] * 10 + ["test"] * 6
    reviews = Reviews(
        "own",
        tuple(Example(f"r{n}", f"review {n}", n % 2, split=part) for n, part in enumerate(parts)),
    )
    halves = split(reviews)
    assert (
        halves.train.examples == reviews.examples[:14]
        and halves.validation.examples == reviews.examples[14:24]
    )


def test_test_rows_stay_out_even_where_the_set_names_no_validation_rows():
    parts = ["train"] * 40 + ["test"] * 20
    reviews = Reviews(
        "own",
        tuple(Example(f"r{n}", f"review {n}", n % 2, split=part) for n, part in enumerate(parts)),
    )
    halves = split(reviews)
    assert len(halves.train) + len(halves.validation) == 40
    assert {e.split for half in (halves.train, halves.validation) for e in half} == {"train"}


def test_a_part_that_cannot_be_used_is_named():
    parts = ["train"] * 14 + ["validation"] * 6
    reviews = Reviews(
        "r.csv",
        tuple(Example(f"r{n}", f"review {n}", n % 2, split=part) for n, part in enumerate(parts)),
    )
    with pytest.raises(BadInput) as refused:
        split(reviews)
    assert "The validation part of r.csv has only 3 reviews" in refused.value.what
    assert "Validation needs" in refused.value.remedy and "“split”" in refused.value.remedy


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([], "There are no reviews in set."),
        ([1] * 12, "All 12 reviews of set are positive."),
        ([0] * 12, "All 12 reviews of set are negative."),
        ([0, 1], "set has only 1 review of one class."),
        ([0] * 40 + [1] * 4, "set has only 4 reviews of one class."),
        (
            [0, 1, None, None] * 5,
            "10 reviews of set have no label.",
        ),
    ],
)
def test_what_no_classifier_can_learn_from_is_refused(labels, sentence):
    for refuse in (check_trainable, split):
        with pytest.raises(BadInput, match=sentence):
            refuse(numbered(labels))


def test_texts_that_are_all_equal_are_refused():
    same = Reviews("same", tuple(Example(f"r{n}", "Good.", n % 2) for n in range(20)))
    with pytest.raises(BadInput, match="repeat each other too much"):
        split(same)


def test_the_smallest_set_that_can_be_split():
    halves = split(numbered([0, 1] * 5))
    assert (len(halves.train), Counter(halves.validation.labels)) == (8, {0: 1, 1: 1})
    assert Counter(split(numbered([0, 1] * 5), share=0.05).validation.labels) == {0: 1, 1: 1}


@pytest.mark.parametrize("share", [-1, 0, 0.01, 0.6, 1, float("nan")])
def test_shares_that_are_not_possible(share):
    with pytest.raises(BadInput, match=f"share of {share} is not possible"):
        split(numbered([0, 1] * 10), share=share)


# Contrastive rows


@pytest.fixture(scope="module")
def recipe(imdb):
    return split(imdb_recipe(imdb, contrastive_reviews()))


def test_share_zero_takes_contrastive_rows_out_of_both_halves(recipe):
    mixed = mix_contrastive(recipe, 0)
    assert not any(e.contrastive for half in (mixed.train, mixed.validation) for e in half)
    assert (len(mixed.train), len(mixed.validation)) == (3_999, 1_001)


def test_a_tiny_share_leaves_everything_as_it_is(recipe):
    assert mix_contrastive(recipe, 1e-6) == recipe


@pytest.mark.parametrize("share", [0.01, 0.05, 0.25, 0.5, 0.9])
def test_a_share_is_reached_by_repeating_training_rows_alone(recipe, share):
    mixed = mix_contrastive(recipe, share)
    contrastive = [e for e in mixed.train if e.contrastive]
    assert len(contrastive) / len(mixed.train) == pytest.approx(share, rel=0.1)
    assert mixed.validation == recipe.validation
    assert len({e.id for e in mixed.train}) == len(mixed.train), "repeats have ids of their own"
    assert len(set(Counter(e.text for e in contrastive).values())) == 1, (
        "each is repeated equally often"
    )
    assert mixed.train.examples[: len(recipe.train)] == recipe.train.examples


def test_a_quarter_in_numbers(recipe):
    mixed = mix_contrastive(recipe, 0.25)
    assert sum(e.contrastive for e in mixed.train) == 190 * 7  # 1,330 of 5,329
    assert len(mixed.train) == 3_999 + 1_330


def test_nothing_is_mixed_in_where_there_is_nothing(imdb):
    bare = split(imdb_recipe(imdb, ()))
    assert mix_contrastive(bare, 0) == bare
    with pytest.raises(BadInput, match="imdb has no contrastive reviews"):
        mix_contrastive(bare, 0.25)


@pytest.mark.parametrize("share", [-0.1, 0.91, 1, float("nan")])
def test_contrastive_shares_that_are_not_possible(recipe, share):
    with pytest.raises(BadInput, match=f"share of {share} contrastive reviews is not possible"):
        mix_contrastive(recipe, share)
