"""Runs of other tasks on the pages: each tab has something to say of them, and none an error."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.metrics import classification_report
from streamlit.testing.v1 import AppTest

from bertsent.tasks.catalogue import FIVE_STEPS
from bertsent.training.runs.report import newest_scores
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune import run_report_tasks
from bertsent.ui.fine_tune.opening import ALL_RUNS, COMPARE, LANDSCAPE, LESSON, NEW_RUN
from bertsent.ui.fine_tune.run_report_tasks import THRESHOLD
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE
from tests.ui.runs_of_tasks import RUNS

DRAWN = "results_drawn"


def test_five_steps_have_a_matrix_of_all_labels_with_its_reviews(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, run="five-steps")
    assert not app.exception and not app.error, words(app)
    run = Run(lab_of_tasks / "runs" / "five-steps")
    reviews, (_, scores) = run.splits().validation, newest_scores(run, run.history())
    given = scores.argmax(1)
    table = classification_report(
        reviews.labels, given, target_names=FIVE_STEPS.labels, zero_division=0.0
    )
    assert table.split() in [block.value.split() for block in app.code]
    cell = app.selectbox(key="confusion_cell")
    wrong = int((given != reviews.labels).sum())
    assert cell.options[0] == f"Wrong {wrong}"
    pairs = list(zip(reviews.labels, given.tolist(), strict=True))
    fullest = max(set(pairs), key=pairs.count)
    cell.set_value(f"{fullest[0]}-{fullest[1]}").run()
    shown = next(d.value for d in app.dataframe if "predicted" in d.value)
    assert set(shown["true"]) == {FIVE_STEPS.labels[fullest[0]]}
    assert set(shown["predicted"]) == {FIVE_STEPS.labels[fullest[1]]}


def test_a_report_of_several_rows_stands_beside_its_matrix(
    lab_of_tasks: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left half of its width empty. A report that half a page does not hold, and that of
    presenter mode, which shows one result at a time, have the whole.
    """

    def halves(app: AppTest) -> list[bool]:
        assert not app.exception and {"report", "confusion"} <= {*app.session_state[DRAWN]}
        return [bool(column.get("vega_lite_chart")) for column in app.columns if column.code]

    app = visit(PAGE, run="five-steps")
    assert halves(app) == [False]
    assert any(column.get("vega_lite_chart") and not column.code for column in app.columns)
    assert halves(visit(PAGE, run="five-steps", present="1")) == []
    monkeypatch.setattr(run_report_tasks, "HALVES", ((1, 1), 12))  # “very negative” has 13
    assert halves(visit(PAGE, run="five-steps")) == []


def test_several_labels_are_reported_at_a_threshold_that_a_visitor_moves(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, run="feelings")
    assert not app.exception and not app.error, words(app)
    run = Run(lab_of_tasks / "runs" / "feelings")
    reviews, (_, scores) = run.splits().validation, newest_scores(run, run.history())
    app.slider(key=THRESHOLD).set_value(30).run()
    truth = [[value > 0 for value in row] for row in reviews.targets]
    names = reviews.task.output_names
    table = classification_report(truth, scores > 0.3, target_names=names, zero_division=0.0)
    assert table.split() in [block.value.split() for block in app.code]


def test_numbers_are_reported_with_their_line_of_best_fit(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, run="similarity")
    assert not app.exception and not app.error, words(app)
    assert "The line of best fit" in words(app).replace("\\", "")
    misses = app.dataframe[-1].value
    assert misses["error"].abs().is_monotonic_decreasing


def test_each_task_of_a_mixture_has_its_own_report(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, run="mixed")
    for part in ("five-steps", "paraphrase", "similarity"):
        app.segmented_control(key="report-part").set_value(part).run()
        assert not app.exception and not app.error, words(app)


def test_landscape_lesson_and_comparison_leave_out_what_needs_two_labels(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    for tab in (LANDSCAPE, LESSON):
        app = visit(PAGE, run="feelings", tab=tab)
        assert not app.exception and not app.error, words(app)
    app = visit(PAGE, runs="five-steps,similarity", tab=ALL_RUNS)
    assert not app.exception and not app.error, words(app)
    assert "r " in next(d.value for d in app.dataframe if "measured" in d.value)["measured"].max()


def test_a_page_about_sentiment_says_that_the_run_answers_another_question(
    lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit("3_Probe", model="similarity")
    assert not app.exception and not app.error, words(app)
    assert any("another question" in box.value for box in app.info)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("tab", ["Run", NEW_RUN, COMPARE, ALL_RUNS, LANDSCAPE, LESSON])
def test_no_tab_fails(
    name: str, tab: str, lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    options = {"runs": name} if tab == ALL_RUNS else {}
    app = visit(PAGE, run=name, tab=tab, **options)
    assert not app.exception and not app.error, words(app)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("page", ["1_Home", "3_Probe", "4_Attention", "6_Map"])
def test_no_other_page_fails(
    name: str, page: str, lab_of_tasks: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(page, model=name)
    assert not app.exception and not app.error, words(app)
