"""The film: fixed axes, a frame for each stop, an answer under each dot, and reviews that stay
text.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from bertsent.errors import BadInput
from bertsent.figures.animated_map import (
    BETWEEN,
    PLAY,
    animation_figure,
    steps_figure,
)
from bertsent.figures.plotly_panels import offline_page

EVIL = "<script>alert(1)</script> <b>big</b> $x^2$ %{x}"
STEPS = [0, 12, 1_024]


@pytest.fixture
def parts():
    random = np.random.default_rng(0)
    labels = ["POSITIVE", "NEGATIVE", "", "POSITIVE"]
    reviews = pd.DataFrame(
        {"id": ["a", "b", "c", "d"], "text": ["fine", EVIL, "hm", "good"], "label": labels}
    )
    return random.normal(size=(3, 4, 2)), STEPS, random.random((3, 4)), reviews


def stops(figure):
    return [frame for frame in figure.frames if "-" not in frame.name]


def test_each_stop_is_a_frame_of_its_own_numbers(parts):
    places, _, p, reviews = parts
    figure = animation_figure(*parts, at=1)
    assert [frame.name for frame in stops(figure)] == ["0", "12", "1024"]
    assert len(figure.frames) == 3 + 2 * BETWEEN
    for at, frame in enumerate(stops(figure)):
        for trace in frame.data:
            for x, y, (ident, chance), colour in zip(
                trace.x, trace.y, trace.customdata, trace.marker.color, strict=True
            ):
                row = reviews.index[reviews["id"] == ident][0]
                assert (x, y) == tuple(places[at, row].astype(np.float32))
                assert chance == pytest.approx(p[at, row], abs=1e-4) and colour == pytest.approx(
                    p[at, row], abs=1e-6
                )


def test_it_stands_at_the_chosen_stop(parts):
    figure = animation_figure(*parts, at=2)
    assert figure.layout.sliders[0].active == 2
    assert [step.label for step in figure.layout.sliders[0].steps] == ["0", "12", "1,024"]
    for still, moving in zip(figure.data, stops(figure)[2].data, strict=True):
        assert np.array_equal(still.x, moving.x) and still.type == "scatter"
    assert figure.layout.updatemenus[0].buttons[0].label == PLAY


@pytest.mark.parametrize(("count", "kind"), [(1_000, "scatter"), (1_001, "scattergl")])
def test_a_browser_without_webgl_moves_a_thousand_reviews(count, kind):
    frame = pd.DataFrame({"id": map(str, range(count)), "text": "fine", "label": "POSITIVE"})
    places, p = np.zeros((2, count, 2)), np.full((2, count), 0.5)
    figure = animation_figure(places, [0, 9], p, frame, at=0, chosen="3")
    drawn = [*figure.data, *(trace for frame in figure.frames for trace in frame.data)]
    assert {trace.type for trace in drawn} == {kind}


def test_axes_are_fixed_and_hold_every_frame(parts):
    figure = animation_figure(*parts, at=0)
    for axis, name in ((figure.layout.xaxis, "x"), (figure.layout.yaxis, "y")):
        everything = np.concatenate(
            [getattr(trace, name) for frame in figure.frames for trace in frame.data]
        )
        assert (
            axis.range[0] < everything.min()
            and everything.max() < axis.range[1]
            and axis.autorange is False
        )
    assert [animation_figure(*parts, at=at).layout.xaxis.range for at in range(3)] == [
        figure.layout.xaxis.range
    ] * 3
    assert figure.layout.yaxis.scaleanchor == "x"


def test_dots_glide_between_stops(parts):
    places = parts[0]
    frames = animation_figure(*parts, at=0).frames
    first = [np.concatenate([trace.x for trace in frame.data]) for frame in frames[: BETWEEN + 2]]
    ways = np.diff(np.stack(first), axis=0)
    total = np.abs(first[-1] - first[0])
    assert np.allclose(np.abs(ways).sum(axis=0), total, rtol=1e-4) and places.shape == (3, 4, 2)


def test_many_reviews_glide_less_so_that_the_film_stays_small():
    random, count = np.random.default_rng(0), 5_000
    reviews = pd.DataFrame(
        {"id": [str(i) for i in range(count)], "text": "a fine film", "label": "POSITIVE"}
    )
    figure = animation_figure(
        random.normal(size=(9, count, 2)), list(range(9)), random.random((9, count)), reviews, at=0
    )
    assert len(figure.to_json()) < 12e6 and len(figure.frames) < 9 * BETWEEN


def test_reviews_are_text_and_colour_does_not_speak_alone(parts):
    figure = animation_figure(*parts, at=0)
    written = json.dumps(figure.to_plotly_json(), default=str)
    assert (
        "<script>" not in written
        and "<b>" not in written
        and "$x^2$" not in written
        and "&lt;b&gt;" in written
    )
    assert [trace.name for trace in figure.data] == [
        "truth: POSITIVE",
        "truth: NEGATIVE",
        "truth: no label",
    ]
    assert len({trace.marker.symbol for trace in figure.data}) == 3


def test_colours_by_truth_never_change(parts):
    figure = animation_figure(*parts, at=0, colour_by="label")
    assert [trace.marker.color for trace in figure.data][:2] == ["#0072B2", "#D55E00"]
    assert {trace.marker.color for frame in stops(figure) for trace in frame.data[:1]} == {
        "#0072B2"
    }


def test_the_way_of_a_chosen_review_is_drawn(parts):
    places = parts[0]
    figure = animation_figure(*parts, at=1, chosen="d")
    way = figure.data[-1]
    assert np.array_equal(np.column_stack([way.x, way.y]), places[:, 3]) and way.marker.size[
        1
    ] == max(way.marker.size)
    assert all(list(frame.traces) == [0, 1, 2] for frame in figure.frames)
    assert len(animation_figure(*parts, at=1, chosen="nobody").data) == 3


def test_equal_films_are_byte_identical(parts):
    assert animation_figure(*parts, at=1).to_json() == animation_figure(*parts, at=1).to_json()


def test_parts_that_do_not_fit_are_refused(parts):
    places, steps, p, reviews = parts
    for broken in (
        (places[:2], steps, p, reviews),
        (places, steps, p[:, :2], reviews),
        (places, steps, p, reviews.head(2)),
    ):
        with pytest.raises(BadInput):
            animation_figure(*broken, at=0)
    with pytest.raises(BadInput):
        animation_figure(*parts, at=3)


def test_the_page_to_take_away_plays_alone(parts):
    figure = animation_figure(*parts, at=1)
    page = offline_page(figure, title="Film of <b>", words="What <i>to</i> see").decode()
    assert "Film of &lt;b&gt;" in page and "&lt;i&gt;" in page and "Plotly.addFrames" in page
    assert not re.search(r"<script[^>]+src=", page) and not re.search(r"<link[^>]+href=", page)


def test_a_line_marks_its_stop_and_half():
    frame = pd.DataFrame(
        {"step": STEPS, "share": [0.5, 0.7, 0.9], "low": [0.4, 0.6, 0.8], "high": [0.6, 0.8, 1.0]}
    )
    figure = steps_figure(frame, at=1, band=True, name="accuracy")
    dots = figure.data[-1]
    assert (
        list(dots.customdata) == STEPS
        and dots.marker.size[1] > dots.marker.size[0]
        and len(figure.data) == 3
    )
    assert (
        len(steps_figure(frame, at=1, band=False, name="P").data) == 1
        and figure.layout.shapes[0].y0 == 0.5
    )
