"""Gaps of groups: the numbers of the table in points, around zero, filled where zero is left
out.
"""

import pandas as pd
import pytest

from bertsent.figures.subgroup_gaps import NARROW, subgroup_gap_chart

TABLE = pd.DataFrame(
    {
        "group": ["one", "two", "three"],
        "n": [40] * 3,
        "p_positive": [0.52, 0.44, 0.48],
        "reference": [0.48] * 3,
        "gap": [0.04, -0.04, 0.0],
        "low": [0.01, -0.082, -0.01],
        "high": [0.07, 0.002, 0.01],
        "flipped": [2, 0, 1],
        "right": [0.9, 0.8, 0.9],
    }
)


def test_gaps_stand_in_points_the_lowest_first() -> None:
    made = subgroup_gap_chart(TABLE, "Swapped").to_dict()
    rows = max(made["datasets"].values(), key=len)
    assert [row["group"] for row in rows] == ["two", "three", "one"]
    assert [row["gap"] for row in rows] == pytest.approx([-4, 0, 4])
    assert [row["apart"] for row in rows] == [0, 0, 1]
    assert [layer["mark"]["type"] for layer in made["layer"]] == ["rule", "rule", "point"]
    interval = made["layer"][1]["encoding"]
    assert (interval["x"]["field"], interval["x2"]["field"]) == ("low", "high")


def test_zero_is_in_the_middle_and_small_gaps_look_small() -> None:
    for table, reach in ((TABLE, 9), (TABLE.assign(low=0.0, high=0.0, gap=0.0), NARROW)):
        layers = subgroup_gap_chart(table, "Swapped").to_dict()["layer"]
        scales = [layer["encoding"]["x"]["scale"]["domain"] for layer in layers]
        assert scales == [[-reach, reach]] * 3
