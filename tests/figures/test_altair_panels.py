"""A chart that is ready says to the browser what the chart itself says, as often as it is drawn."""

import json

import altair as alt
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.figures.altair_panels import chart_spec


@pytest.fixture
def chart():
    table = pd.DataFrame({"step": [1, 2, 3], "loss": [0.7, None, 0.5], "text": ["a", "b", "c"]})
    line = alt.Chart(table).mark_line().encode(x="step:Q", y="loss:Q")
    return (line + alt.Chart(table).mark_point().encode(x="step:Q", tooltip="text:N")).properties(
        height=200
    )


def test_its_data_are_the_frames_and_its_marks_are_the_chart_s(chart):
    spec, usual = chart_spec(chart), chart.to_dict()
    assert spec["layer"] == usual["layer"] and spec["height"] == 200 and "config" not in spec
    (table,) = spec["datasets"].values()
    frame = table.to_pandas()
    assert frame["step"].tolist() == [1, 2, 3] and frame["loss"].isna().tolist() == [
        False,
        True,
        False,
    ]


def test_it_reaches_the_page_as_often_as_it_is_drawn(chart, monkeypatch):
    def page():
        import altair as alt
        import pandas as pd
        import streamlit as st

        from bertsent.figures.altair_panels import chart_spec
        from bertsent.ui.shared.charts import draw

        table = pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]})
        spec = chart_spec(alt.Chart(table).mark_line().encode(x="x:Q", y="y:Q"))
        for number in range(3):
            draw(spec, key=f"c{number}", alt="a line")
        st.altair_chart(alt.Chart(table).mark_line().encode(x="x:Q", y="y:Q"), key="usual")

    app = AppTest.from_function(page).run()
    assert not app.exception
    drawn = app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")
    specs = [json.loads(element.proto.spec) for element in drawn]
    assert len(specs) == 4
    assert [spec["encoding"] for spec in specs] == [specs[0]["encoding"]] * 4
    assert all(
        len(element.proto.datasets) == 1 and element.proto.datasets[0].data.data
        for element in drawn
    )
    assert len({element.proto.datasets[0].data.data for element in drawn[:3]}) == 1
