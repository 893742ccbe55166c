"""What is in the specification of the evidence and lens charts, and that they can be taken away."""

import json

import numpy as np
import pandas as pd
import pytest

from bertsent.figures.attribution_bars import COLUMNS, attribution_charts, deletion_chart
from bertsent.figures.layer_reading import EARLY, PROBE, layer_reading_charts, layer_reading_frame
from bertsent.figures.pictures import picture
from bertsent.probing.attribution.attributions import ATTENTION, GRADIENTS, LEAVE_ONE_OUT

TITLES = ("Attention", "Gradients", "Left out")


def table(words: list[str]) -> pd.DataFrame:
    values = np.linspace(-0.5, 0.5, len(words))
    columns = {
        "position": range(5, 5 + len(words)),
        "word": words,
        ATTENTION: abs(values),
        GRADIENTS: values,
        LEAVE_ONE_OUT: -values,
    }
    return pd.DataFrame(columns)


def rows(chart) -> list[dict]:
    spec = chart.to_dict()
    return [row for data in spec["datasets"].values() for row in data if "word" in row]


def test_each_chart_has_its_numbers_over_the_same_words() -> None:
    given = table(["good", "good", "bad"])
    for chart, column in zip(attribution_charts(given, TITLES), COLUMNS, strict=True):
        found = rows(chart)
        assert [row["value"] for row in found] == pytest.approx(given[column].tolist())
        assert [row["word"] for row in found] == ["good", "good", "bad"] and [
            row["position"] for row in found
        ] == [5, 6, 7]


def test_words_that_look_like_code_stay_words() -> None:
    words = ['"];alert(1)//', "</script>", "${x}", "\\", "a'b", "🎬", "電"]
    axis = attribution_charts(table(words), TITLES)[-1].to_dict()["layer"][0]["encoding"]["x"][
        "axis"
    ]
    names, index = axis["labelExpr"].rsplit("[", 1)
    assert json.loads(names) == words and index == "datum.value - 5]"


@pytest.mark.parametrize(
    "words", [["one"], ["</script><script>alert(1)</script>", "b"], [f"word{i}" for i in range(32)]]
)
def test_they_can_be_taken_away(words: list[str]) -> None:
    charts = attribution_charts(table(words), TITLES, sheet=True)
    assert picture(charts, "png").startswith(b"\x89PNG")
    svg = picture(charts, "svg").decode()
    assert svg.startswith("<svg") and "<script" not in svg and all(title in svg for title in TITLES)
    assert b"</script><script>alert" not in picture(charts, "html").replace(b"\\u003c", b"?")


def test_the_curves_of_every_order() -> None:
    curves = pd.DataFrame(
        {
            "order": ["a", "a", "b", "b"],
            "removed": [0, 1, 0, 1],
            "probability": [0.9, 0.4, 0.9, 0.8],
        }
    )
    spec = deletion_chart(curves).to_dict()
    assert next(iter(spec["datasets"].values())) == curves.to_dict("records")


@pytest.mark.parametrize("with_probes", [True, False])
def test_thirteen_points_for_twelve_layers(with_probes: bool) -> None:
    early, probed = np.linspace(0, 1, 13), np.linspace(1, 0, 13) if with_probes else ()
    readings = layer_reading_frame(early, probed, "a review")
    assert (readings["reading"] == EARLY).sum() == 13 and (readings["reading"] == PROBE).sum() == (
        13 if with_probes else 0
    )
    accuracy = pd.DataFrame(
        {"layer": range(13), "reading": PROBE, "accuracy": 0.7, "low": 0.6, "high": 0.8}
    )
    charts = layer_reading_charts(readings, accuracy if with_probes else pd.DataFrame(), sheet=True)
    drawn = next(
        data for data in charts.answer.to_dict()["datasets"].values() if "p_positive" in data[0]
    )
    assert len(drawn) == len(readings)
    assert picture(charts[: 2 if with_probes else 1], "png").startswith(b"\x89PNG")
