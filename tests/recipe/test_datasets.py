"""What judges is never learned from, pairs stay whole, and nothing is learned that has no label."""

from collections import Counter

import pytest

from bertsent.data.sources import load_reviews
from bertsent.errors import NotAvailable
from bertsent.recipe.datasets import FILES, ONE_LINERS, RecipeData
from bertsent.recipe.stages import MEANS, SENTINELS, SHIPPED_SHARES, STAGES


def texts_of(reviews, phenomenon=None):
    return {e.text for e in reviews if phenomenon in (None, e.phenomenon)}


def plain(text):
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def test_no_text_that_judges_is_learned_from(materials):
    learned = set().union(*(texts_of(stage.reviews(materials)) for stage in STAGES.values()))
    held_out = {text.replace("<br />", " ") for text in texts_of(materials.held_out())} | texts_of(
        materials.held_out()
    )
    assert len(materials.held_out()) == 4 and not held_out & learned
    assert not any("imdb 3:" in text for text in learned), (
        "it is the original of a development pair"
    )
    assert not texts_of(materials.judges()) - texts_of(materials.judges(), "sst") & learned
    for own in ("builtin", "one-liner"):
        assert texts_of(materials.judges(), own) and not texts_of(materials.judges(), own) & learned


def test_openings_and_endings_come_in_turn_and_whole_reviews_in_the_second_stage(materials):
    first = [e for e in materials.general() if e.phenomenon == "imdb"]
    second = [e for e in materials.hard() if e.phenomenon == "imdb"]
    assert len(first) == len(second) == 35
    assert not any("<br" in e.text for e in first) and all("<br />" in e.text for e in second)


def test_pairs_stay_whole_and_their_repeats_are_pairs_of_their_own(materials):
    for stage, times in ((materials.general(), 1), (materials.hard(), 2)):
        sides = Counter(e.pair for e in stage if e.phenomenon == "counterfactual")
        assert len(sides) == 6 * times and set(sides.values()) == {2}
        assert len({e.id for e in stage}) == len(stage)


def test_every_stage_names_its_rows_once_and_keeps_its_pairs_whole(materials):
    for name, stage in STAGES.items():
        learned = stage.reviews(materials)
        assert len({e.id for e in learned}) == len(learned), name
        pairs = Counter(e.pair for e in learned if e.pair)
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


def test_the_one_liners_are_pairs_and_none_is_what_the_model_is_shown_with(materials):
    lines = load_reviews(ONE_LINERS, contrastive=False)
    labels = {
        pair: sorted(e.label for e in lines if e.pair == pair) for pair in {e.pair for e in lines}
    }
    assert len(labels) > 200 and set(map(tuple, labels.values())) == {(0, 1)}
    assert Counter(e.split for e in lines).keys() == {"train", "validation"}
    judged = {plain(text) for text in [*SENTINELS, *texts_of(materials.judges())]}
    learned = [e for e in lines if e.split == "train"]
    assert not judged & {plain(e.text) for e in learned}
    assert len([e for e in materials.judges() if e.phenomenon == "one-liner"]) == len(lines) - len(
        learned
    )
    own = [e for e in materials.mixed("quick") if e.id.startswith("y-003")]
    assert len(own) == 2 and len({e.text for e in own}) == 1


def test_the_brief_mixture_reads_mock_praise_three_times_with_the_sincere_side(materials):
    seen = Counter(e.text for e in materials.mixed("brief") if e.phenomenon != "imdb")
    assert (
        seen["Wow, yet another tedious origin story"]
        == seen["Wow, yet another inventive origin story"]
        == 3
    )
    assert seen["Not a bad little thriller at all."] == 1


def test_everything_learned_has_a_label(materials):
    for reviews in (
        materials.general(),
        materials.hard(),
        materials.judges(),
        *materials.development_sets().values(),
    ):
        assert {e.label for e in reviews} == {0, 1}


def test_development_sets_tell_originals_from_contrasts(materials):
    found = materials.development_sets()
    assert Counter(e.phenomenon for e in found["IMDb contrast sets"]) == {
        "original": 4,
        "contrast": 4,
    }
    assert Counter(e.phenomenon for e in found["Counterfactual pairs"]) == {
        "original": 4,
        "revised": 4,
    }


def test_a_missing_file_is_named_with_all_that_are_needed(folder):
    (folder / "sst_dev.parquet").unlink()
    with pytest.raises(NotAvailable, match="sst_dev") as error:
        RecipeData(folder)
    assert all(name in str(error.value) for name in FILES)
