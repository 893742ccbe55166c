"""Every step of every lesson that ships is opened: no error, no notice that a link was not
understood, and what the step wants bright or hidden is really there.
"""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.lessons.catalogue import ENDING, SHIPPED_LESSONS
from bertsent.lessons.page_links import missing_here
from bertsent.lessons.reading import read_lesson
from bertsent.ui.shared.frame import PAGES
from tests.conftest import wait_until

FILES = {entry.title: entry.file for entry in PAGES}
Visit = Callable[..., AppTest]
LESSONS = {
    path.stem: read_lesson(path.read_bytes(), path.stem)
    for path in sorted(SHIPPED_LESSONS.glob(f"*{ENDING}"))
}
# what a class sees once it has trained something
OF_OWN_RUNS = {"curves", "report", "confusion", "epochs", "group", "ab_reports", "compared_runs"}
STEPS = [
    (name, number) for name, lesson in LESSONS.items() for number in range(1, len(lesson.steps) + 1)
]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_that_ships_is_whole(name: str) -> None:
    lesson = LESSONS[name]
    assert not missing_here(lesson)
    assert 20 <= lesson.minutes <= 45 and lesson.goals and lesson.sources and lesson.quiz
    assert sum(step.question is not None for step in lesson.steps) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), STEPS)
def test_a_step_that_ships_opens_as_it_says(
    name: str, number: int, visit: Visit, with_shipped_model: None
) -> None:
    step = LESSONS[name].steps[number - 1]
    app = visit("8_Lessons", lesson=name, step=str(number))
    assert app.title[0].value == step.page
    assert not app.error and not app.exception and not app.warning and not app.toast
    app.switch_page(FILES[step.page])  # AppTest does not follow a page that opens another one
    wanted = {*step.focus, *step.hide} - (OF_OWN_RUNS if step.page == "Fine-tune" else set())
    wait_until(lambda: wanted <= set(app.run().session_state["results_drawn"]), 120, 0.5)
    assert not app.error and not app.exception
    for parameter, values in step.query().items():
        shown = app.query_params.get(parameter, values)  # the usual value is left out of the link
        assert shown == (values if len(values) > 1 else values[0]) or shown == values, parameter
