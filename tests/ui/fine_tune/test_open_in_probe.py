"""From a run, from what it answered wrongly, and from its dots to the tab of Probe that asks it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.tasks.questions import asks_for_steps
from bertsent.training.runs.report import run_report
from bertsent.training.runs.run import Run
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE
from tests.ui.probe.driving import press

Visit = Callable[..., AppTest]
TABS = {
    "five-steps": "Five steps",
    "aspects": "Aspects",
    "feelings": "Feelings",
    "similarity": "Two texts",
    "topics": "Your labels",
    "marks": "Your labels",
}


@pytest.fixture
def first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of which the first row is chosen, which AppTest cannot do."""
    draw = st.dataframe

    def chosen(*arguments: Any, **options: Any) -> Any:
        drawn = draw(*arguments, **options)
        if not str(options.get("key", "")).endswith("_reviews"):
            return drawn
        return SimpleNamespace(selection=SimpleNamespace(rows=[0]))

    monkeypatch.setattr(st, "dataframe", chosen)


@pytest.mark.parametrize("run", TABS)
def test_a_run_is_asked_on_the_tab_of_its_task(lab_of_tasks: Path, visit: Visit, run: str) -> None:
    app = press(visit(PAGE, run=run), f"probe-{run}")
    assert not app.exception and not app.error, words(app)
    assert app.session_state["probe"] == TABS[run]
    assert "none" not in app.session_state["results_drawn"]


def test_each_task_of_a_mixture_has_its_button(lab_of_tasks: Path, visit: Visit) -> None:
    app = press(visit(PAGE, run="mixed"), "probe-mixed-Two texts")
    assert app.session_state["probe"] == "Two texts"
    keys = ("steps_model", "similarity_model", "paraphrase_model")
    assert {app.session_state[key] for key in keys} == {"mixed"}
    assert app.session_state["results_drawn"] == ["two_texts", "two_texts_overlap"]


def test_a_wrong_review_of_five_steps_opens_with_the_run(
    lab_of_tasks: Path, visit: Visit, first_row: None
) -> None:
    app = press(visit(PAGE, run="five-steps"), "confusion_probe")
    wrong = run_report(Run(lab_of_tasks / "runs" / "five-steps")).mistakes.iloc[0]
    assert app.session_state["text"] == wrong["text"]
    answers = load("five-steps").answers([(wrong["text"], "")])[0]
    assert app.subheader[0].value.replace("\\", "")[2:] == (
        f"{wrong['predicted']} {100 * answers.max():.1f} %"
    )


def test_an_aspect_opens_with_its_sentence(
    lab_of_tasks: Path, visit: Visit, first_row: None
) -> None:
    app = press(visit(PAGE, run="aspects"), "confusion_probe")
    wrong = run_report(Run(lab_of_tasks / "runs" / "aspects")).mistakes.iloc[0]
    assert not app.exception and not app.error
    assert app.session_state["aspect_sentence"] == wrong["text"]
    assert f"{wrong['second']}: {wrong['predicted']}" in words(app).replace("\\", "")


def test_the_worst_pair_opens_with_both_texts(
    lab_of_tasks: Path, visit: Visit, first_row: None
) -> None:
    """The tab did not say that another model answers whether the texts say the same."""
    app = press(visit(PAGE, run="similarity"), "worst-answers_probe")
    worst = run_report(Run(lab_of_tasks / "runs" / "similarity")).answers.iloc[0]
    assert app.text_input(key="two_first").value == worst["text"]
    assert app.text_input(key="two_second").value == worst["second"]
    assert f"similarity {worst['predicted']:.1f} of 5" in app.subheader[0].value.replace("\\", "")
    said = words(app).replace("\\", "")
    assert "Similarity by similarity, step " in said and "; paraphrase by mixed, step " in said


def test_the_worst_answer_of_several_labels_opens(
    lab_of_tasks: Path, visit: Visit, first_row: None
) -> None:
    app = press(visit(PAGE, run="feelings"), "worst-answers_probe")
    worst = run_report(Run(lab_of_tasks / "runs" / "feelings")).answers.iloc[0]
    assert app.session_state["text"] == worst["text"]
    assert app.session_state["results_drawn"][0] == "feelings"


def test_own_labels_are_answered_with_what_their_file_says(
    lab_of_tasks: Path, visit: Visit
) -> None:
    text = Run(lab_of_tasks / "runs" / "topics").splits().validation.examples[0]
    app = visit("3_Probe", probe="Your labels", own_model="topics", text=text.text)
    assert not app.exception and not app.error
    answers = load("topics").answers([(text.text, "")])[0]
    assert f"{100 * answers.max():.1f} %" in app.subheader[0].value.replace("\\", "")
    truth = ("cooking", "sports", "travel")[text.label or 0]
    assert f"Its file says: {truth}" in words(app).replace("\\", "")
    app = visit("3_Probe", probe="Your labels", own_model="marks", text=text.text)
    number = load("marks").answers([(text.text, "")])[0]
    assert f"score {number:.2f} of 10" in app.subheader[0].value.replace("\\", "")


def test_a_checkpoint_in_the_bar_is_no_other_model(lab_of_tasks: Path, visit: Visit) -> None:
    """The run that a link named was said to answer another question where the bar had it."""
    app = visit("3_Probe", probe="Five steps", model="five-steps", steps_model="five-steps")
    assert not app.exception and not app.warning, words(app)
    assert asks_for_steps(load("five-steps").task)
