"""Every model has a dot on every slice, and its line is the interval."""

import pytest

from bertsent.figures.slice_accuracies import accuracy_dots

MODELS = {
    "BERT": [(0.9, 0.85, 0.94), (0.7, 0.6, 0.8)],
    "words": [(0.8, 0.75, 0.84), (0.5, 0.4, 0.6)],
}


def test_dots_and_lines_are_accuracies_and_intervals():
    figure = accuracy_dots(["plain", "sarcasm"], MODELS, ["(200)", "(80)"])
    assert [trace.name for trace in figure.data] == ["BERT", "words"]
    first = figure.data[0]
    assert list(first.x) == pytest.approx([90, 70])
    assert list(first.error_x.array) == pytest.approx([4, 10]) and list(
        first.error_x.arrayminus
    ) == pytest.approx([5, 10])
    assert list(figure.layout.yaxis.ticktext) == ["plain (200)", "sarcasm (80)"]
    assert "sarcasm: 70.0 %" in first.hovertext[1]


def test_colour_does_not_speak_alone():
    figure = accuracy_dots(["plain", "sarcasm"], MODELS)
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert len({trace.marker.color for trace in figure.data}) == 2


def test_names_are_no_markup():
    figure = accuracy_dots(["BERT: <b>mine</b>"], {"accuracy": [(0.5, 0.4, 0.6)]})
    assert "<b>" not in figure.layout.yaxis.ticktext[0] + figure.data[0].hovertext[0]
