"""All runs on one page: selected, renamed, repeated, deleted, compared; a damaged one spoils
nothing.
"""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from bertsent.data.sources import load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.figures.pictures import picture
from bertsent.statistics import majority_class_accuracy
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.notes import Note, read_note, write_note
from bertsent.training.runs.run import Run, list_runs
from bertsent.ui.fine_tune import all_runs, new_run_reviews, run_report
from bertsent.ui.fine_tune.all_runs import table_key
from bertsent.ui.fine_tune.new_run_duplicate import KEYS
from bertsent.ui.fine_tune.new_run_reviews import BUILT_IN, EARLIER, NATURAL_SHARE
from bertsent.ui.fine_tune.opening import ALL_RUNS, NEW_RUN, RUN, TAB
from tests.ui.conftest import words

PAGE = "2_Fine-tune"


def button(app: AppTest, key: str):
    return next(b for b in app.button if b.key == key)


def keys(app: AppTest) -> set[str]:
    return {b.key for b in app.button}


@pytest.fixture
def second(finished: Run) -> Run:
    """Another run like the finished one, of another seed."""
    folder = finished.folder.with_name("second-run")
    shutil.copytree(finished.folder, folder)
    config = finished.config
    replace(config, id=folder.name, training=replace(config.training, seed=7)).save(
        folder / "config.json"
    )
    return Run(folder)


@pytest.fixture
def damaged(finished: Run) -> Run:
    folder = finished.folder.with_name("odd-run")
    shutil.copytree(finished.folder, folder)
    (folder / "config.json").write_text('{"id": ')
    return Run(folder)


@pytest.fixture
def table(visit: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Open the table of all runs with some of them selected."""

    def opened(*runs: Run) -> AppTest:
        app = visit(PAGE, tab=ALL_RUNS)
        return select(app, *runs) if runs else app

    return opened


def select(app: AppTest, *runs: Run) -> AppTest:
    ids = [run.id for run in list_runs()]
    app.session_state[table_key(ids)] = {
        "selection": {"rows": sorted(ids.index(run.id) for run in runs), "columns": [], "cells": []}
    }
    return app.run()


def shown(app: AppTest):
    return next(d.value for d in app.dataframe if d.key and d.key.startswith("runs-table"))


def table_of(app: AppTest, column: str):
    """The table that has this column; None where there is none."""
    return next((d.value for d in app.dataframe if column in d.value.columns), None)


def test_no_runs_says_what_will_be_here(table: Callable[..., AppTest]) -> None:
    app = table()
    assert not app.exception and not app.error
    assert app.info and not app.dataframe


def test_the_table_lists_every_run_and_nothing_selected_says_what_to_do(
    finished: Run, second: Run, damaged: Run, table: Callable[..., AppTest]
) -> None:
    write_note(second.folder, "Seed <b>7</b>", "why not")
    app = table()
    assert not app.exception and not app.error
    rows = shown(app).set_index("run")
    assert dict(rows["status"]) == {
        finished.id: "finished",
        second.id: "finished",
        damaged.id: "unreadable",
    }
    share = majority_class_accuracy(finished.splits().validation.labels)
    assert rows.loc[finished.id, "majority"] == pytest.approx(100 * share)
    assert rows.loc[second.id, "title"] == "Seed <b>7</b>"
    assert rows.loc[finished.id, "accuracy"] == 100 * finished.history().best_accuracy
    assert (
        rows.loc[finished.id, "progress"] == 100 and rows.loc[finished.id, "model"] == "tiny-bert"
    )
    assert "Select a run to rename" in words(app)


def test_a_run_is_renamed_and_its_title_is_on_both_views(
    finished: Run, table: Callable[..., AppTest]
) -> None:
    app = table(finished)
    app.text_input(key=f"title-{finished.id}").set_value("My *first* run")
    app.text_area(key=f"text-{finished.id}").set_value("Line one\nline two")
    button(app, f"save-{finished.id}").click().run()
    assert not app.exception and not app.error
    assert read_note(finished.folder) == Note("My *first* run", "Line one\nline two")
    assert shown(app)["title"].tolist() == ["My *first* run"]
    assert r"My \*first\* run" in words(app), "what was typed must not become markup"
    app.segmented_control(key=TAB).set_value(RUN).run()
    assert any(
        f"My *first* run ({finished.id})" in option
        for option in app.selectbox(key="run-box").options
    )


def test_deleting_takes_a_second_click_and_the_right_run(
    finished: Run, second: Run, table: Callable[..., AppTest]
) -> None:
    app = table(second)
    assert second.folder.is_dir() and f"Delete {second.id}".replace("-", r"\-") in words(app)
    button(app, "delete-sure").click().run()
    assert not app.exception and not app.error
    assert [run.id for run in list_runs()] == [finished.id]
    assert shown(app)["run"].tolist() == [finished.id]
    assert "delete-sure" not in keys(app), "nothing is selected any more"


def test_a_run_that_trains_is_not_deleted(finished: Run, table: Callable[..., AppTest]) -> None:
    app = table(finished)
    with FileLock(finished.folder / "lock"):
        button(app, "delete-sure").click().run()
    assert not app.exception and finished.folder.is_dir()
    assert "is still training" in words(app).replace("\\", "")


def test_two_runs_are_compared(finished: Run, second: Run, table: Callable[..., AppTest]) -> None:
    app = table(finished, second)
    assert not app.exception and not app.error, words(app)
    settings = table_of(app, "setting")
    columns = [finished.id, second.id]
    assert settings[["setting", *columns]].to_numpy().tolist() == [["seed", "42", "7"]]
    measured = table_of(app, "measure").set_index("measure")
    best = finished.history().best_accuracy
    assert all(
        measured.loc["best validation accuracy", name].startswith(f"{100 * best:.1f} % at step")
        for name in columns
    )
    assert "cannot be told apart" in words(app) and "more frequent label" in words(app)
    app.segmented_control(key="compare_over").set_value("seconds").run()
    assert not app.exception and not app.error


def test_runs_that_cannot_be_read_are_left_out_of_a_comparison(
    finished: Run, damaged: Run, table: Callable[..., AppTest]
) -> None:
    app = table(finished, damaged)
    assert not app.exception and not app.error
    assert "Left out because" in words(app) and "Select at least two" in words(app)


def test_a_run_that_cannot_be_read_can_be_named_and_deleted(
    damaged: Run, finished: Run, table: Callable[..., AppTest]
) -> None:
    app = table(damaged)
    assert not app.exception and "cannot be read" in words(app)
    assert f"duplicate-{damaged.id}" not in keys(app)
    button(app, "delete-sure").click().run()
    assert not damaged.folder.exists() and finished.folder.exists()


def test_a_link_of_before_opens_what_it_compares(
    finished: Run, second: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, learn_view="All runs", runs=f"{finished.id},{second.id}")
    assert not app.exception and not app.error
    assert table_of(app, "setting") is not None


def test_a_duplicate_fills_the_form_with_the_very_settings(
    finished: Run, table: Callable[..., AppTest], lab: Path, tiny_backbone: Path
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    wanted = TrainingConfig(
        epochs=5,
        batch_size=4,
        max_length=48,
        encoder_lr=3e-4,
        head_lr=2e-3,
        layer_decay=0.9,
        warmup_share=0.2,
        trains="last",
        last_layers=1,
        lora_rank=4,
        pooling="mean",
        accumulate=2,
        label_smoothing=0.1,
        class_weights="balanced",
        patience=3,
        seed=11,
        dropout=0.3,
    )
    config = finished.config
    replace(config, training=wanted, sentinels=("one", "two")).save(finished.folder / "config.json")
    app = table(finished)
    button(app, f"duplicate-{finished.id}").click().run()
    assert not app.exception and not app.error, words(app)
    widgets = [*app.number_input, *app.slider, *app.selectbox]
    form = {w.key: w.value for w in widgets if w.key and w.key.startswith("draft-")}
    assert {field: form[key] for field, key in KEYS.items()} == {
        field: getattr(wanted, field) for field in KEYS
    }
    assert (
        form["draft-model"] == "tiny" and app.text_area(key="draft-sentinels").value == "one\ntwo"
    )
    text = words(app).replace("\\", "")
    assert finished.id in text and "left out: dropout 0.3" in text
    assert app.segmented_control(key=TAB).value == NEW_RUN


@pytest.fixture
def offered(lab: Path, tiny_backbone: Path) -> None:
    """The host offers the model of the runs."""
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)


@pytest.mark.usefixtures("offered")
def test_a_duplicate_has_the_reviews_of_its_run_whatever_their_name(
    finished: Run, table: Callable[..., AppTest]
) -> None:
    """Duplicate guessed by file name: an uploaded reviews.csv became the built-in set, an
    imdb.parquet the IMDb of the Hub.
    """
    config = finished.config
    for source in ("reviews.csv", "imdb_mine.parquet", "owner/name.csv"):
        data = replace(config.data, source=source)
        replace(config, data=data).save(finished.folder / "config.json")
        app = table(finished)
        button(app, f"duplicate-{finished.id}").click().run()
        assert not app.exception and not app.error, words(app)
        assert app.segmented_control(key="reviews-kind").value == EARLIER
        assert not button(app, "start").disabled
        choice = new_run_reviews._earlier(finished.id)
        splits = choice.splits(choice.usual_share, 1)
        assert (splits.sha256, choice.reviews.name) == (config.data.sha256, source)


def test_a_duplicate_of_a_model_that_is_not_offered_says_so(
    finished: Run, table: Callable[..., AppTest], tiny_backbone: Path
) -> None:
    """The form asked for a Hub id and called an empty one wrong."""
    app = table(finished)
    button(app, f"duplicate-{finished.id}").click().run()
    assert not app.exception and not app.error
    assert tiny_backbone.name in words(app).replace("\\", "")


@pytest.mark.usefixtures("offered")
def test_a_duplicate_of_a_built_in_run_has_the_built_in_reviews(
    finished: Run, table: Callable[..., AppTest]
) -> None:
    for share in (0.0, NATURAL_SHARE):
        splits = mix_contrastive(split(load_reviews("builtin", contrastive=share > 0)), share)
        config = finished.config
        data = replace(
            config.data, source="renamed.csv", sha256=splits.sha256, contrastive_share=share
        )
        replace(config, data=data).save(finished.folder / "config.json")
        app = table(finished)
        button(app, f"duplicate-{finished.id}").click().run()
        assert not app.exception and not app.error
        assert app.segmented_control(key="reviews-kind").value == BUILT_IN


def test_the_curves_of_one_run_are_downloaded(finished: Run) -> None:
    charts = run_report.run_charts(finished)
    assert len(charts) == 3
    assert b"Great, another boring movie" in picture(charts, "svg")


def test_a_visitor_finds_the_own_runs_among_those_of_a_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(all_runs, "visitor", lambda: SimpleNamespace(id="ann"))
    ann, ben = SimpleNamespace(owner="ann"), SimpleNamespace(owner="ben")
    assert all_runs._whose([ben, ann]) == ["", "yours"]
    assert all_runs._whose([ann]) == [""], "alone there is nothing to tell apart"
