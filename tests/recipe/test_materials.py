"""What judges is never learned from, pairs stay whole, and nothing is learned that has no label."""

from collections import Counter

import pytest

from bertsent.errors import NotAvailable
from bertsent.recipe.materials import FILES, Materials


def texts_of(reviews, phenomenon=None):
    return {e.text for e in reviews if phenomenon in (None, e.phenomenon)}


def test_no_text_that_judges_is_learned_from(materials):
    learned = texts_of(materials.general()) | texts_of(materials.hard())
    held_out = {text.replace("<br />", " ") for text in texts_of(materials.held_out())} | texts_of(materials.held_out())
    assert len(materials.held_out()) == 4 and not held_out & learned
    assert not any("imdb 3:" in text for text in learned), "it is the original of a development pair"
    assert not texts_of(materials.judges()) - texts_of(materials.judges(), "sst") & learned
    builtin_judges = {e.text for e in materials.judges() if e.phenomenon == "builtin"}
    assert builtin_judges and not builtin_judges & learned


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


def test_everything_learned_has_a_label(materials):
    for reviews in (materials.general(), materials.hard(), materials.judges(), *materials.development_sets().values()):
        assert {e.label for e in reviews} == {0, 1}


def test_development_sets_tell_originals_from_contrasts(materials):
    found = materials.development_sets()
    assert Counter(e.phenomenon for e in found["IMDb contrast sets"]) == {"original": 4, "contrast": 4}
    assert Counter(e.phenomenon for e in found["Counterfactual pairs"]) == {"original": 4, "revised": 4}


def test_a_missing_file_is_named_with_all_that_are_needed(folder):
    (folder / "sst_dev.parquet").unlink()
    with pytest.raises(NotAvailable, match="sst_dev") as error:
        Materials(folder)
    assert all(name in str(error.value) for name in FILES)
