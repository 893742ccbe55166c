import html
import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from bertsent.errors import BadInput
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, NEGATIVE, PAPER, POSITIVE
from bertsent.figures.maps import cluster_matrix_figure, map_figure


def points(
    n=40,
    dimensions=2,
    answered=True,
    clusters=3,
    text="A great movie, <script>alert(1)</script> & $x$ %{y} again. ",
):
    random = np.random.default_rng(0)
    p = random.random(n) if answered else np.full(n, np.nan)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(n)],
            "text": [f"{i} {text * 20}" for i in range(n)],
            "label": random.choice(["POSITIVE", "NEGATIVE", ""], n),
            "prediction": np.where(p > 0.5, "POSITIVE", "NEGATIVE") if answered else "",
            "p_positive": p,
            "confidence": np.maximum(p, 1 - p),
            "cluster": np.arange(n) % clusters,
        }
    )
    return frame.assign(**{axis: random.normal(size=n) for axis in "xyz"[:dimensions]})


def traces(figure):
    return {trace.name: trace for trace in figure.data}


@pytest.mark.parametrize("colour_by", ["label", "prediction", "confidence", "cluster"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_every_review_is_one_dot_with_its_id_and_its_place(colour_by, dimensions):
    frame = points(dimensions=dimensions)
    figure = map_figure(frame, colour_by=colour_by)
    kind = go.Scatter3d if dimensions == 3 else go.Scatter
    assert all(isinstance(trace, kind) for trace in figure.data)
    where = {
        i: place
        for t in figure.data
        for i, *place in zip(t.customdata, *(t[a] for a in "xyz"[:dimensions]), strict=True)
    }
    assert where == {
        row["id"]: [row[a] for a in "xyz"[:dimensions]] for row in frame.to_dict("records")
    }
    symbols = [trace.marker.symbol for trace in figure.data]
    assert len(set(symbols)) == len(symbols) > 1


def test_colours_mean_what_they_say():
    frame = points()
    default, paper = traces(map_figure(frame)), traces(map_figure(frame, palette="paper"))
    assert set(default) == {"POSITIVE", "NEGATIVE", "no label"}
    assert (
        default["POSITIVE"].marker.color == POSITIVE
        and default["NEGATIVE"].marker.color == NEGATIVE
    )
    assert (
        paper["POSITIVE"].marker.color == PAPER.positive
        and paper["NEGATIVE"].marker.color == PAPER.negative
    )
    assert sorted(default["POSITIVE"].customdata) == sorted(
        frame["id"][frame["label"] == "POSITIVE"]
    )
    clusters = traces(map_figure(frame, colour_by="cluster"))
    assert [clusters[f"cluster {i}"].marker.color for i in range(3)] == list(CLUSTERS[:3])


def test_twenty_clusters_keep_apart():
    figure = map_figure(points(clusters=20), colour_by="cluster")
    assert len({(trace.marker.color, trace.marker.symbol) for trace in figure.data}) == 20


def test_confidence_is_a_scale_and_the_symbol_the_answer():
    frame = points()
    found = traces(map_figure(frame, colour_by="confidence"))
    rows = frame[frame["prediction"] == "NEGATIVE"]
    assert (
        np.array_equal(found["NEGATIVE"].marker.color, rows["confidence"])
        and found["NEGATIVE"].marker.coloraxis == "coloraxis"
    )


def test_a_model_without_answers_is_drawn_too():
    for colour_by in ("prediction", "confidence"):
        (trace,) = map_figure(points(answered=False), colour_by=colour_by).data
        assert (
            trace.name == "no answer"
            and "P(positive)" not in trace.hovertext[0]
            and "nan" not in trace.hovertext[0]
        )


def test_hover_is_wrapped_literal_and_complete():
    frame = points()
    for trace in map_figure(frame).data:
        assert trace.hoverinfo == "text" and trace.hovertemplate is None
        for ident, text in zip(trace.customdata, trace.hovertext, strict=True):
            row = frame.set_index("id").loc[ident]
            lines = text.split("<br>")
            assert max(len(html.unescape(line)) for line in lines) <= 60 and len(lines) == 10
            assert "<" not in "".join(lines) and "&lt;script&gt;" in text and "$" not in text
            assert (
                f"predicted: {row['prediction']}" in text
                and f"P(positive) = {100 * row['p_positive']:.1f} %" in text
            )
            assert (
                f"Truth: {row['label'] or 'no label'}" in text
                and f"cluster {row['cluster']}" in text
            )


def test_equal_input_makes_the_same_bytes():
    assert (
        map_figure(points(), selected="r3").to_json()
        == map_figure(points(), selected="r3").to_json()
    )
    assert cluster_matrix_figure(matrix()).to_json() == cluster_matrix_figure(matrix()).to_json()


def test_the_page_shows_through_and_zoom_survives():
    figures = [map_figure(points()), map_figure(points(5), colour_by="cluster", selected="r1")]
    assert (
        len({figure.layout.uirevision for figure in figures}) == 1 and figures[0].layout.uirevision
    )
    assert all(
        figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
        for figure in figures
    )
    assert figures[0].layout.yaxis.scaleanchor == "x"


def test_selected_reviews_are_marked_as_a_lasso_marks_them():
    frame = points()
    for chosen in ("r7", ["r7", "r3", "not here"]):
        figure = map_figure(frame, selected=chosen)
        marked = {trace.customdata[i] for trace in figure.data for i in trace.selectedpoints}
        assert marked == {"r7", "r3"} & {*([chosen] if isinstance(chosen, str) else chosen)}
        assert all(
            trace.selected.marker.opacity > trace.unselected.marker.opacity for trace in figure.data
        )
        assert all(
            trace.selected.marker.color is None for trace in figure.data
        )  # who is chosen keeps its colour
    assert all(
        trace.selectedpoints is None for trace in map_figure(frame, selected="not here").data
    )


def test_the_selected_review_is_ringed_in_three_dimensions():
    frame = points(dimensions=3)
    ring = traces(map_figure(frame, selected="r7"))["selected"]
    assert (
        ring.marker.color == HIGHLIGHT
        and ring.marker.symbol == "circle-open"
        and ring.hoverinfo == "skip"
    )
    assert [*ring.x, *ring.y] == [frame["x"][7], frame["y"][7]]
    assert "selected" not in traces(map_figure(frame, selected="not here"))


def test_a_turned_map_stays_turned():
    camera = {
        "eye": {"x": 1.0, "y": 2.0, "z": 0.5},
        "center": {"x": 0.0, "y": 0.0, "z": 0.0},
        "up": {"x": 0.0, "y": 0.0, "z": 1.0},
    }
    assert (
        map_figure(points(dimensions=3), camera=camera).layout.scene.camera.to_plotly_json()
        == camera
    )


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_typed_review_is_a_star(dimensions):
    star = traces(
        map_figure(points(dimensions=dimensions), selected="r7", dropped=(0.5,) * dimensions)
    )["your review"]
    assert [*star.x, *star.y] == [0.5, 0.5] and list(star.customdata) == ["your review"]


def test_what_is_chosen_neither_dims_nor_covers_the_star():
    star = traces(map_figure(points(), selected="r7", dropped=(0.5, 0.5)))["your review"]
    assert list(star.selectedpoints) == [0] and star.unselected.marker.opacity == 1


def test_a_large_map_stays_below_three_megabytes():
    figure = map_figure(
        points(5_000, text="It's a long & winding review that never ends at all. "),
        colour_by="confidence",
    )
    assert len(figure.to_json()) < 3e6 and all(
        isinstance(trace, go.Scattergl) for trace in figure.data
    )


def test_fifty_thousand_points_send_the_beginning_of_each_review_only():
    frame = points(50_000, text="<b>It's</b> a long & winding review that never ends at all. ")
    figure = map_figure(frame)
    assert (
        len(figure.to_json()) < 7e6
        and sum(len(trace.customdata) for trace in figure.data) == 50_000
    )
    hover = figure.data[0].hovertext[0]
    assert (
        "&lt;b&gt;" in hover
        and "<b>" not in hover
        and hover.count("<br>") == 1
        and "P(positive)" in hover
    )
    x = {
        i: x
        for trace in figure.data
        for i, x in zip(trace.customdata[:50], trace.x[:50], strict=True)
    }
    assert all(abs(frame["x"][int(ident[1:])] - value) < 1e-6 for ident, value in x.items())


def test_an_empty_selection_of_points_is_an_empty_map():
    assert not map_figure(points().iloc[:0]).data


def test_unknown_wishes_are_refused():
    for wish in ({"colour_by": "mood"}, {"palette": "neon"}):
        with pytest.raises(BadInput):
            map_figure(points(), **wish)


def matrix():
    return pd.DataFrame(
        {"NEGATIVE": [400, 9], "POSITIVE": [1_050, 0]}, index=pd.RangeIndex(2, name="cluster")
    )


def test_the_matrix_shows_its_counts_and_every_cell_can_be_clicked():
    figure = cluster_matrix_figure(matrix())
    heat, cells = figure.data
    assert np.allclose(heat.z, [[400 / 1450, 1050 / 1450], [1, 0]])
    assert list(cells.text) == ["400", "1,050", "9", "0"]
    assert [list(cell) for cell in cells.customdata] == [
        [0, "NEGATIVE"],
        [0, "POSITIVE"],
        [1, "NEGATIVE"],
        [1, "POSITIVE"],
    ]
    assert "cluster 1" in json.loads(figure.to_json())["data"][0]["y"]
    cluster_matrix_figure(pd.DataFrame({"NEGATIVE": [0], "POSITIVE": [0]}))
