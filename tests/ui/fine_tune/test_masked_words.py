"""Masked words on the Fine-tune page: the form, a finished run with its guesses, where it leads."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.plain_texts import as_texts
from bertsent.models.checkpoint import load_checkpoint
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MASKED_WORDS
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.groups import run_group
from bertsent.training.groups.run_group import FURTHER_PRETRAINING, list_groups
from bertsent.training.parameter_count import count_parameters
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.run import Run, list_runs
from bertsent.ui.fine_tune import new_run
from bertsent.ui.fine_tune.opening import ALL_RUNS, COMPARE, LANDSCAPE, LESSON, NEW_RUN, TAB
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button, train_here

GAPS = ("The movie was [MASK].", "a [MASK] film")
RECIPE = TrainingConfig(epochs=1, batch_size=8, max_length=32, kept_checkpoints=0)


@pytest.fixture
def pretrained(lab: Path, tiny_backbone: Path, toy_reviews: Reviews) -> Run:
    run = prepare_run(
        as_texts(toy_reviews), RECIPE, model=str(tiny_backbone), sentinels=GAPS, name="filler"
    )
    train_here(run)
    return run


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the runs that were launched; none of them has a worker."""
    found: list[str] = []
    for module in (new_run, run_group):
        monkeypatch.setattr(module, "launch", lambda run: found.append(run.id))
    return found


def said_by(app: AppTest) -> str:
    """What a visitor reads, without the marks that keep it from being read as Markdown."""
    return words(app).replace("\\", "")


def test_the_form_starts_a_run_on_texts_alone(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, launched: list[str]
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = visit(PAGE, learn=MASKED_WORDS.name)
    app.selectbox(key="draft-model").set_value("tiny").run()
    gaps = app.text_area(key="draft-gaps")
    assert all(line.count("[MASK]") == 1 for line in gaps.value.splitlines())
    gaps.set_value("no gap here").run()
    assert "no [MASK]" in said_by(app) and button(app, "start").disabled
    app.text_area(key="draft-gaps").set_value("\n".join(GAPS)).run()
    app.segmented_control(key="reviews-texts").set_value("comments").run()
    button(app, "start").click().run()
    assert not app.exception
    assert not app.error, [error.value for error in app.error]
    (run,) = list_runs()
    assert launched == [run.id] and run.config.task == MASKED_WORDS
    assert run.config.sentinels == GAPS and run.config.data.source == "comments"
    assert {example.label for example in run.splits().train} == {None}


def test_a_file_of_texts_alone_chooses_what_is_learned(
    visit: Callable[..., AppTest], toy_reviews: Reviews
) -> None:
    app = visit(PAGE, tab=NEW_RUN)
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    lines = "\n".join(["text", *toy_reviews.texts]).encode()
    app.file_uploader(key="reviews-upload").upload("mine.csv", lines).run()
    assert not app.exception and not app.error
    assert app.session_state["learn"] == MASKED_WORDS.name
    assert "40 rows" in said_by(app) and not button(app, "start").disabled


def test_a_finished_run_shows_its_guesses_and_leads_on(
    pretrained: Run, visit: Callable[..., AppTest], launched: list[str]
) -> None:
    app = visit(PAGE, run=pretrained.id)
    assert not app.exception and not app.error
    guesses = pretrained.history().guess_frame()
    last = guesses[(guesses["text"] == GAPS[0]) & (guesses["rank"] == 1)].iloc[-1]
    assert f"“{last['word']}”" in said_by(app) and f"{100 * last['p']:.1f} %" in said_by(app)
    table = next(d.value for d in app.dataframe if "now" in d.value)
    assert table["sentence"].tolist() == list(GAPS)
    assert "perplexity" in said_by(app) and "random head" in said_by(app)
    app.selectbox(key=f"guesses-of-{pretrained.id}").set_value(GAPS[1]).run()
    assert f"“{GAPS[1]}”" in said_by(app)

    button(app, f"begin-{pretrained.id}").click().run()
    assert not app.exception and not app.error
    assert app.segmented_control(key=TAB).value == NEW_RUN
    assert app.selectbox(key="draft-model").value == pretrained.id
    button(app, "start").click().run()
    run = next(run for run in list_runs() if run.id != pretrained.id)
    assert run.config.task == SENTIMENT
    assert run.config.model == str(list_checkpoints(pretrained.checkpoints)[-1])


def test_one_click_starts_the_pair_without_and_with_it(
    pretrained: Run, visit: Callable[..., AppTest], launched: list[str]
) -> None:
    app = visit(PAGE, run=pretrained.id)
    button(app, f"pair-{pretrained.id}").click().run()
    assert not app.exception and not app.error
    assert app.segmented_control(key=TAB).value == COMPARE
    (group,) = list_groups()
    assert group.rows == FURTHER_PRETRAINING and launched == [m.run for m in group.members]
    (_, without), (_, having) = group.found()
    assert without.config.model == pretrained.config.model
    assert having.config.model == str(list_checkpoints(pretrained.checkpoints)[-1])
    for field in ("training", "data", "sentinels", "device"):
        assert getattr(without.config, field) == getattr(having.config, field)
    assert without.splits() == having.splits()
    assert f"with: {pretrained.id}/step-" in said_by(app)


def test_the_pair_is_compared_where_paired_runs_are(
    pretrained: Run, visit: Callable[..., AppTest], toy_reviews: Reviews, monkeypatch
) -> None:
    from bertsent.data.splits import split
    from bertsent.training.groups.ab import start_pretrained_pair

    monkeypatch.setattr(run_group, "launch", train_here)
    splits = split(toy_reviews, seed=42)
    group = start_pretrained_pair(pretrained, splits, RECIPE, source="toy texts")
    having = group.found()[1][1]
    first = load_checkpoint(having.checkpoints / "step-0").model.bert.state_dict()
    last = load_checkpoint(list_checkpoints(pretrained.checkpoints)[-1]).model.bert.state_dict()
    assert all((first[name] == last[name]).all() for name in last)
    app = visit(PAGE, group=group.name)
    assert not app.exception and not app.error
    said = said_by(app)
    assert "Without and with further pretraining" in said
    assert "% are right with further pretraining and" in said


def test_other_tabs_and_pages_take_such_a_run_kindly(
    pretrained: Run, visit: Callable[..., AppTest]
) -> None:
    started = pretrained.history().started
    found = count_parameters(Path(pretrained.config.model), RECIPE, MASKED_WORDS)
    assert (found.trainable, found.total) == (started.trainable, started.parameters)
    for tab in (LESSON, LANDSCAPE, ALL_RUNS):
        app = visit(PAGE, run=pretrained.id, tab=tab)
        assert not app.exception and not app.error, tab
    app = visit("3_Probe", model=pretrained.id)
    assert not app.exception and not app.error and MASKED_WORDS.title in said_by(app)
