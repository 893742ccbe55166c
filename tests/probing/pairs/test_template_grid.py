"""Each cell is what the model says of that sentence alone; a table of a grid is the grid."""

import io

import numpy as np
import pandas as pd
import pytest

from bertsent.errors import BadInput, Cancelled
from bertsent.probing.pairs.template_grid import GridTemplate, grid_from_table, irony_grid, lines_of

FORMULA, QUOTED = "=cmd|' /C calc'!A0", 'so-called "deep", long'
PLAN = GridTemplate(
    "{opener}, another {adj} {noun}", ("Great", "Oh no", FORMULA), ("boring", "gripping", QUOTED)
)


@pytest.fixture(scope="module")
def grid(learner):
    return irony_grid(learner, PLAN)


@pytest.mark.parametrize("who", ["tiny", "learner"])
def test_every_cell_equals_its_own_prediction(who, request):
    learner = request.getfixturevalue(who)
    grid = irony_grid(learner, PLAN)
    assert grid.p_negative.shape == (3, 3)
    for i, opener in enumerate(PLAN.openers):
        for j, adjective in enumerate(PLAN.adjectives):
            alone = learner.predict([f"{opener}, another {adjective} movie"])[0]
            assert grid.p_negative[i, j] == pytest.approx(1 - alone.p_positive, abs=1e-9)
        assert grid.openers_alone[i] == pytest.approx(
            1 - learner.predict([opener])[0].p_positive, abs=1e-9
        )
    assert grid.rest_alone[0] == pytest.approx(
        1 - learner.predict(["another boring movie"])[0].p_positive, abs=1e-9
    )


def test_it_says_how_far_it_is_and_can_be_stopped(learner):
    told = []

    def progress(fraction):
        told.append(fraction)
        if len(told) == 4:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        irony_grid(learner, PLAN, progress=progress)
    assert told == [place / 15 for place in range(4)]


def test_the_table_is_the_grid(grid):
    data = grid.frame().to_csv(index=False).encode()
    back = grid_from_table(pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False))
    assert back.plan == grid.plan
    for name in ("p_negative", "openers_alone", "rest_alone"):
        np.testing.assert_array_equal(getattr(back, name), getattr(grid, name))


def test_the_download_that_spreadsheets_open_is_the_grid_as_well(grid):
    from bertsent.ui.shared.downloads import safe_csv

    data = safe_csv(grid.frame())
    assert b"'=cmd" in data
    assert (
        grid_from_table(pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)).plan
        == grid.plan
    )


def test_where_the_answer_parts_from_the_opener(grid):
    for i, j in np.ndindex(3, 3):
        assert grid.against_opener[i, j] == (
            (grid.p_negative[i, j] >= 0.5) != (grid.openers_alone[i] >= 0.5)
        )
        assert grid.against_both[i, j] <= grid.against_opener[i, j]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"template": "{opener}, another movie"}, "needs {opener} and {adj}"),
        ({"template": "{opener} {adj} {film}"}, "unknown slot"),
        ({"template": "{opener} {adj} {"}, "unknown slot"),
        ({"openers": ()}, "There are no openers"),
        ({"openers": ("a", "a")}, "twice among the openers"),
        ({"adjectives": tuple(map(str, range(25)))}, "the limit is 24"),
        ({"adjectives": ("x" * 61,)}, "too long"),
        (
            {"openers": tuple(map(str, range(20))), "adjectives": tuple(map(str, range(20)))},
            "more than 300 cells",
        ),
        ({"noun": " "}, "there is none"),
    ],
)
def test_what_cannot_be_asked_says_why(change, said):
    with pytest.raises(BadInput, match=said.replace("{", r"\{")):
        GridTemplate(
            **{
                "template": PLAN.template,
                "openers": ("Great",),
                "adjectives": ("boring",),
                "noun": "movie",
                **change,
            }
        )


def test_a_broken_table_is_told(grid):
    table = grid.frame()
    for broken in (
        table.drop(columns="noun"),
        table.iloc[:0],
        table.iloc[1:],
        table.assign(p_negative="x"),
        table.assign(p_negative=2.0),
    ):
        with pytest.raises(BadInput):
            grid_from_table(broken)


def test_a_list_is_one_entry_a_line():
    assert lines_of(" Great \n\n Oh no\r\n") == ("Great", "Oh no")
    assert GridTemplate("{adj}? {opener}!", ("Wow",), ("fine",)).rest("fine") == "fine? !"
