"""Figures of the worked examples."""

import numpy as np
import pytest

from bertsent.figures.before_after_bars import before_after_bars
from bertsent.figures.layer_lines import Line, layer_lines
from bertsent.figures.number_grids import Grid, number_grids
from bertsent.figures.worked_examples import attention_bars, loss_curves


@pytest.mark.parametrize(
    ("negative", "tags"), [(0.93, ["correct", ""]), (0.2, ["", "wrong"]), (0.5, ["", ""])]
)
def test_before_and_after_stand_in_the_order_of_the_slide(negative: float, tags: list[str]) -> None:
    before, after = before_after_bars(negative, 1 - negative).data
    assert list(before.x) == list(after.x) == ["Negative", "Positive"]
    assert list(before.y) == [0.5, 0.5] and list(after.y) == [negative, 1 - negative]
    assert all(tag in text for tag, text in zip(tags, after.text, strict=True))
    assert "wrong" not in after.text[0] and "correct" not in after.text[1]


def test_a_grid_shows_numbers_and_no_markup() -> None:
    drawn = number_grids([Grid("<b>", "a & b", np.array([[-1.0, 0.5], [-0.001, 0]]), ["<i>", "x"])])
    assert "<i>" not in drawn and "&lt;i&gt;" in drawn and "a &amp; b" in drawn
    assert drawn.count("<td") == 4 and "−1.00" in drawn and "−0.00" not in drawn


def test_a_point_lies_on_the_natural_logarithm() -> None:
    natural, base_10, points = loss_curves(np.array([0.9]), np.array([-np.log(0.9)])).data
    assert np.allclose(natural.y, -np.log(natural.x)) and np.allclose(
        base_10.y, -np.log10(base_10.x)
    )
    assert points.text == ("0.105",)


def test_bars_of_the_same_word_stay_apart() -> None:
    (bars,) = attention_bars(("good", "good"), np.array([0.4, 0.6]), 1).data
    assert len(set(bars.x)) == 2 and len(set(bars.marker.color)) == 2


def test_lines_begin_at_their_layer_and_show_names_literally() -> None:
    lines = {"<b>it": Line(np.arange(3.0), "#000000", begins=0), "x": Line(np.ones(2), "#000000")}
    first, second = layer_lines(lines, "<b>").data
    assert list(first.x) == [0, 1, 2] and list(second.x) == [1, 2]
    assert first.name == "&lt;b&gt;it"
