"""Everybody is trained once, survives a restart with the same answers, and is trained again where
the file is damaged.
"""

import numpy as np
import pytest

from bertsent.data.cache import load_arrays, save_arrays
from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.probing.baselines import lstm, trainer
from bertsent.probing.baselines.pipelines import BOW_SVM, LSTM
from bertsent.probing.baselines.trainer import BASELINES, FAMILIES, FROZEN_HEADS, BaselineTrainer

TYPED = ["Great, another boring movie", "a lovely film", "😀", "warm " * 900]


@pytest.fixture
def make(paired_reviews, tiny_backbone, tmp_path):
    return lambda reviews=paired_reviews, **options: BaselineTrainer(
        reviews, tmp_path / "duel", backbone=str(tiny_backbone), **options
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_restart_finds_the_same_answers_and_trains_nothing(family, make, monkeypatch):
    first = make().train(family)
    assert set(first) == set(FAMILIES[family])
    monkeypatch.setattr(BaselineTrainer, "_keep", lambda *_: pytest.fail("it was trained again"))
    for name, trained in first.items():
        again = make().load(name)
        assert np.array_equal(again.p_positive(TYPED), trained.p_positive(TYPED))
        assert (again.key, again.train_seconds, again.disk_bytes) == (
            trained.key,
            trained.train_seconds,
            trained.disk_bytes,
        )
        assert again.train_seconds > 0 and again.disk_bytes > 100
    make().train(family)


def test_nothing_kept_is_a_pickle(make, tmp_path):
    make().train(BOW_SVM)
    kept = list((tmp_path / "duel").iterdir())
    assert [path.suffix for path in kept] == [".safetensors"]


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"\x80\x04" + data,
        "flip",
    ],
)
def test_a_damaged_file_is_trained_again(harm, make):
    before = make().train(BOW_SVM)[BOW_SVM].p_positive(TYPED)
    path = make().path(BOW_SVM)
    data = path.read_bytes()
    path.write_bytes(
        data[:-9] + bytes([data[-9] ^ 1]) + data[-8:] if harm == "flip" else harm(data)
    )
    assert make().load(BOW_SVM) is None
    assert np.array_equal(make().train(BOW_SVM)[BOW_SVM].p_positive(TYPED), before)
    assert make().load(BOW_SVM) is not None


@pytest.mark.parametrize("name", BASELINES)
def test_a_sound_file_of_another_kind_is_trained_again(name, make):
    save_arrays(make().path(name), {"weights": np.ones(3), "seconds": 1.0})
    assert make().load(name) is None


def test_a_disk_that_takes_nothing_costs_only_time(make, tmp_path):
    (tmp_path / "duel").write_text("a file where the folder should be")
    trained = make().train(BOW_SVM)[BOW_SVM]
    assert trained.p_positive(["great"])[0] > 0.5 and trained.disk_bytes > 0


def test_other_reviews_seeds_and_backbones_are_other_classifiers(make, paired_reviews):
    fewer = make(paired_reviews.take(range(40)))
    assert fewer.key(BOW_SVM) != make().key(BOW_SVM) != make(seed=1).key(BOW_SVM)
    assert BaselineTrainer(paired_reviews, make().cache).key(FROZEN_HEADS[0]) != make().key(
        FROZEN_HEADS[0]
    )
    assert BaselineTrainer(paired_reviews, make().cache).key(LSTM) == make().key(LSTM)


def test_cancelling_keeps_what_is_finished(make, tmp_path):
    def stop(fraction):
        if fraction >= 0.9:
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        make().train("Frozen BERT", progress=stop)
    assert len(list((tmp_path / "duel").glob("vectors-*"))) == 1
    found = make().train("Frozen BERT")
    assert set(found) == set(FROZEN_HEADS)
    assert all(trained.train_seconds > 0 for trained in found.values())


def test_progress_only_rises_to_one(make):
    seen = []
    make().train(LSTM, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 5


def test_too_many_are_sampled_and_bad_ones_refused(make, monkeypatch):
    monkeypatch.setattr(trainer, "MOST", 20)
    many = make()
    assert len(many.reviews) == 20 and many.reviews.sha256 == make().reviews.sha256
    with pytest.raises(BadInput):
        make(Reviews("one", (Example("1", "good", 1),)))
    with pytest.raises(BadInput, match="no baseline"):
        make().train("chess")


def test_a_backbone_that_is_not_here_is_told(paired_reviews, tmp_path, lab):
    away = BaselineTrainer(paired_reviews, tmp_path, backbone="bert-base-uncased")
    assert away.train(BOW_SVM)
    with pytest.raises(NotAvailable, match="fetch"):
        away.train("Frozen BERT")


def test_what_is_stored_comes_back(tmp_path):
    parts = {"a": np.arange(6.0).reshape(2, 3), "empty": np.empty(0)}
    facts = {"words": ["naïve", "😀"], "n": 1.5}
    save_arrays(tmp_path / "x.safetensors", parts | facts)
    found = load_arrays(tmp_path / "x.safetensors")
    assert facts.items() <= found.items() and np.array_equal(found["a"], parts["a"])
    assert load_arrays(tmp_path / "none.safetensors") is None


def test_the_lstm_reads_its_settings(make):
    assert make(seed=3).train(LSTM)[LSTM].baseline.config == lstm.LstmConfig(seed=3)


def test_how_much_a_frozen_bert_reads_is_part_of_its_key(make, monkeypatch):
    """The key held the encoder's weights but not how much of a review the encoder reads."""
    frozen, counted = make().key(FROZEN_HEADS[0]), make().key(BOW_SVM)
    monkeypatch.setattr(trainer, "EMBEDDED_TOKENS", 128)
    assert make().key(FROZEN_HEADS[0]) != frozen and make().key(BOW_SVM) == counted
