"""What the charts of milliseconds draw is what they were given."""

import pytest

from bertsent.figures.timing_charts import batching_figure, format_milliseconds, steps_figure

STEPS = {
    "tokenise": (0.1, 0.08, 0.2),
    "forward": (3.8, 3.7, 4.1),
    "softmax + confidence": (0.1, 0.1, 0.1),
}
PUBLISHED = {"tokenise": (1, 1), "forward": (10, 50), "softmax + confidence": (0, 1)}


def test_steps_are_a_waterfall_beside_the_published_ranges() -> None:
    figure = steps_figure(STEPS, PUBLISHED)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [(bar.base[0], bar.x[0]) for bar in bars] == [
        (0, 0.1),
        (pytest.approx(0.1), 3.8),
        (pytest.approx(3.9), 0.1),
    ]
    assert list(bars[1].error_x.array) == pytest.approx([0.3])
    assert list(bars[1].error_x.arrayminus) == pytest.approx([0.1])
    ranges = [trace for trace in figure.data if trace.type == "scatter"]
    assert [tuple(line.x) for line in ranges] == [
        (1, 1),
        (pytest.approx(10.1), pytest.approx(50.1)),
        (pytest.approx(3.9), pytest.approx(4.9)),
    ]
    assert sum(trace.showlegend is not False for trace in figure.data) == 2
    assert figure.layout.annotations[1].text == "3.8 ms, 95.0 %"


def test_steps_that_take_no_time_at_all_are_drawn() -> None:
    figure = steps_figure({name: (0.0, 0.0, 0.0) for name in STEPS}, PUBLISHED)
    assert "0.0 %" in figure.layout.annotations[0].text


def test_two_bars_with_their_quartiles() -> None:
    figure = batching_figure((80, 75, 90), (40, 39, 41), ("one by one", "together"))
    (bars,) = figure.data
    assert (
        list(bars.x) == [80, 40]
        and list(bars.error_x.array) == [10, 1]
        and list(bars.error_x.arrayminus) == [5, 1]
    )
    assert (
        list(figure.layout.yaxis.ticktext) == ["one by one", "together"]
        and figure.layout.xaxis.rangemode == "tozero"
    )
    assert len(set(bars.marker.color)) == 2


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0213, "0.021"),
        (0.117, "0.12"),
        (3.88, "3.9"),
        (54.7, "55"),
        (1250.4, "1,250"),
        (0, "0.000"),
    ],
)
def test_milliseconds_have_the_figures_that_count(value: float, words: str) -> None:
    assert format_milliseconds(value) == words
