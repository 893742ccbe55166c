"""Batch with models of other tasks: a column a label, and the measures of scikit-learn where the
file says what is true.
"""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.probing.task_batch import answer_batch
from bertsent.training.runs.run import Run
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit

LINES = {
    "topics": "The soup oven salt.\nThe train to the beach.",
    "marks": "good good bad\nbad",
    "feelings": "I am glad.\nThe train leaves at nine.",
    "similarity": "A cat sleeps.\tA cat is asleep.\nA dog.\tThe sea.",
    "aspects": "soup\tThe soup was cold.\nwaiter\tThe waiter was kind.",
}


def answered(app: AppTest) -> AppTest:
    return next(d.value for d in app.dataframe if "answer" in d.value)


@pytest.mark.parametrize("run", LINES)
def test_pasted_lines_are_answered(lab_of_tasks: Path, visit: Visit, run: str) -> None:
    app = visit(PAGE, probe="Batch", model=run)
    assert not app.exception and not app.error, words(app)
    app.text_area[0].set_value(LINES[run])
    app = settled(app.button[-1].click().run())
    table, model = answered(app), load(run)
    assert not app.error and len(table) == 2
    pairs = [(line.split("\t") + [""])[:2] for line in LINES[run].split("\n")]
    wanted = model.answers([(first, second) for first, second in pairs])
    if wanted.ndim == 1:
        assert table["answer"].tolist() == pytest.approx(wanted.tolist(), abs=1e-6)
    else:
        names = list(model.task.output_names)
        assert np.allclose(table[names].to_numpy(), 100 * wanted, atol=1e-4)


def test_what_the_file_says_is_counted(lab_of_tasks: Path) -> None:
    reviews = Run(lab_of_tasks / "runs" / "topics").splits().validation
    model = load("topics")
    found = answer_batch(model, reviews)
    right = accuracy_score(reviews.labels, model.answers(reviews.inputs).argmax(1))
    assert found.report is not None and f"accuracy {right:.3f}" in found.sentence()


def test_a_mixture_is_sent_to_its_tabs(lab_of_tasks: Path, visit: Visit) -> None:
    app = visit(PAGE, probe="Batch", model="mixed")
    assert not app.exception and "ask_on_Two texts" in {button.key for button in app.button}
