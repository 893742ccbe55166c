"""The strategy lab on the Fine-tune page: counted before it starts, started, read, and empty
states.
"""

import pandas as pd
import pytest

from bertsent.training.groups import grid as labs
from bertsent.ui.fine_tune import compare_grid as view
from tests.ui.conftest import words

PAGE = "2_Fine-tune"


@pytest.fixture
def opened(visit):
    app = visit(PAGE)
    app.session_state["lab-open"] = True
    return app.run()


def test_nothing_is_computed_while_the_box_is_closed(visit, monkeypatch):
    monkeypatch.setattr(view, "list_labs", lambda: pytest.fail("it looked"))
    assert not visit(PAGE).exception


def test_the_number_of_runs_is_said_and_bounded(opened):
    assert "6 runs of 2 epochs on 400 of" in words(opened) and "judged on 500 others" in words(
        opened
    )
    opened.slider(key="lab-seeds").set_value(3).run()
    opened.multiselect(key="lab-rates").set_value([1e-5, 5e-5]).run()
    assert "That would be 36 runs" in words(opened) and not opened.exception
    opened.multiselect(key="lab-rates").set_value([]).run()
    assert "Choose at least one level" in words(opened) and not opened.exception


def test_the_published_experiment_says_what_each_setting_changed(opened):
    said = words(opened).replace("\\", "")
    assert "CLS changes it by −0.032, SW changes it by +0.066" in said


@pytest.mark.slow
def test_runs_are_started_and_their_table_fills(opened, monkeypatch):
    begun = []
    monkeypatch.setattr(labs, "launch", begun.append)
    opened.multiselect(key="lab-pooling").set_value(["cls"]).run()
    opened.select_slider(key="lab-rows").set_value(200).run()
    opened.button(key="lab-start").click().run()
    assert not opened.exception and len(begun) == 2
    assert "0 of 2 runs are done" in " ".join(
        str(each.proto.text) for each in opened.get("progress")
    )
    (frame,) = [each.value for each in opened.dataframe if "What trains" in each.value]
    assert frame["What trains"].tolist() == ["Everything", "Head only"]


def test_the_verdict_says_a_winner_only_beyond_chance():
    def table(*accuracies: float) -> pd.DataFrame:
        return pd.DataFrame(
            {"run": [f"r{i}" for i in range(len(accuracies))], "accuracy": accuracies, "n": 400}
        )

    assert "as soon as two runs" in view._verdict(table(0.9))
    assert "within chance" in view._verdict(table(0.62, 0.60))
    assert view._verdict(table(0.60, 0.90)).startswith("r1 is best")
