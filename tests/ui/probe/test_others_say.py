"""Others say: five answers to the typed review at once, the reasons of each, three patterns, the
ladder, and a run's own reviews as a third choice.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bertsent.data.cache import load_arrays
from bertsent.data.examples import Example, Reviews, Splits
from bertsent.probing.baselines import trainer
from bertsent.probing.baselines.bag_of_words import BagOfWords
from bertsent.probing.baselines.large_baselines import large_baselines
from bertsent.probing.baselines.reasons import signed, word_reasons
from bertsent.probing.baselines.shipped import (
    HARD,
    ORDINARY,
    SHIPPED_SIZE,
    TRAINED_ON,
    baseline_scores,
    shipped_baselines,
)
from bertsent.probing.baselines.trainer import BASELINES, FAMILIES, FROZEN_HEADS
from bertsent.probing.loaded_model import load
from bertsent.probing.timing import TimingSpread
from bertsent.training.runs.run import Run
from bertsent.ui.probe.others_say_training import setup_of, training_key
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE, VIEW = "3_Probe", "Others say"
PUZZLE = "Great, another boring movie"
OWN = "This run's reviews"


@pytest.fixture
def opened(finished: Run, visit: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """The view after everybody has learned from the run's reviews, with what a link says beside."""

    def settle(**query: str) -> AppTest:
        app = visit(PAGE, probe=VIEW, duel_trained=OWN, **query)
        if any(button.key == "duel_train" for button in app.button):
            app = app.button(key="duel_train").click().run()
        for _ in range(3):  # trainings, then answers
            wait_until(lambda: all(job.over for job in jobs()._jobs.values()))
            app = app.run()
            assert not app.exception, app.exception
        return app

    return settle


def frame_with(app: AppTest, *columns: str):  # noqa: ANN201
    return next(f.value for f in app.dataframe if set(columns) <= set(f.value.columns))


def test_what_ships_answers_at_once_and_nothing_is_trained(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, probe=VIEW, duel_look="Milliseconds")
    assert not app.error and not app.exception, words(app)
    assert not jobs()._jobs and not [b for b in app.button if b.key == "duel_train"]
    table = frame_with(app, "method", "P(positive)", "ms").set_index("method")
    assert len(table) == len(BASELINES) + 1 and (table["ms"] > 0).all()
    for name in BASELINES:
        classifier = shipped_baselines(ORDINARY)[name]
        assert table.loc[name, "P(positive)"] == pytest.approx(
            float(classifier.p_positive([PUZZLE])[0]), abs=1e-6
        )
    app.segmented_control(key="duel_trained").set_value("builtin").run()
    again = frame_with(app, "method", "P(positive)", "ms").set_index("method")
    for name in BASELINES:
        classifier = shipped_baselines(HARD)[name]
        assert again.loc[name, "P(positive)"] == pytest.approx(
            float(classifier.p_positive([PUZZLE])[0]), abs=1e-6
        )


def test_the_patterns_are_live_answers_with_live_weights(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, probe=VIEW)
    table = next(t.value for t in app.table if "LSTM" in t.value.columns)
    assert len(table) == 5 and len(table.columns) == 5
    for trained_on in TRAINED_ON:
        app.segmented_control(key="duel_trained").set_value(trained_on).run()
        table = next(t.value for t in app.table if "LSTM" in t.value.columns)
        classifier = shipped_baselines(trained_on)["BOW + SVM"]
        p = classifier.p_positive(["This is not a bad film"])[0]
        row = table[[("not a bad film" in text) for text in table.index]].iloc[0]
        cell = row["BOW + SVM".replace("+", "\\+")] if "BOW + SVM" not in row else row["BOW + SVM"]
        assert cell.startswith("✓" if p > 0.5 else "✗")
        assert f"{100 * max(p, 1 - p):.1f} %" in cell
        bad = dict(word_reasons(classifier, "This is not a bad film"))["bad"]
        assert f"bad {signed(bad)}" in cell.replace("\\", "")


def test_the_ladder_has_five_rungs_and_measured_numbers(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, probe=VIEW)
    table = next(t.value for t in app.table if "stars" in t.value.columns)
    stars = [cell.count("★") for cell in table["stars"] if cell]
    assert stars == [1, 2, 3, 4, 5]
    scores = baseline_scores()
    row = scores.set_index(["trained_on", "method", "size", "set"]).loc[
        "imdb", "LSTM", SHIPPED_SIZE
    ]
    for name in ("IMDb, held-out films", "IMDb contrast sets"):
        right = 100 * row.loc[name, "right"] / row.loc[name, "n"]
        (column,) = (each for each in table.columns if each.startswith(name))
        assert table.loc["LSTM", column].replace("\\", "").startswith(f"{right:.1f} %")


def test_a_run_s_own_reviews_are_a_third_choice(
    opened: Callable[..., AppTest], finished: Run
) -> None:
    app = opened(duel_look="Milliseconds")
    assert not app.error, words(app)
    table = frame_with(app, "method", "P(positive)", "ms").set_index("method")
    assert len(table) == len(BASELINES) + 1
    setup = setup_of(finished.id)
    for name in BASELINES:
        assert table.loc[name, "P(positive)"] == pytest.approx(
            float(setup.trainer.load(name).p_positive([PUZZLE])[0]), abs=1e-6
        )
    own = next(name for name in table.index if name.startswith("BERT:"))
    assert table.loc[own, "P(positive)"] == pytest.approx(
        load(finished.id).predict([PUZZLE])[0].p_positive, abs=1e-6
    )
    assert f"All of them learned from the same {len(finished.splits().train)}" in words(
        app
    ).replace("\\", "")


def test_the_arithmetic_is_that_of_the_classifier(
    opened: Callable[..., AppTest], finished: Run
) -> None:
    app = opened(text="a fine warm film, lovely")
    model: BagOfWords = setup_of(finished.id).trainer.load("BOW + SVM").baseline
    found = model.word_weights("a fine warm film, lovely")
    shown = app.code[0].value.replace("−", "-")
    assert f"= {found.score:+.3f}  score" in shown and f"{100 * found.p_positive:.1f} %" in shown
    counts = next(f.value for f in app.dataframe if "warm" in f.value.columns)
    assert list(counts.iloc[0]) == [1, 1, 1, 1] and list(counts.columns) == [
        "fine",
        "warm",
        "film",
        "lovely",
    ]
    app.segmented_control(key="duel_words").set_value("TF-IDF + logistic regression").run()
    assert not app.exception and app.code[0].value != shown


def test_disagreements_are_unequal_answers_and_a_row_becomes_the_review(
    opened: Callable[..., AppTest], finished: Run
) -> None:
    app = opened(duel_look="Where do they disagree?")
    assert not app.error, words(app)
    table = frame_with(app, "id", "true", "positive")
    setup = setup_of(finished.id)
    validation = setup.evaluation["validation"]
    says = [
        setup.trainer.load(name).p_positive(validation.texts) > 0.5
        for name in BASELINES
        if name not in FROZEN_HEADS[1:]
    ]
    says.append(load(finished.id).probabilities(validation.texts)[:, 1] > 0.5)
    torn = ~(np.all(says, axis=0) | ~np.any(says, axis=0))
    assert set(table["id"]) == {e.id for e, differ in zip(validation, torn, strict=True) if differ}


def test_the_comparison_has_everybody_and_says_how_to_get_the_others(
    opened: Callable[..., AppTest],
) -> None:
    app = opened(duel_look="Comparison")
    assert not app.error, words(app)
    table = frame_with(
        app, "method", "accuracy", "macro_f1", "train_seconds", "ms_per_review", "bytes"
    )
    assert (
        len(table) == len(BASELINES) + 1
        and table["accuracy"].between(0, 100).all()
        and (table["train_seconds"].astype(float) > 0).all()
    )
    said = words(app).replace("\\", "")
    assert "fetch model bert-base-uncased" in said and "fetch model bert-large-uncased" in said


def test_when_to_use_which(opened: Callable[..., AppTest]) -> None:
    app = opened(duel_look="When to use which")
    when, trade_offs = [table.value for table in app.table][-2:]
    assert when.shape == (5, 1) and when.index.name == "Use BERT when …"
    assert trade_offs.shape == (4, 2) and " ms" in trade_offs["measured or seen here"].iloc[0]


@pytest.mark.parametrize("text", ["😀", "x", "<b>bold</b> $x^2$ [a](javascript:b)", "word " * 999])
def test_odd_reviews(opened: Callable[..., AppTest], text: str) -> None:
    app = opened(text=text)
    assert not app.exception and not app.error, words(app)


def test_a_training_that_fails_is_shown_and_the_others_answer(
    finished: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.errors import BadInput

    real = trainer.BaselineTrainer.train

    def train(self, family: str, **options: object) -> dict:  # noqa: ANN001
        if family == "LSTM":
            raise BadInput("The LSTM fell over.", "Try again.")
        return real(self, family, **options)

    monkeypatch.setattr(trainer.BaselineTrainer, "train", train)
    app = visit(PAGE, probe=VIEW, duel_trained=OWN, duel_look="Milliseconds")
    app.button(key="duel_train").click().run()
    wait_until(lambda: all(job.over for job in jobs()._jobs.values()))
    app = app.run()
    assert not app.exception and any("fell over" in e.value for e in app.error)
    assert "LSTM" not in set(frame_with(app, "method", "ms")["method"])
    assert app.button(key="duel_train")
    monkeypatch.setattr(trainer.BaselineTrainer, "train", real)
    app.button(key="duel_train").click().run()
    wait_until(
        lambda: jobs().find(training_key(setup_of(finished.id), "LSTM")).state == "done", 120
    )
    app = app.run()
    assert "LSTM" in set(frame_with(app, "method", "ms")["method"]) and not app.error


def test_before_they_learn_bert_answers_already(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    """Training begins when somebody asks for it, not while a class waits."""
    app = visit(PAGE, probe=VIEW, duel_trained=OWN, duel_look="Milliseconds")
    assert not app.exception and not app.error and not jobs()._jobs
    assert list(frame_with(app, "method", "ms")["method"])[0].startswith("BERT:")
    assert all(name in words(app).replace("\\", "") for name in FAMILIES)
    assert app.button(key="duel_train")


def test_damaged_files_are_made_again(opened: Callable[..., AppTest], finished: Run) -> None:
    opened(duel_look="Milliseconds")
    paths = list((finished.folder.parents[1] / "cache" / "duel").iterdir())
    for path in paths:
        path.write_bytes(path.read_bytes()[:-5])
    st.cache_resource.clear()
    app = opened(duel_look="Milliseconds")
    assert not app.error and len(frame_with(app, "method", "ms")) == len(BASELINES) + 1
    made = [path for path in paths if path.name.startswith("classifier-")]
    assert len(made) == len(BASELINES) and all(load_arrays(path) for path in made)


def test_the_milliseconds_are_timed_anew_when_asked(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One shot was timed and kept as long as the server ran. Times are set here, not measured."""
    now = [1.0]

    def timed(classifiers: dict, texts: list[str], **options: object) -> dict:
        return {name: TimingSpread(now[0], 0.5, 2 * now[0], 5) for name in classifiers}

    monkeypatch.setattr("bertsent.ui.probe.others_say_costs.time_answers", timed)
    app = opened(text="a review that nobody timed before", duel_look="Milliseconds")
    columns = ["ms", "ms from", "ms to"]
    assert (frame_with(app, "method", "ms")[columns] == [1, 0.5, 2]).all(axis=None)
    now[0] = 7.0
    assert (app.run() and frame_with(app, "method", "ms")["ms"] == 1).all()
    app.button(key="duel_time_again").click().run()
    assert not app.exception and (frame_with(app, "method", "ms")["ms"] == 7).all()


def test_training_does_not_hold_up_short_work(finished: Run, visit: Callable[..., AppTest]) -> None:
    """One visitor's baselines held everybody's maps for minutes."""
    visit(PAGE, probe=VIEW, duel_trained=OWN).button(key="duel_train").click().run()
    lanes = {jobs().find(training_key(setup_of(finished.id), family)).lane for family in FAMILIES}
    assert lanes == {"long"}


def as_bert_base(run: Run) -> Run:
    """The same run, as if it had begun with the weights of BERT-base."""
    path = run.folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(config | {"model": "bert-base-uncased"}), encoding="utf-8")
    return run


def test_a_damaged_run_does_not_hide_the_others(finished: Run, lab: Path) -> None:
    """One unreadable config.json took all BERT-base and BERT-large runs out of the comparison; so
    did one run whose reviews were damaged.
    """
    unseen = Reviews("unseen", (Example("1", "never met", 1), Example("2", "nor this", 0)))
    as_bert_base(finished)
    for name, file in (("calm-damaged-1", "config.json"), ("calm-damaged-2", "reviews.parquet")):
        shutil.copytree(finished.folder, lab / "runs" / name)
        (lab / "runs" / name / file).write_bytes(b"{ no")
    found, notes = large_baselines(unseen)
    assert [each.name for each in found] == [f"BERT-base: {finished.id}"] and len(notes) == 1
    expected = load(finished.id).probabilities(unseen.texts)[:, 1]
    assert np.allclose(found[0].p_positive(unseen.texts), expected)
    assert found[0].key.endswith(f" {finished.config.training.max_length}")


def test_a_name_that_is_used_again_is_another_run(finished: Run) -> None:
    """What a run had learned from was remembered under its name: a new run of that name was taken
    for the old one.
    """
    reviews = finished.splits().validation
    as_bert_base(finished)
    assert len(large_baselines(reviews)[0]) == 1
    splits = finished.splits()
    Splits(reviews, splits.train).save(finished.folder / "reviews.parquet")
    os.utime(finished.folder / "config.json", ns=(1, 1))
    assert not large_baselines(reviews)[0]
