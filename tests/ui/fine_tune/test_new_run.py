"""The New run tab: what the form says, starts and refuses."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.training.runs.run import list_runs
from bertsent.ui.fine_tune import new_run
from bertsent.ui.fine_tune.opening import RUN, TAB
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button


def test_the_empty_state_says_what_to_do(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert not button(app, "start").disabled
    halves = split(load_reviews("builtin", contrastive=True))
    assert (
        f"{len(halves.train):,} training and {len(halves.validation):,} validation reviews"
        in words(app)
    )


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the runs that were launched; none of them has a worker."""
    found: list[str] = []
    monkeypatch.setattr(new_run, "launch", lambda run: found.append(run.id))
    return found


def test_a_run_is_started_from_the_form_with_what_it_says(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, launched: list[str]
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = visit(PAGE)
    app.selectbox(key="draft-model").set_value("tiny").run()
    app.number_input(key="draft-epochs").set_value(1)
    app.number_input(key="draft-length").set_value(32)
    button(app, "start").click().run()
    assert not app.exception and not app.error
    (run,) = list_runs()
    config = run.config
    assert (config.training.epochs, config.training.max_length, config.data.source) == (
        1,
        32,
        "reviews.csv",
    )
    assert config.sentinels[0] == "Great, another boring movie"
    assert app.segmented_control(key=TAB).value == RUN
    assert launched == [run.id]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.csv", b"", "is empty"),
        ("x.csv", b"title,label\na,1\n", "no text column"),
        ("x.csv", "text,label\na,1\n".encode("utf-16"), "UTF-16"),
        ("x.csv", b"text,label\nfine,1\nbad,\n", "has no label"),
        ("x.csv", b"text,label\nfine,wonderful\n", "unknown label"),
        ("x.csv", b"text,label\n" + b"fine,1\n" * 30, "are positive"),
    ],
)
def test_a_bad_upload_is_refused_and_nothing_is_lost(
    visit: Callable[..., AppTest], name: str, data: bytes, said: str
) -> None:
    app = visit(PAGE)
    app.number_input(key="draft-epochs").set_value(7).run()
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    app.file_uploader(key="reviews-upload").upload(name, data).run()
    assert not app.exception
    assert any(said in e.value.replace("\\", "") for e in app.error), words(app)
    assert button(app, "start").disabled
    assert app.number_input(key="draft-epochs").value == 7
    assert not list_runs()


def test_a_good_upload_is_shown_and_starts_a_run(
    visit: Callable[..., AppTest],
    lab: Path,
    tiny_backbone: Path,
    toy_reviews: Reviews,
    launched: list[str],
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = visit(PAGE)
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    data = toy_reviews.frame()[["text", "label"]].to_csv(index=False).encode()
    app.file_uploader(key="reviews-upload").upload("../../mine.csv", data).run()
    app.selectbox(key="draft-model").set_value("tiny").run()
    app.number_input(key="draft-length").set_value(32).run()
    assert "32 training and 8 validation reviews" in words(app)
    (shown,) = (d.value for d in app.dataframe)
    assert shown["text"].tolist() == toy_reviews.texts[:5]
    assert "20 positive (50.0 %), 20 negative" in words(app).replace("\\", "")
    button(app, "start").click().run()
    assert not app.exception and not app.error
    (run,) = list_runs()
    assert launched == [run.id]
    assert {e.contrastive for e in run.splits().train} == {False}


def test_a_visitor_chooses_the_columns_and_what_their_labels_mean(
    visit: Callable[..., AppTest],
) -> None:
    """A file whose columns had other names could not be used; one with two text columns was read by
    the one that nobody meant.
    """
    rows = [
        (f"plain {i}", f"fine film {i}", f"dull book {i}", "ab"[i % 4 == 0], i % 2)
        for i in range(40)
    ]
    table = pd.DataFrame(rows, columns=["text", "Body", "other", "verdict", "label"])
    app = visit(PAGE)
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    app.file_uploader(key="reviews-upload").upload("mine.csv", table.to_csv(index=False).encode())
    app.run()
    assert box(app, "Text column").value == "text" and box(app, "Label column").value == "label"
    assert box(app, "Positive is").value == "1" and not app.error
    box(app, "Text column").set_value("body").run()
    assert app.dataframe[0].value["text"].tolist() == [f"fine film {i}" for i in range(5)]
    assert app.dataframe[0].value["label"].str[0].tolist() == ["0", "1", "0", "1", "0"]
    box(app, "Positive is").set_value("0").run()
    assert app.dataframe[0].value["label"].str[0].tolist() == ["1", "0", "1", "0", "1"]
    box(app, "Label column").set_value("verdict").run()
    assert app.error and button(app, "start").disabled, "nobody knows what a and b mean"
    box(app, "Positive is").set_value("a").run()
    assert not app.exception and not app.error and not button(app, "start").disabled
    assert "30 positive (75.0 %), 10 negative" in words(app).replace("\\", "")


def box(app: AppTest, label: str):
    return next(found for found in app.selectbox if found.label == label)


def test_a_hub_model_with_the_hub_away_is_offered_as_a_job_and_spoils_nothing(
    visit: Callable[..., AppTest],
) -> None:
    app = visit(PAGE)
    app.selectbox(key="draft-model").set_value("A model of the Hub …").run()
    assert not app.exception
    assert "not on this server yet" in words(app)
    assert button(app, "start").disabled


@pytest.mark.parametrize("forged", [float("inf"), float("-inf"), float("nan"), 1e300])
def test_a_forged_number_breaks_nothing(visit: Callable[..., AppTest], forged: float) -> None:
    """A session that sent seed = inf broke with an OverflowError, and stayed broken."""
    app = visit(PAGE)
    app.number_input(key="draft-seed").set_value(forged).run()
    assert not app.exception
    app.run()
    assert not app.exception
