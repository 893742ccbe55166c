"""What a browser says about a canvas map is checked before it is believed."""

import pytest

from bertsent.ui.map.dot_map import MapEvent, checked_event


def test_a_click_a_lasso_and_the_star_are_understood() -> None:
    assert checked_event({"map": "m", "row": 3}, "m", 5) == MapEvent(row=3)
    assert checked_event({"map": "m", "rows": [1, 4, 1]}, "m", 5) == MapEvent(rows=(1, 4))
    assert checked_event({"map": "m", "rows": []}, "m", 5) == MapEvent()
    assert checked_event({"map": "m", "star": True}, "m", 5) == MapEvent(star=True)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "x",
        {},
        {"row": 1},
        {"map": "another", "row": 1},
        {"map": "m", "row": 5},
        {"map": "m", "row": -1},
        {"map": "m", "row": True},
        {"map": "m", "row": "1"},
        {"map": "m", "rows": [1, 5]},
        {"map": "m", "rows": [1, "<b>"]},
        {"map": "m", "rows": 3},
        {"map": "m"},
    ],
)
def test_anything_else_is_nothing(sent: object) -> None:
    assert checked_event(sent, "m", 5) is None
