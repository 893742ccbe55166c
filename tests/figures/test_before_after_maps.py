import html

import numpy as np
import plotly.graph_objects as go
import pytest

from bertsent.errors import BadInput
from bertsent.figures.before_after_maps import comparison_figure
from bertsent.figures.colours import CLUSTERS, NEGATIVE, PAPER, POSITIVE
from tests.figures.test_maps import points

TITLES = ["Before: PCA", "Before: t-SNE", "After: PCA", "After: t-SNE"]


def panels(n=40, **options):
    """Four maps of the same reviews; only places and clusters differ."""
    random = np.random.default_rng(1)
    same = points(n, **options)
    before, after = (random.integers(0, 3, n) for _ in "ab")
    found = {}
    for title in TITLES:
        places = {axis: random.normal(size=n) for axis in "xy"}
        found[title] = same.assign(cluster=before if "Before" in title else after, **places)
    return found


def panel(figure, number):
    """The traces of one panel."""
    name = "" if number == 1 else str(number)
    return [
        trace for trace in figure.data if trace.xaxis == f"x{name}" and trace.yaxis == f"y{name}"
    ]


@pytest.mark.parametrize("colour_by", ["label", "prediction", "confidence", "cluster"])
@pytest.mark.parametrize("stacked", [False, True])
def test_every_review_is_one_dot_in_each_of_four_panels(colour_by, stacked):
    frames = panels()
    figure = comparison_figure(frames, colour_by=colour_by, stacked=stacked)
    titles = [note.text for note in figure.layout.annotations]
    assert sorted(titles) == sorted(TITLES) and all(
        isinstance(trace, go.Scatter) for trace in figure.data
    )
    for number, title in enumerate(titles, start=1):
        where = {
            i: place
            for t in panel(figure, number)
            for i, *place in zip(t.customdata, t.x, t.y, strict=True)
        }
        assert where == {
            row["id"]: [row["x"], row["y"]] for row in frames[title].to_dict("records")
        }


@pytest.mark.parametrize(("reviews", "kind"), [(1_000, "scatter"), (1_001, "scattergl")])
def test_a_browser_without_webgl_draws_a_thousand_reviews_four_times(reviews, kind):
    figure = comparison_figure(panels(reviews))
    assert {trace.type for trace in figure.data} == {kind}


def test_two_stand_above_two_or_one_above_the_other():
    def corner(figure, number):
        axis = "" if number == 1 else number
        return figure.layout[f"xaxis{axis}"].domain[0], figure.layout[f"yaxis{axis}"].domain[0]

    square = comparison_figure(panels())
    assert [note.text for note in square.layout.annotations] == TITLES
    places = [corner(square, number) for number in (1, 2, 3, 4)]
    assert (
        places[0][0] == places[2][0] < places[1][0] == places[3][0]
        and places[0][1] == places[1][1] > places[2][1] == places[3][1]
    )
    column = comparison_figure(panels(), stacked=True)
    assert [note.text for note in column.layout.annotations] == [
        "Before: PCA",
        "After: PCA",
        "Before: t-SNE",
        "After: t-SNE",
    ]
    heights = [corner(column, number)[1] for number in (1, 2, 3, 4)]
    assert heights == sorted(heights, reverse=True) and column.layout.dragmode is False


def test_scales_are_alike_in_a_panel_and_tied_to_no_other():
    layout = comparison_figure(panels()).layout
    for number in ("", 2, 3, 4):
        axis = layout[f"yaxis{number}"]
        assert axis.scaleanchor == f"x{number}" and axis.matches is None
        assert 1 / 1.6 <= axis.scaleratio <= 1.6


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_colours_mean_what_they_say_in_each_panel(number):
    frames = panels()
    default = {trace.name: trace for trace in panel(comparison_figure(frames), number)}
    paper = {
        trace.name: trace for trace in panel(comparison_figure(frames, palette="paper"), number)
    }
    assert (
        default["POSITIVE"].marker.color == POSITIVE
        and default["NEGATIVE"].marker.color == NEGATIVE
    )
    assert (
        paper["POSITIVE"].marker.color == PAPER.positive
        and paper["NEGATIVE"].marker.color == PAPER.negative
    )
    assert len({trace.marker.symbol for trace in default.values()}) == 3
    own = frames[TITLES[number - 1]]
    for trace in panel(comparison_figure(frames, colour_by="cluster"), number):
        cluster = int(trace.name.split()[1])
        assert (
            trace.marker.color == CLUSTERS[cluster]
            and list(trace.customdata) == own["id"][own["cluster"] == cluster].tolist()
        )
    for trace in panel(comparison_figure(frames, colour_by="confidence"), number):
        rows = own[own["prediction"] == trace.name]
        assert (
            np.array_equal(trace.marker.color, rows["confidence"])
            and trace.marker.coloraxis == "coloraxis"
        )


@pytest.mark.parametrize("colour_by", ["label", "cluster"])
def test_one_legend_serves_all_panels(colour_by):
    frames = panels()
    frames["After: PCA"] = frames["After: PCA"].assign(
        cluster=np.arange(40) % 5
    )  # two more than before
    figure = comparison_figure(frames, colour_by=colour_by)
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(shown) == sorted({trace.name for trace in figure.data})
    assert all(trace.legendgroup == trace.name for trace in figure.data)


@pytest.mark.parametrize(("stacked", "width"), [(False, 60), (True, 38)])
def test_hover_is_wrapped_literal_and_complete(stacked, width):
    frames = panels()
    figure = comparison_figure(frames, stacked=stacked)
    own = dict(zip([note.text for note in figure.layout.annotations], (1, 2, 3, 4), strict=True))
    for title, number in own.items():
        rows = frames[title].set_index("id")
        for trace in panel(figure, number):
            for ident, text in zip(trace.customdata, trace.hovertext, strict=True):
                *review, _, _ = lines = text.split("<br>")
                assert (
                    len(review) == 8 and max(len(html.unescape(line)) for line in review) <= width
                )
                assert "<" not in "".join(lines) and "$" not in text
                assert (
                    f"cluster {rows['cluster'][ident]}" in text
                    and f"P(positive) = {100 * rows['p_positive'][ident]:.1f} %" in text
                )


def test_a_review_is_marked_in_all_four():
    figure = comparison_figure(panels(), selected="r7")
    for number in (1, 2, 3, 4):
        traces = panel(figure, number)
        assert [trace.customdata[i] for trace in traces for i in trace.selectedpoints] == ["r7"]
        assert all(
            trace.selected.marker.opacity > trace.unselected.marker.opacity for trace in traces
        )
    assert all(
        trace.selectedpoints is None
        for trace in comparison_figure(panels(), selected="not here").data
    )


@pytest.mark.parametrize("stacked", [False, True])
def test_equal_input_makes_the_same_bytes(stacked):
    made = [
        comparison_figure(
            panels(), colour_by="confidence", selected="r3", stacked=stacked
        ).to_json()
        for _ in "ab"
    ]
    assert made[0] == made[1]


def test_a_large_comparison_stays_small_enough():
    figure = comparison_figure(
        panels(5_000, text="It's a long & winding review that never ends at all. ")
    )
    assert len(figure.to_json()) < 6e6
    few = comparison_figure(
        panels(400, text="It's a long & winding review that never ends at all. ")
    )
    assert len(few.data[0].hovertext[0].split("<br>")) == 10


def test_models_without_answers_and_unknown_wishes():
    assert all(
        trace.name == "no answer"
        for trace in comparison_figure(panels(answered=False), colour_by="prediction").data
    )
    for wish in ({"colour_by": "mood"}, {"palette": "neon"}):
        with pytest.raises(BadInput):
            comparison_figure(panels(), **wish)
