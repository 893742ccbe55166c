"""Hyperparameter grids on the Compare tab: counted before they start, started, read, and a best run
named only where one is.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.statistics import majority_class_accuracy
from bertsent.training.config import TrainingConfig
from bertsent.training.groups import run_group
from bertsent.training.groups.grid import start_grid
from bertsent.training.groups.run_group import RunGroup
from bertsent.training.runs.accuracy import RunAnswers, comparison_sentence
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.compare_draft import GRID
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button


@pytest.fixture
def form(visit: Callable[..., AppTest]) -> AppTest:
    app = visit(PAGE, tab="Compare")
    app.segmented_control(key="group-compare").set_value(GRID).run()
    return app.segmented_control(key="group-kind").set_value("Built-in").run()


def test_the_number_of_runs_is_said_and_bounded(form: AppTest) -> None:
    assert "6 runs of 2 epochs on 400 reviews, evaluated on 500" in words(form)
    form.slider(key="group-grid-seeds").set_value(3).run()
    form.multiselect(key="group-rates").set_value([1e-5, 5e-5]).run()
    assert any("36 runs" in error.value for error in form.error) and not form.exception
    form.multiselect(key="group-rates").set_value([]).run()
    assert form.error and not form.exception
    assert not any(b.key == "group-start" for b in form.button)


def test_the_published_experiment_says_what_each_setting_changed(
    visit: Callable[..., AppTest],
) -> None:
    text = words(visit(PAGE, group="published-configurations")).replace("\\", "")
    assert "SW changes mean by +0.066" in text and "CLS changes mean by −0.032" in text
    assert "edit" not in text.lower() and "extra data" in text


def test_runs_are_started_and_their_table_fills(
    form: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[Run] = []
    monkeypatch.setattr(run_group, "launch", launched.append)
    form.multiselect(key="group-pooling").set_value(["cls"]).run()
    form.select_slider(key="group-grid-rows").set_value(200).run()
    button(form, "group-start").click().run()
    assert not form.exception and len(launched) == 2
    (table,) = [each.value for each in form.dataframe if "Trained parts" in each.value]
    assert table["Trained parts"].tolist() == ["Everything", "Head only"]


@pytest.fixture
def grid(
    lab: Path, tiny_backbone: Path, toy_reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> RunGroup:
    """Six runs that were laid down and never began."""
    monkeypatch.setattr(run_group, "launch", lambda run: None)
    levels = {"pooling": ["cls", "mean", "max"], "seed": [1, 2]}
    config = TrainingConfig(max_length=32)
    return start_grid(split(toy_reviews), config, levels, source="toy", model=str(tiny_backbone))


def test_events_are_read_once_for_all_viewers(
    grid: RunGroup, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab read all events of 24 runs anew every three seconds, for each viewer."""
    reads: list[str] = []
    history = Run.history
    monkeypatch.setattr(Run, "history", lambda run: reads.append(run.id) or history(run))
    app = visit(PAGE, tab="Compare", group=grid.name)
    assert not app.exception and len(app.dataframe) >= 1
    reads.clear()
    app.run()
    assert not app.exception and len(reads) <= len(grid.members), "the status of each run at most"


def answers_of(*accuracies: float) -> dict[str, RunAnswers]:
    """Runs that are right for this share of the same validation reviews, the first ones."""
    reviews = split(load_reviews("builtin", contrastive=False)).validation
    count = len(reviews)
    return {
        f"r{i}": RunAnswers(1, reviews, np.arange(count) < accuracy * count)
        for i, accuracy in enumerate(accuracies)
    }


def test_a_run_is_called_best_only_beyond_chance() -> None:
    """ "X is best" looked at the interval of the winner alone: not at the pairing, the interval of
    the runner-up, or the choice among 24.
    """
    clear = comparison_sentence(answers_of(0.60, 0.90))
    assert clear.startswith("r1 is best")
    close = answers_of(0.620, 0.615)
    assert "cannot be told apart" in comparison_sentence(close)
    share = majority_class_accuracy(close["r0"].reviews.labels)
    assert f"{100 * share:.1f} %" in comparison_sentence(close)
    assert "evaluated" in comparison_sentence(answers_of(0.9))


def test_the_choice_among_many_is_corrected_for() -> None:
    """A difference that two runs alone would show is no difference among 24."""
    two = answers_of(0.6000, 0.6095)
    assert comparison_sentence(two).startswith("r1 is best")
    many = answers_of(*[0.6000] * 23, 0.6095)
    assert not comparison_sentence(many).startswith("r23 is best")


def test_runs_with_other_validation_reviews_are_not_compared() -> None:
    one, other = answers_of(0.5), answers_of(0.9)
    reviews = other["r0"].reviews.take(range(100))
    other["r1"] = RunAnswers(1, reviews, np.ones(100, bool))
    sentence = comparison_sentence({"a": one["r0"], "b": other["r1"]})
    assert "is best" not in sentence and "cannot be compared" in sentence
