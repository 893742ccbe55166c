"""Strips hold the numbers they stand for, on one scale where they are to be compared."""

import numpy as np
import pytest

from bertsent.figures.vector_strips import Strip, matrix_stretch, vector_strips


def test_strips_of_a_group_share_their_range_and_any_width_fills_the_figure() -> None:
    small, large, other = np.array([0.5, -1.0]), np.array([4.0, 0.0]), np.arange(8.0)
    figure = vector_strips([Strip("a", small, "g"), Strip("b", large, "g"), Strip("c", other)])
    first, second, third = figure.data
    np.testing.assert_allclose(np.array(first.z)[0], small / 4)
    np.testing.assert_allclose(np.array(second.z)[0], large / 4)
    assert np.max(third.z) == pytest.approx(1)
    assert list(first.x) == [0.25, 0.75] and len(third.x) == 8
    np.testing.assert_allclose(np.array(first.customdata)[0], [[1, 0.5], [2, -1]])


def test_hovering_a_column_names_all_strips_and_markup_stays_text() -> None:
    rows = [Strip("<b>x</b>", np.array([0.25])), Strip("y", np.array([-0.5]))]
    figure = vector_strips(rows, columns=True, chosen=1)
    np.testing.assert_allclose(np.array(figure.data[0].customdata)[0], [[1, 0.25, -0.5]])
    assert "&lt;b&gt;x" in figure.data[0].hovertemplate
    assert len(figure.layout.shapes) == 1


def test_an_outlined_stretch_lies_on_its_numbers() -> None:
    figure = vector_strips([Strip("heads", np.zeros(12), outlined=(3, 6))])
    (box,) = figure.layout.shapes
    assert (box.x0, box.x1) == (0.25, 0.5)


def test_a_matrix_keeps_its_numbers_and_names() -> None:
    matrix = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
    figure = matrix_stretch(matrix, ["1 a", "2 a", "3 b"], ["x", "y"], shares=True)
    np.testing.assert_allclose(np.array(figure.data[0].z), matrix)
    assert list(figure.data[0].y) == ["row 1 a", "row 2 a", "row 3 b"] and figure.data[0].zmin == 0
    signed = matrix_stretch(matrix, ["1 a", "2 a", "3 b"], ["x", "y"])
    assert signed.data[0].zmin == -signed.data[0].zmax
