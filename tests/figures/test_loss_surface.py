"""The landscape as drawn: exact losses under the pointer, colour on a cut logarithmic scale,
checkpoints with step and loss.
"""

from dataclasses import replace

import numpy as np
import pytest

from bertsent.figures.loss_surface import (
    contour_figure,
    labelled,
    landscape_page,
    surface_figure,
    ticks,
)
from bertsent.training.loss_landscape.landscape import Landscape

BOTH = pytest.mark.parametrize("draw", [contour_figure, surface_figure])


def landscape(**changes) -> Landscape:
    x, y = np.linspace(-4, 1, 11) + 0.0, np.linspace(-1, 1, 9)
    x = x - x[np.abs(x).argmin()]
    loss = 0.1 + x[None] ** 2 / 8 + 40 * y[:, None] ** 4
    path = np.array([[-3.0, 0.0], [-1.5, 0.4], [-0.05, 0.0], [0.0, 0.0]])
    usual = Landscape(
        x,
        y,
        loss,
        np.array([0, 100, 200, 300]),
        path,
        np.array([0.7, 0.4, 0.11, 0.1]),
        0.93,
        False,
        1234,
        64,
    )
    return replace(usual, **changes)


@BOTH
def test_hovering_tells_the_exact_loss_and_colour_ends_where_the_scale_says(draw) -> None:
    found = landscape()
    low, high = found.span
    assert (low, high) == (pytest.approx(0.1), pytest.approx(1.4))
    trace = draw(found, "path").data[0]
    assert (
        np.array_equal(np.array(trace.customdata), found.loss)
        and "customdata:.4f" in trace.hovertemplate
    )
    assert np.allclose(trace.z, np.log10(np.clip(found.loss, low, high)))
    assert (trace.cmax if trace.type == "surface" else trace.zmax) == pytest.approx(np.log10(high))
    assert trace.colorscale[0][1] == "#00224e", "Cividis"


@BOTH
def test_every_checkpoint_is_on_the_path_with_its_step_and_loss(draw) -> None:
    found = landscape()
    dots = draw(found, "random").data[-1]
    assert list(dots.customdata) == [0, 100, 200, 300]
    assert dots.hovertext[1] == "step 100<br>loss of this checkpoint 0.4000"
    assert np.allclose(np.column_stack([dots.x, dots.y]), found.path)


def test_labels_keep_apart_and_a_path_that_is_a_point_has_one() -> None:
    found = landscape()
    assert labelled(found) == [0, 1, 3]
    notes = contour_figure(found, "path").layout.annotations
    assert [note.text for note in notes] == [
        "step 300 · 0.100",
        "step 100 · 0.400",
        "step 0 · 0.700",
    ]
    point = landscape(path=np.zeros((4, 2)))
    (note,) = contour_figure(point, "random").layout.annotations
    assert labelled(point) == [3] and note.text == "steps 0 to 300"
    notes = surface_figure(point, "random").layout.scene.annotations
    assert [note.text for note in notes] == ["step 300 · 0.100", "step 0 · 0.700"], (
        "heights keep them apart in space"
    )


def test_the_scale_is_marked_with_losses_and_says_where_it_is_cut() -> None:
    places, words = ticks(landscape())
    assert words[-1] == "≥ 1.4" and {"0.2", "0.5", "1"} <= set(words)
    assert ticks(
        landscape(loss=np.linspace(0.61, 2.3, 99).reshape(9, 11), path_loss=np.full(4, 0.65))
    )[1] == ["0.7", "1", "≥ 1.39"]
    assert np.allclose(10 ** np.array(places[:-1]), [float(word) for word in words[:-1]])
    flat = landscape(loss=np.full((9, 11), 0.7), path_loss=np.array([0.7, 0.7, 0.7, 0.7]))
    assert len(ticks(flat)[0]) >= 3 and not ticks(flat)[1][-1].startswith("≥")


@BOTH
def test_points_that_overflow_are_gaps(draw) -> None:
    loss = landscape().loss.copy()
    loss[0, 0], loss[0, 1] = np.nan, np.inf
    z = np.array(draw(landscape(loss=loss), "path").data[0].z)
    assert np.isnan(z[0, :2]).all() and np.isfinite(z[1:]).all()


@BOTH
def test_equal_input_gives_an_equal_figure(draw) -> None:
    assert draw(landscape(), "path").to_json() == draw(landscape(), "path").to_json()


def test_the_page_needs_no_network_and_shows_words_literally() -> None:
    page = landscape_page(landscape(), "path", "fell from <b>1</b> to 0").decode()
    assert page.count("Plotly.newPlot(") >= 2 and "fell from &lt;b&gt;1&lt;/b&gt; to 0" in page
    assert len(page) > 3_000_000 and 'src="http' not in page and "sendChartToCloud" in page
