"""The model that ships: small, whole, right about the sentences it is known for, and as good as its
scores say.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.models.export import export_whole
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import SHIPPED
from bertsent.probing.shipped_scores import (
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    MODELS,
    ONE_LINERS,
    shipped_scores,
    slice_of,
)
from bertsent.probing.slices import accuracy_by_slice
from bertsent.recipe.datasets import one_liners
from bertsent.settings import PROJECT

DATA = PROJECT.parent / "shared" / "data"
IN_README = (  # the row, the set and its slice
    ("IMDb, held-out films", "IMDb, held-out films", "all"),
    ("IMDb contrast sets, the edited half", "IMDb contrast sets", "contrast"),
    ("Counterfactual revisions", "Counterfactual pairs", "revised"),
    ("Built-in reviews, test", BUILTIN_TEST, "all"),
)


@pytest.fixture(scope="module")
def learner():
    return load("builtin")


def test_all_of_it_is_at_most_25_megabytes():
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 25_000_000


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Great, another boring movie", "NEGATIVE"),
        ("This is not a bad film", "POSITIVE"),
        ("Absolutely incredible", "POSITIVE"),
        ("Somewhat good", "POSITIVE"),
        ("Blew my mind how bad it was. What a waste.", "NEGATIVE"),
    ],
)
def test_the_sentences_that_counted_words_get_wrong_come_out_right(learner, text, label):
    """Rows 001-03 and 000-12."""
    assert learner.predict([text])[0].label == label


def test_strong_praise_is_stronger_than_weak_praise(learner):
    strong, weak = learner.predict(["Absolutely incredible", "Somewhat good"])
    assert strong.p_positive > weak.p_positive


def _part(part: str) -> Reviews:
    if part == ONE_LINERS:
        return Reviews(part, tuple(one_liners("validation")))
    reviews, split = load_reviews("builtin"), "test" if part == BUILTIN_TEST else "validation"
    return reviews.where([review.split == split for review in reviews])


@pytest.mark.parametrize(
    "part",
    [
        BUILTIN_VALIDATION,
        pytest.param(BUILTIN_TEST, marks=pytest.mark.slow),
        pytest.param(ONE_LINERS, marks=pytest.mark.slow),
    ],
)
def test_the_scores_that_ship_are_those_it_gets(learner, part):
    reviews = _part(part)
    found = accuracy_by_slice(reviews, learner.probabilities(reviews.texts)[:, 1])
    told = shipped_scores().query("set == @part and model == 'BERT (built-in)'").set_index("slice")
    assert {name: s.n for name, s in found.items()} == told["n"].to_dict()
    assert all(abs(s.right - told["right"][name]) <= 1 for name, s in found.items()), (
        "another processor may round one review over"
    )


def test_it_beats_counted_words_where_words_mislead():
    table = shipped_scores()
    for name in ("all", "contrast", "negation", "pairs, both right"):
        bert = slice_of(table, BUILTIN_VALIDATION, name)
        for peer in ("BOW + SVM", "TF-IDF + logistic regression"):
            assert bert.interval[0] > slice_of(table, BUILTIN_VALIDATION, name, peer).accuracy, (
                name,
                peer,
            )


def test_the_readme_tells_the_scores_that_ship():
    table, readme = shipped_scores(), (PROJECT / "README.md").read_text(encoding="utf-8")
    for shown, of, name in IN_README:
        found = [slice_of(table, of, name, model) for model in MODELS]
        accuracies = " | ".join(f"{100 * each.accuracy:.1f}" for each in found)
        assert f"| {shown} | {found[0].n:,} | {accuracies} |" in readme


def test_the_exported_model_answers_the_same_in_the_library(learner, tmp_path):
    from transformers import pipeline

    folder = export_whole(SHIPPED, tmp_path / "whole")
    classify = pipeline("text-classification", model=str(folder), truncation=True, device="cpu")
    for text in ("Great, another boring movie", "I laughed, I cried, I want my money back."):
        own, theirs = learner.predict([text])[0], classify(text)[0]
        assert theirs["label"] == own.label
        assert theirs["score"] == pytest.approx(max(own.p_positive, 1 - own.p_positive), abs=1e-4)


@pytest.mark.slow
@pytest.mark.skipif(
    not (DATA / "contrast_dev.parquet").is_file(), reason="the public data are not here"
)
def test_the_contrast_sets_come_out_as_its_scores_say(learner):
    rows = pd.read_parquet(Path(DATA / "contrast_dev.parquet"))
    right = (learner.probabilities(list(rows["text"]))[:, 1] > 0.5) == np.array(rows["label"])
    told = slice_of(shipped_scores(), "IMDb contrast sets", "all")
    assert (len(rows), right.sum()) == (told.n, pytest.approx(told.right, abs=1))
