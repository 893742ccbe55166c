"""Irony grid, as a visitor meets it."""

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.probe import irony_grid
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, press


@pytest.fixture
def grid(finished: Run, visit: Visit) -> AppTest:
    return settled(
        visit(
            PAGE,
            probe="Irony grid",
            grid_openers="Great\nOh no",
            grid_adjectives="boring\nfine\nlong",
        )
    )


def cells(app: AppTest) -> dict:
    import json

    return json.loads(app.get("plotly_chart")[0].proto.spec)


def test_the_grid_is_the_models_own(grid: AppTest, finished: Run) -> None:
    assert not grid.error, words(grid)
    alone = 1 - load(finished.id).predict(["Great, another boring movie"])[0].p_positive
    said = words(grid).replace("\\", "")
    assert f"{100 * max(alone, 1 - alone):.1f} %" in said and "The opener alone is" in said
    points = cells(grid)["data"][1]
    assert sum(place != [-1, -1] for place in points["customdata"]) == 6


def test_a_click_chooses_a_cell_and_takes_it_along(
    grid: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid.selectbox(key="grid_row").set_value(1).run()
    grid.selectbox(key="grid_column").set_value(2).run()
    assert "Oh no, another long movie" in words(grid).replace("\\", "")
    app = press(grid, "grid_take")
    assert (
        app.text_input(key="review_box").value == "Oh no, another long movie"
        and app.session_state["probe"] == "Answer"
    )
    from types import SimpleNamespace

    for place, chosen in (([0, 1], (0, 1)), ([-1, -1], (5, 5)), ("x", (5, 5))):
        found = SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": place}]))
        state = {irony_grid.CHART: found, "grid_row": 5, "grid_column": 5}
        monkeypatch.setattr(irony_grid.st, "session_state", state)
        irony_grid._clicked()
        assert (state["grid_row"], state["grid_column"]) == chosen


def test_a_grid_that_cannot_be_asked_says_why(grid: AppTest) -> None:
    grid.text_input(key="grid_template").set_value("{opener}, no adjective").run()
    assert any("needs" in e.value for e in grid.error) and not grid.exception
    grid.text_input(key="grid_template").set_value("{adj} {noun}. {opener}!").run()
    grid.text_area(key="grid_openers").set_value("One").run()
    assert not grid.error and not grid.exception
