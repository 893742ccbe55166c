"""What judges is never learned from, pairs stay whole, and nothing is learned that has no label."""

from collections import Counter

import pytest

from bertsent.data.sources import load_reviews
from bertsent.data.splits import duplicate_key
from bertsent.errors import NotAvailable
from bertsent.recipe.datasets import FILES, RecipeData, builtin, one_liners, register
from bertsent.recipe.sentiment_plan import SENTIMENT_PLAN
from bertsent.recipe.sentiment_sets import sentiment_rows
from bertsent.settings import PROJECT
from tests.recipe.conftest import write_tables

SHOWN = (  # where the app and the lessons begin
    "Great, another boring movie",
    "This is not a bad film",
    "The acting was not bad at all, in fact it was brilliant.",
    "Just what the world needed: yet another sequel.",
)


@pytest.fixture(scope="module")
def learned(data):
    return sentiment_rows(data)


def texts_of(rows):
    return {text for text, _ in rows.inputs}


def test_no_text_of_an_evaluation_is_learned_from(data, learned):
    texts = set().union(*map(texts_of, learned.values()))
    assert len(data.held_out()) == 4 and not set(data.held_out().texts) & texts
    assert not any("imdb 3:" in text for text in texts), "the original of a development pair"
    for name, judged in data.development_sets().items():
        assert name == "SST sentences" or not set(judged.texts) & texts, name
    for own in (builtin("validation"), builtin("test"), *map(rows_of, (one_liners, register))):
        assert own and not {row.text for row in own} & texts


def rows_of(own):
    return own("validation")


def test_the_plan_draws_from_every_set_and_no_other(learned):
    drawn = set().union(*(stage.shares for stage in SENTIMENT_PLAN.stages))
    assert drawn == set(learned)
    heads = {head for rows in learned.values() for head in rows.targets}
    assert heads == set(SENTIMENT_PLAN.heads) and len(SENTIMENT_PLAN.stages) <= 3
    for stage in SENTIMENT_PLAN.stages:
        assert sum(stage.shares.values()) == pytest.approx(1), stage.name


def test_what_judges_nothing_is_half_way(learned):
    sentences = learned["sentences"]
    assert sentences.targets["steps"].tolist()[:3] == [2, 4, 0]
    assert sentences.targets["sentiment"].tolist()[:3] == [0.5, 1, 0]
    assert set(learned["nothing"].targets["sentiment"]) == {0.5}
    comments = learned["comments"]
    assert [text for text, _ in comments.inputs] == ["ah", "oh", "so", "hm"]
    assert comments.targets["sentiment"].tolist() == [1, 0, 0.5, 1]


def test_endings_are_the_last_words(data, monkeypatch):
    monkeypatch.setattr("bertsent.recipe.datasets.ENDING", 3)
    whole = data.imdb()
    for ending, review in zip(data.endings(), whole, strict=True):
        assert ending.label == review.label and len(ending.text.split()) == 3
        assert review.text.replace("<br />", " ").split()[-3:] == ending.text.split()


def test_pairs_stay_whole(learned):
    for name in ("pairs", "lines", "revisions", "passages", "register"):
        pairs = Counter(pair for pair in learned[name].pairs if pair)
        assert set(pairs.values()) <= {2}, name
    assert len(set(learned["pairs"].pairs)) == 6


def test_the_one_liners_are_pairs_and_none_is_what_the_model_is_shown_with():
    folder = PROJECT / "assets" / "reviews"
    lines = load_reviews(folder / "one-liners.csv", contrastive=False)
    labels = {}
    for line in lines:
        labels.setdefault(line.pair, []).append(line.label)
    assert len(labels) > 200 and set(map(tuple, map(sorted, labels.values()))) == {(0, 1)}
    keys = {split: set() for split in ("train", "validation")}
    for line in lines:
        keys[line.split].add(duplicate_key(line.text))
    evaluated = keys["validation"] | {duplicate_key(text) for text in SHOWN}
    builtin = load_reviews(folder / "reviews.csv", contrastive=False)
    evaluated |= {duplicate_key(review.text) for review in builtin if review.split != "train"}
    assert not keys["train"] & evaluated


def test_development_sets_tell_originals_from_contrasts(data):
    found = data.development_sets()
    assert Counter(e.phenomenon for e in found["IMDb contrast sets"]) == {
        "original": 4,
        "contrast": 4,
    }
    assert Counter(e.phenomenon for e in found["Counterfactual pairs"]) == {
        "original": 4,
        "revised": 4,
    }


def test_a_missing_file_is_named_with_all_that_are_needed(tmp_path):
    (write_tables(tmp_path) / "sst_dev.parquet").unlink()
    with pytest.raises(NotAvailable, match="sst_dev") as error:
        RecipeData(tmp_path)
    assert all(name in str(error.value) for name in FILES)
