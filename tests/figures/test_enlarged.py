"""Charts for a projector: larger, the same numbers, and the original untouched."""

import copy

import altair as alt
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import vl_convert as vlc

from bertsent.figures.enlarged import HIGHER, LARGER, enlarged_chart, enlarged_figure


def test_a_figure_grows_and_its_data_stay() -> None:
    figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4], mode="markers", marker={"size": 8}))
    figure.update_layout(height=300, margin={"l": 10, "t": 20}, title="Two dots")
    figure.add_annotation(text="here", font={"size": 12, "color": "red"})
    before = figure.to_dict()
    large = enlarged_figure(figure, "#000000")
    assert large.layout.height == 300 * HIGHER and large.layout.margin.l == 10 * HIGHER
    assert large.data[0].marker.size == 8 * LARGER
    assert large.layout.xaxis.tickfont.size >= 20 and large.layout.title.font.size >= 20
    assert large.layout.annotations[0].font.to_plotly_json() == {"size": 22, "color": "red"}
    assert list(large.data[0].y) == [3, 4] and figure.to_dict() == before


def test_dots_of_many_sizes_and_heatmaps_with_text_are_enlarged_as_well() -> None:
    figure = go.Figure([go.Scatter(x=[1, 2], y=[1, 2], marker={"size": [3, 9]})])
    assert list(enlarged_figure(figure, "#000000").data[0].marker.size) == [3, 9]
    tiles = go.Figure(go.Heatmap(z=np.eye(2), texttemplate="%{z}", showscale=True))
    large = enlarged_figure(tiles, "#ffffff").data[0]
    assert large.textfont.size >= 20 and large.colorbar.tickfont.size >= 20


def test_a_specification_grows_and_can_still_be_drawn() -> None:
    table = pd.DataFrame({"step": [1, 2, 3], "loss": [0.7, 0.6, 0.4]})
    line = alt.Chart(table).mark_line(strokeWidth=2).encode(x="step:Q", y="loss:Q")
    spec = alt.layer(line, title=alt.Title("Loss", fontSize=14)).properties(height=200).to_dict()
    before = copy.deepcopy(spec)
    large = enlarged_chart(spec, "#000000")
    assert large["height"] == 200 * HIGHER and large["title"]["fontSize"] == 14 * LARGER
    assert large["layer"][0]["mark"]["strokeWidth"] == 2 * LARGER
    assert large["config"]["axis"]["labelFontSize"] >= 20 and large["datasets"] == spec["datasets"]
    assert spec == before
    assert 'font-size="22px"' in vlc.vegalite_to_svg(large)


def test_bars_are_enlarged_as_well():
    """Bars have marks without a size; presenting them was an error."""
    from bertsent.figures.classification import answer_bars

    figure = answer_bars({"A": 0.3, "B": 0.8}, outlined=["A"], notes={})
    large = enlarged_figure(figure, "#000000")
    assert large.layout.height > figure.layout.height
    assert large.data[0].textfont.size > figure.data[0].textfont.size
