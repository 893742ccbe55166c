"""What judges is never learned from, pairs stay whole, and nothing is learned that has no label."""

from collections import Counter

import pytest

from bertsent.data.sources import load_reviews
from bertsent.data.splits import duplicate_key
from bertsent.errors import NotAvailable
from bertsent.recipe.datasets import FILES, RecipeData
from bertsent.recipe.stages import MEANS, SENTINELS, SHIPPED_SHARES, STAGES
from bertsent.settings import PROJECT
from tests.recipe.conftest import write_tables


def texts_of(reviews, phenomenon=None):
    return {e.text for e in reviews if phenomenon in (None, e.phenomenon)}


def training(data, name):
    return data.training_reviews(name, STAGES[name].mixture)


@pytest.fixture(scope="module")
def learned(data):
    """The training reviews of every stage."""
    return {name: training(data, name) for name in STAGES}


def test_no_text_of_an_evaluation_is_learned_from(data, learned):
    texts = set().union(*map(texts_of, learned.values()))
    assert len(data.held_out()) == 4 and not texts_of(data.held_out()) & texts
    assert not any("imdb 3:" in text for text in texts), "the original of a development pair"
    validation = data.validation_reviews()
    assert not texts_of(validation) - texts_of(validation, "sst") & texts
    for own in ("builtin", "one-liner"):
        assert texts_of(validation, own) and not texts_of(validation, own) & texts


def test_openings_and_endings_come_in_turn_and_whole_reviews_in_the_second_stage(learned):
    first = [e for e in learned["general"] if e.phenomenon == "imdb"]
    second = [e for e in learned["hard"] if e.phenomenon == "imdb"]
    assert len(first) == len(second) == 35
    assert all(
        whole.text.endswith(part.text[-40:]) for part, whole in zip(first, second, strict=True)
    )


def test_what_is_clipped_is_the_last_words_of_every_other_review(data, monkeypatch):
    monkeypatch.setattr("bertsent.recipe.datasets.ENDING", 3)
    clipped = RecipeData(data.folder).training_reviews("general", STAGES["general"].mixture)
    lengths = [len(e.text.split()) for e in clipped if e.phenomenon == "imdb"]
    assert set(lengths[1::2]) == {3} and min(lengths[::2]) > 3


@pytest.mark.parametrize(("name", "times"), [("general", 1), ("hard", 2)])
def test_pairs_stay_whole_and_their_repeats_are_pairs_of_their_own(learned, name, times):
    sides = Counter(e.pair for e in learned[name] if e.phenomenon == "counterfactual")
    assert len(sides) == 6 * times and set(sides.values()) == {2}


def test_every_stage_names_its_rows_once_and_keeps_its_pairs_whole(learned):
    for name, reviews in learned.items():
        assert len({e.id for e in reviews}) == len(reviews), name
        pairs = Counter(e.pair for e in reviews if e.pair)
        assert set(pairs.values()) == {2}, name


def test_every_stage_begins_with_weights_that_are_there_by_then():
    there = {"builtin"}
    for name, stage in STAGES.items():
        there |= {
            mean for _ in MEANS for mean, parts in MEANS.items() if set(parts) <= there
        }  # a mean may be part of another
        assert stage.start in there, name
        there.add(name)
    assert set(SHIPPED_SHARES) <= there
    for shares in (*MEANS.values(), SHIPPED_SHARES):
        assert sum(shares.values()) == pytest.approx(1)


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
    evaluated = keys["validation"] | {duplicate_key(text) for text in SENTINELS}
    builtin = load_reviews(folder / "reviews.csv", contrastive=False)
    evaluated |= {duplicate_key(review.text) for review in builtin if review.split != "train"}
    assert not keys["train"] & evaluated


def test_a_line_that_is_read_twice_is_two_rows(learned):
    own = [e for e in learned["quick"] if e.id.startswith("y-003")]
    assert len(own) == 2 and len({e.text for e in own}) == 1


def test_the_brief_mixture_reads_mock_praise_three_times_with_the_sincere_side(learned):
    seen = Counter(e.text for e in learned["brief"] if e.phenomenon != "imdb")
    assert seen["Wow, yet another tedious origin story"] == 3
    assert seen["Wow, yet another inventive origin story"] == 3
    assert seen["Not a bad little thriller at all."] == 1


def test_everything_learned_has_a_label(data, learned):
    for reviews in (
        *learned.values(),
        data.validation_reviews(),
        *data.development_sets().values(),
    ):
        assert {e.label for e in reviews} == {0, 1}


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
