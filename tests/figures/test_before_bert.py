"""What the figures of “Before BERT” show is in them."""

import json

import numpy as np

from bertsent.figures.before_bert import (
    feature_map,
    filter_bars,
    history_figure,
    mean_reach_lines,
    reach_heatmap,
    reading_orders,
)
from bertsent.probing.before_bert.history import MILESTONES, SLIPS, history_sentence
from bertsent.probing.before_bert.reading_order import ORDERS


def test_shares_stand_in_their_row_and_column() -> None:
    shares = {"LSTM": np.array([0.1, 0.2, 0.7]), "BERT": np.array([0.5, 0.25, 0.25])}
    figure = reach_heatmap(shares, ["a", "<b>bad</b>", "film"])
    dark, bright = (np.array(trace.z, float) for trace in figure.data)
    assert np.allclose(np.where(np.isnan(dark), bright, dark), [[1 / 7, 2 / 7, 1], [1, 0.5, 0.5]])
    assert np.allclose(figure.data[0].customdata, list(shares.values()))
    assert "<b>bad</b>" not in json.dumps(figure.to_plotly_json(), default=str)
    printed = {cell for trace in figure.data for row in trace.text for cell in row} - {""}
    assert printed == {"10", "20", "70", "50", "25"}


def test_the_mean_has_a_line_a_network_and_a_rule_at_even() -> None:
    figure = mean_reach_lines({"LSTM": np.full(10, 0.1), "BERT": np.arange(10) / 45})
    assert [trace.name for trace in figure.data] == ["LSTM", "BERT"]
    assert figure.layout.shapes[0].y0 == 0.1


def test_the_maximum_and_the_chosen_filter_stand_out() -> None:
    marked = feature_map(["a b", "b c", "c d"], np.array([0.0, 2.0, 1.0])).data[0].marker.color
    assert len(set(marked)) == 2 and marked[0] == marked[2] != marked[1]
    bars = filter_bars(["1: a b", "2: c d"], [0.5, -0.25], 1).data[0]
    assert bars.text == ("+0.50", "−0.25") and bars.marker.line.width == (0, 3)


def test_every_order_has_its_square() -> None:
    figure = reading_orders(["not", "so", "bad"])
    squares = [trace for trace in figure.data if trace.type == "heatmap"]
    assert len(squares) == len(ORDERS)
    for square, order in zip(squares, ORDERS, strict=True):
        assert np.array_equal(square.z, order.sees(3))


def test_five_models_stand_in_their_lanes() -> None:
    points = history_figure().data[0]
    assert list(points.y) == [each.reads for each in MILESTONES]
    assert [each.name for each in MILESTONES] == ["word2vec", "ULMFiT", "ELMo", "GPT", "BERT"]
    assert "ULMFiT and GPT read the left only" in history_sentence()
    assert set(SLIPS) == {"E-11", "E-19"}
