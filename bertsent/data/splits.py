"""Reviews in, ``Splits`` out: which are for training, which for validation, and how many
contrastive rows are mixed in.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from bertsent.data.examples import Example, Reviews, Splits
from bertsent.data.trainable import HALVES, check_trainable, strata
from bertsent.errors import BadInput

RECIPE_NAME, RECIPE_ROWS, RECIPE_SEED, VALIDATION_SHARE = "imdb", 2_500, 42, 0.2
_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")


def imdb_recipe(imdb: pd.DataFrame, contrastive: tuple[Example, ...]) -> Reviews:
    """The 5,008 rows of Chiu (2025), section 3: eight handcrafted rows, then 2,500 positive, then
    2,500 negative IMDb reviews.

    Args:
        imdb: the IMDb training table with ``text`` and ``label`` (0 negative, 1 positive).
        contrastive: the handcrafted rows, put in front; empty for the run "without".

    Raises:
        BadInput: that is not the IMDb table.
    """
    labels = imdb.get("label", pd.Series(dtype=int))
    BadInput.raise_if(
        "text" not in imdb or min((labels == label).sum() for label in (0, 1)) < RECIPE_ROWS,
        f"This table does not have {RECIPE_ROWS:,} IMDb reviews of each class.",
        "Download the data set again.",
    )
    rows = pd.concat(
        imdb[labels == label].sample(RECIPE_ROWS, random_state=RECIPE_SEED) for label in (1, 0)
    )
    drawn = [
        Example(f"imdb-{i}", text, int(label))
        for i, text, label in rows[["text", "label"]].itertuples(name=None)
    ]
    return Reviews(RECIPE_NAME, (*contrastive, *drawn))


def split(reviews: Reviews, *, share: float = VALIDATION_SHARE, seed: int = RECIPE_SEED) -> Splits:
    """Split into training and validation rows, stratified by label.

    A set with its own ``split`` column keeps it (rows marked ``test`` stay out of both halves).
    Minimal pairs and repeated texts stay on one side, so that nothing learned by heart is asked
    again. A set with neither is split by scikit-learn's ``train_test_split``, exactly as in the
    published recipe. So is the recipe's own set, although the original IMDb table repeats a few of
    its reviews: its figures can only be compared row for row.

    Raises:
        BadInput: a label is missing, there is only one class, there are too few rows, or the share
            is not possible.
    """
    BadInput.raise_if(
        not 0.05 <= share <= 0.5,
        f"A validation share of {share} is not possible.",
        "Choose a share from 0.05 to 0.5.",
    )
    if {"train", "validation"} <= {example.split for example in reviews}:
        return _own(reviews)
    left = reviews.where([example.split != "test" for example in reviews])
    BadInput.raise_if(
        len(reviews) and not len(left),
        f"All {len(reviews):,} rows of {reviews.name} are in the split “test”.",
        "Mark some as train and validation, or leave out the column “split”.",
    )
    reviews = left
    check_trainable(reviews)
    labels = strata(reviews)
    groups = review_groups(reviews)
    if reviews.name == RECIPE_NAME or len(set(groups)) == len(groups):
        from sklearn.model_selection import train_test_split

        train, validation = train_test_split(
            range(len(reviews)),
            test_size=max(share, len(set(labels)) / len(reviews)),  # at least one of each class
            stratify=labels,
            random_state=seed,
        )
    else:
        train, validation = _grouped(labels, groups, share, seed)
    return Splits(reviews.take(train), reviews.take(validation))


def mix_contrastive(splits: Splits, share: float) -> Splits:
    """Make contrastive rows ``share`` of the training rows by repeating them; validation rows are
    never repeated.

    Share 0 takes them out of training and validation. Any other share keeps each at least once, so
    a tiny share means "as they are". Repeats get ids of their own.

    Raises:
        BadInput: the share is not in [0, 0.9], or there are no contrastive rows.
    """
    BadInput.raise_if(
        not 0 <= share <= 0.9,
        f"A share of {share} contrastive reviews is not possible.",
        "Choose a share from 0 to 0.9.",
    )
    train, validation = splits.train, splits.validation
    if share == 0:
        return Splits(
            *(half.where([not e.contrastive for e in half]) for half in (train, validation))
        )
    own = [example for example in train if example.contrastive]
    BadInput.raise_if(not own, f"{train.name} has no contrastive reviews.", "Set their share to 0.")
    times = max(1, round(share * (len(train) - len(own)) / ((1 - share) * len(own))))
    return Splits(replace(train, examples=(*train.examples, *_repeats(own, times))), validation)


def with_rows(splits: Splits, rows: Sequence[Example], times: int) -> Splits:
    """Put ``rows`` in front of the training rows, each ``times`` times; validation stays as it is.

    Raises:
        BadInput: the number is not from 1 to 1,000, there are no rows, or one of them is among
            the training or validation rows already.
    """
    train, validation = splits.train, splits.validation
    held = {duplicate_key(example.text) for half in (train, validation) for example in half}
    BadInput.raise_if(
        not 1 <= times <= 1_000, f"Reviews cannot be repeated {times} times.", "Choose 1 to 1,000."
    )
    BadInput.raise_if(not rows, "There are no contrastive reviews to add.", "Choose others.")
    BadInput.raise_if(
        any(duplicate_key(row.text) in held for row in rows),
        f"{train.name} already contains some of the contrastive reviews.",
        "Remove them first.",
    )
    examples = (*rows, *_repeats(rows, times), *train.examples)
    return Splits(replace(train, examples=examples), validation)


def unseen(more: Reviews, validation: Reviews) -> list[Example]:
    """Those of ``more`` that may be added to training reviews: of no other split, and not among the
    validation reviews.
    """
    held = {duplicate_key(e.text + e.second) for e in validation}
    return [
        e for e in more if e.split in ("", "train") and duplicate_key(e.text + e.second) not in held
    ]


def duplicate_key(text: str) -> str:
    """The letters and digits of a text in lower case: two reviews of one key are one review,
    however they are spaced, capitalised and punctuated.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _NEITHER_LETTER_NOR_DIGIT.sub("", folded) or folded


def review_groups(reviews: Reviews) -> list[str]:
    """One name per review; those that must stay together have the same one.

    That is the reviews of one minimal pair, those of one text (where two are read, of both), and
    chains of both.
    """
    group: dict[str, str] = {}

    def first(name: str) -> str:
        while group.setdefault(name, name) != name:
            group[name] = name = group[group[name]]
        return name

    both = reviews.task.reads == "two texts"
    texts = [f"text {duplicate_key(e.text + e.second if both else e.text)}" for e in reviews]
    for text, example in zip(texts, reviews, strict=True):
        if example.pair:
            group[first(text)] = first(f"pair {example.pair}")
    return [first(text) for text in texts]


def _repeats(rows: Sequence[Example], times: int) -> list[Example]:
    """The second to the last copy of each row; each copy is a review and a pair of its own."""
    return [
        replace(e, id=f"{e.id}~{turn}", pair=e.pair and f"{e.pair}~{turn}")
        for turn in range(2, times + 1)
        for e in rows
    ]


def _own(reviews: Reviews) -> Splits:
    halves = [reviews.where([e.split == half for e in reviews]) for half in ("train", "validation")]
    for name, half in zip(HALVES, halves, strict=True):
        named = replace(half, name=f"the {name} part of {reviews.name}")
        check_trainable(named, name, "Move some there, or leave out the column “split”.")
    return Splits(*halves)


def _grouped(
    labels: list[int], groups: list[str], share: float, seed: int
) -> tuple[list[int], list[int]]:
    """Draw groups at random, each that brings validation nearer to its share of both classes."""
    members: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    candidates, missing = (
        list(members.values()),
        np.bincount(labels, minlength=max(labels) + 1) * share,
    )
    validation: set[int] = set()
    for at in np.random.default_rng(seed).permutation(len(candidates)):
        left = missing - np.bincount(
            [labels[row] for row in candidates[at]], minlength=len(missing)
        )
        if left @ left < missing @ missing:
            missing = left
            validation.update(candidates[at])
    halves = sorted(set(range(len(labels))) - validation), sorted(validation)
    BadInput.raise_if(
        any(len({labels[row] for row in half}) < min(2, len(set(labels))) for half in halves),
        "The reviews repeat each other too much to be split into two fair halves.",
        "Add more different reviews.",
    )
    return halves
