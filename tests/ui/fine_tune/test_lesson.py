"""The Lesson tab: stages, quiz and the curves of the chosen run, in every state of a run."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.events import Evaluated
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune import lesson
from tests.ui.conftest import words

PAGE = "2_Fine-tune"


def read(app: AppTest) -> str:
    """What is on the page, without the escapes."""
    return words(app).replace("\\", "")


def press(app: AppTest, label: str) -> AppTest:
    return next(b for b in app.button if b.label == label).click().run()


def test_four_cards_tell_the_run_s_own_numbers(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, lesson="stages", run=finished.id)
    assert not app.exception and not app.error
    text = read(app)
    for title in ("1 · Pre-trained BERT", "2 · Add a head", "3 · Fine-tune", "4 · Deploy"):
        assert title in text
    assert (
        "66 = 32 × 2 + 2" in text
        and "checkpoints/step-" in text
        and f"bertsent export {finished.id} FOLDER" in text
    )
    assert "Training details" in text and "ln 2 = 0.693" in text


def test_the_built_in_model_s_numbers_without_a_run(
    visit: Callable[..., AppTest], with_shipped_model: None
) -> None:
    app = visit(PAGE, lesson="stages")
    assert not app.exception and not app.error
    assert "770 = 384 × 2 + 2" in read(app) and "assets/models/sentiment" in read(app)


def test_the_built_in_model_s_numbers_beside_a_run(
    finished: Run, visit: Callable[..., AppTest], with_shipped_model: None
) -> None:
    app = visit(PAGE, lesson="stages")
    app.segmented_control(key="lesson_of").set_value(lesson.BUILT_IN).run()
    assert not app.exception and "770 = 384 × 2 + 2" in read(app) and "66 = 32" not in read(app)


def test_the_quiz_is_graded_explained_and_tried_again(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, lesson="quiz")
    for stage, letter in ((1, "A"), (2, "C"), (3, "C")):
        app.radio(key=f"lesson-quiz-0-{stage}").set_value(letter)
    press(app, "Check")
    assert not app.exception and not app.error
    text = read(app)
    assert (
        "2 of 4 right" in text
        and "2-C** is wrong. A new head has seen no review" in text
        and "4** Not answered" in text
    )
    press(app, "Try again")
    assert not app.exception and "of 4 right" not in read(app)
    for stage, letter in zip((1, 2, 3, 4), "ABCD", strict=True):
        assert app.radio(key=f"lesson-quiz-1-{stage}").value is None
        app.radio(key=f"lesson-quiz-1-{stage}").set_value(letter)
    press(app, "Check")
    assert "4 of 4 right" in read(app)


def test_the_curves_of_a_run_are_read(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, lesson="curves")
    assert not app.exception and not app.error
    text = read(app)
    assert "lowest at step" in text and "Warm-up:" in text and "±" in text


def test_overfitting_is_said_and_where_the_weights_are(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    for step, epoch, loss in ((8, 2.0, 0.31), (12, 3.0, 0.9), (16, 4.0, 1.4)):
        finished.log.append(
            Evaluated(
                step=step,
                epoch=epoch,
                loss=loss,
                accuracy=0.6,
                macro_f1=0.6,
                seconds=1.0,
                train_loss=0.5 / step,
            )
        )
    app = visit(PAGE, lesson="curves")
    assert not app.exception and not app.error
    assert "Overfitting since step 8" in read(app)
    assert f"choose {finished.id}, step 8" in read(app)


def test_of_too_few_evaluations_nothing_is_said_but_that(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    lines = (finished.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    evaluated = [i for i, line in enumerate(lines) if b'"evaluated"' in line]
    (finished.folder / "events.jsonl").write_bytes(b"".join(lines[: evaluated[-1]]))
    app = visit(PAGE, lesson="curves")
    assert not app.exception and not app.error
    assert "2 evaluations of at least 3" in read(app) and "lowest at step" not in read(app)


def test_without_a_run_the_curves_say_what_will_be_here(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, lesson="curves")
    assert not app.exception and not app.error and app.caption


@pytest.mark.parametrize("state", ["running", "crashed", "failed"])
@pytest.mark.parametrize("part", list(lesson.PARTS))
def test_no_state_of_a_run_breaks_it(
    state: str, part: str, request: pytest.FixtureRequest, visit: Callable[..., AppTest]
) -> None:
    request.getfixturevalue(state)
    app = visit(PAGE, lesson=part)
    assert not app.exception and not any("unexpected" in each.value for each in app.error)
