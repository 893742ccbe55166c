"""The model that ships: small, whole, right about the sentences it is known for, and as good as its
scores say.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.data.examples import Reviews
from bertsent.data.no_opinion import no_opinion
from bertsent.data.sources import load_reviews
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.export import export_whole
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import SHIPPED
from bertsent.probing.shipped_scores import (
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    COMMENTS,
    MODELS,
    NO_OPINION,
    ONE_LINERS,
    OWN_SETS,
    SURE,
    shipped_confidence,
    shipped_scores,
    slice_of,
    title_of,
)
from bertsent.probing.slices import PAIRS, accuracy_by_slice
from bertsent.recipe.card_tables import confidence_section, score_sections
from bertsent.recipe.datasets import one_liners, register
from bertsent.settings import PROJECT

DATA = PROJECT.parent / "shared" / "data"
IN_README = (  # the row, the set and its slice
    ("Built-in reviews, validation", BUILTIN_VALIDATION, "all"),
    ("Comments, validation", COMMENTS, "all"),
    ("IMDb, held-out films", "IMDb, held-out films", "all"),
    ("IMDb contrast sets, the edited half", "IMDb contrast sets", "contrast"),
    ("Counterfactual revisions", "Counterfactual pairs", "revised"),
    (title_of(BUILTIN_TEST), BUILTIN_TEST, "all"),
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
    if part == COMMENTS:
        return Reviews(part, tuple(register("validation")))
    reviews, split = load_reviews("builtin"), "test" if part == BUILTIN_TEST else "validation"
    return reviews.where([review.split == split for review in reviews])


@pytest.mark.parametrize(
    "part",
    [
        BUILTIN_VALIDATION,
        COMMENTS,
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
    for name in found.keys() - {PAIRS}:
        assert [each.n for each in found[name].labels] == [
            *told.loc[name, ["negative", "positive"]]
        ]


def test_labels_add_up_to_all_and_own_sets_come_first():
    table = shipped_scores()
    assert tuple(table["set"].unique()[: len(OWN_SETS)]) == OWN_SETS
    rows = table[table["slice"] != PAIRS]
    assert (rows["negative"] + rows["positive"] == rows["n"]).all()
    assert (rows["negative_right"] + rows["positive_right"] == rows["right"]).all()
    assert not table[table["slice"] == PAIRS][["negative", "positive"]].any(axis=None)


def test_sure_answers_to_texts_without_an_opinion_are_counted(learner):
    told = shipped_confidence().set_index("set")
    nothing = [row.text for row in no_opinion() if row.split != "train"]
    found = learner.probabilities(nothing).max(axis=1)
    assert told.loc[NO_OPINION, "n"] == len(nothing)
    assert told.loc[NO_OPINION, "sure"] == pytest.approx((found > SURE).sum(), abs=1)
    whole = shipped_scores().query("slice == 'all' and model == 'BERT (built-in)'").set_index("set")
    judged = told.drop(NO_OPINION)
    assert [*judged.index] == [*whole.index]
    assert (judged[["n", "right"]] == whole[["n", "right"]]).all(axis=None)


def test_the_card_tells_the_scores_that_ship():
    """Its tables are drawn again from the files; a number of each is worked out by hand as well."""
    table, confidence = shipped_scores(), shipped_confidence()
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    assert score_sections(table) in card
    assert confidence_section(confidence, load_checkpoint(SHIPPED).card.temperature) in card
    row = table.query("set == @COMMENTS and slice == 'all' and model == 'BERT (built-in)'").iloc[0]
    mean = (row["negative_right"] / row["negative"] + row["positive_right"] / row["positive"]) / 2
    assert f"| all | {row['negative']} + {row['positive']} | {100 * mean:.1f} (" in card
    assert f"value: {round(mean, 4)}" in card
    nothing = confidence.set_index("set").loc[NO_OPINION]
    assert (
        f"{100 * nothing['sure'] / nothing['n']:.0f} % of {nothing['n']:.0f} get an answer" in card
    )
    assert f"### {BUILTIN_TEST}\n" not in card, "the filtered part is headed as filtered"


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
        scores = " | ".join(f"{100 * each.score:.1f}" for each in found)
        assert f"| {shown} | {found[0].n:,} | {scores} |" in readme


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
