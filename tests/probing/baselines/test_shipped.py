"""The baselines that ship: small, without code, at once there, and the same after a round trip."""

import numpy as np
import pytest

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput, NotAvailable
from bertsent.probing.baselines.bag_of_words import BagOfWords
from bertsent.probing.baselines.reasons import word_reasons
from bertsent.probing.baselines.shipped import (
    FOUR,
    HARD,
    ORDINARY,
    SHIPPED_BASELINES,
    TRAINED_ON,
    others_say,
    read_baselines,
    shipped_baselines,
    write_baselines,
)
from bertsent.probing.baselines.trainer import BASELINES, FAMILIES, FROZEN_HEADS, BaselineTrainer

PUZZLE = "Great, another boring movie"


def test_all_weights_together_are_small_and_none_is_a_pickle():
    files = list(SHIPPED_BASELINES.iterdir())
    weights = [path for path in files if path.suffix == ".safetensors"]
    assert {path.stem for path in weights} == set(TRAINED_ON)
    assert sum(path.stat().st_size for path in weights) <= 3_000_000
    assert {path.suffix for path in files} <= {".safetensors", ".csv", ".md"}


@pytest.mark.parametrize("trained_on", TRAINED_ON)
def test_the_four_kinds_answer_at_once(trained_on):
    assert set(shipped_baselines(trained_on)) == set(BASELINES)
    found = others_say(PUZZLE, trained_on)
    assert [each.name for each in found] == list(FOUR)
    for each in found:
        assert 0 < each.p_positive < 1 and each.note
        assert each.label == LABELS[int(each.p_positive > 0.5)]
        alone = shipped_baselines(trained_on)[each.name].p_positive([PUZZLE])[0]
        assert each.p_positive == pytest.approx(float(alone))


def test_ordinary_counters_add_up_not_and_bad():
    """Row 001-03: "bad" outweighs all around it, and counting words gets negation wrong."""
    said = {each.name: each for each in others_say("This is not a bad film", ORDINARY)}
    assert {said[name].label for name in FOUR[:2]} == {"NEGATIVE"}
    assert said["BOW + SVM"].note.startswith("bad −")


def test_hard_counters_are_fooled_by_the_puzzle():
    """Row 001-02."""
    assert others_say(PUZZLE, HARD)[0].label == "POSITIVE"


def test_reasons_are_the_live_weights():
    classifier = shipped_baselines(ORDINARY)["BOW + SVM"]
    model: BagOfWords = classifier.baseline
    found = dict(word_reasons(classifier, PUZZLE))
    weight = model.weights[list(model.words).index("boring")]
    assert found["boring"] == pytest.approx(model.slope * weight) and found["boring"] < 0
    p = classifier.p_positive([PUZZLE])[0]
    total = sum(found.values()) + model.slope * model.bias + model.offset
    assert total == pytest.approx(np.log(p / (1 - p)))


def test_reasons_of_others_are_what_leaving_out_changes():
    classifier = shipped_baselines(ORDINARY)["LSTM"]
    found = dict(word_reasons(classifier, "a boring film"))
    whole, without = classifier.p_positive(["a boring film", "a  film"])
    odds = np.log(whole / (1 - whole)) - np.log(without / (1 - without))
    assert found["boring"] == pytest.approx(odds) and set(found) == {"a", "boring", "film"}


def test_a_round_trip_keeps_the_answers(paired_reviews, tmp_path):
    trainer = BaselineTrainer(paired_reviews, tmp_path / "cache")
    made = {
        name: each.baseline
        for family in FAMILIES
        if family != "Frozen BERT"
        for name, each in trainer.train(family).items()
    }
    path = tmp_path / "a.safetensors"
    write_baselines(path, made)
    first = path.read_bytes()
    write_baselines(path, made)
    assert path.read_bytes() == first
    for name, each in read_baselines(path).items():
        texts = paired_reviews.texts[:9]
        assert np.allclose(each.p_positive(texts), made[name].p_positive(texts), atol=5e-3)


@pytest.mark.parametrize("harm", [b"", b"\x80\x04pickle", None])
def test_a_damaged_or_missing_file_is_said(harm, tmp_path):
    path = tmp_path / "imdb.safetensors"
    if harm is not None:
        path.write_bytes(harm)
    with pytest.raises(NotAvailable):
        read_baselines(path)


def test_a_choice_that_does_not_exist():
    with pytest.raises(BadInput):
        others_say(PUZZLE, "../secrets")


def test_frozen_heads_do_not_lose_precision():
    """In half precision, large terms of a head that cancel each other turned answers around."""
    for trained_on in TRAINED_ON:
        for name in FROZEN_HEADS:
            layers = shipped_baselines(trained_on)[name].baseline.layers
            assert all(np.isfinite(values).all() for layer in layers for values in layer)
