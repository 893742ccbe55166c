"""The numbers on the screen are those that were given."""

import pandas as pd
import pytest

from bertsent.errors import BadInput
from bertsent.figures.classification import (
    MOST_WORDS,
    accuracy_dots,
    answer_bars,
    phenomenon_heatmap,
    probability_bar,
    word_weight_bars,
)
from bertsent.figures.colours import HIGHLIGHT, NEGATIVE, PAPER, POSITIVE, SAFE


def test_both_probabilities_are_named_in_words():
    drawn = probability_bar(0.027)
    assert "<b>NEGATIVE 97.3 %</b><span>POSITIVE 2.7 %</span>" in drawn
    assert f"width:97.3%;background:{NEGATIVE}" in drawn
    assert f"width:2.7%;background:{POSITIVE}" in drawn


def test_an_even_answer_favours_nobody():
    assert "<b>" not in probability_bar(0.5) and "POSITIVE 50.0 %" in probability_bar(0.5)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(BadInput, match="between 0 and 1"):
        probability_bar(p)


def test_palettes_know_labels_in_both_forms():
    assert SAFE.of("POSITIVE") == SAFE.of(1) == POSITIVE
    assert PAPER.of("POSITIVE") != PAPER.of("NEGATIVE") and SAFE.of(None) == SAFE.undecided


ANSWERS = {
    "BOW + SVM": 0.65,
    "TF-IDF + logistic regression": 0.9,
    "LSTM": 0.2,
    "BERT: <b>mine</b>": 0.03,
}


def test_bars_are_probabilities_and_those_who_differ_are_framed():
    figure = answer_bars(ANSWERS, outlined=["BOW + SVM", "TF-IDF + logistic regression"], notes={})
    negative, positive = figure.data
    assert list(positive.x) == pytest.approx(list(ANSWERS.values())) and list(
        negative.x
    ) == pytest.approx([0.35, 0.1, 0.8, 0.97])
    assert [t.strip() for t in positive.text if t] == ["▲ POSITIVE 65.0 %", "▲ POSITIVE 90.0 %"]
    frames = [s for s in figure.layout.shapes if s.type == "rect"]
    assert [(s.y0 + s.y1) / 2 for s in frames] == [0, 1] and {s.line.color for s in frames} == {
        HIGHLIGHT
    }
    assert (
        "<b>mine" not in figure.layout.yaxis.ticktext[3] and "≠" in figure.layout.yaxis.ticktext[0]
    )


def test_contributions_end_in_bias_and_score():
    rows = pd.DataFrame(
        {
            "word": [f"w{i}" for i in range(MOST_WORDS + 4)],
            "contribution": [0.5 - 0.04 * i for i in range(MOST_WORDS + 4)],
        }
    )
    score = rows["contribution"].sum() - 0.1
    figure = word_weight_bars(rows, -0.1, score)
    bars = figure.data[0]
    assert len(bars.x) == MOST_WORDS + 3 and bars.x[-1] == pytest.approx(score) == pytest.approx(
        sum(bars.x[:-1])
    )
    assert figure.layout.yaxis.ticktext[-3:] == ("4 more", "bias b", "<b>score</b>")
    assert (
        "&lt;img&gt;"
        in word_weight_bars(
            pd.DataFrame({"word": ["<img>"], "contribution": [0.1]}), 0.0, 0.1
        ).layout.yaxis.ticktext[0]
    )
    assert len(word_weight_bars(rows.head(0), 0.2, 0.2).data[0].x) == 2


def test_the_heatmap_shows_the_table():
    table = pd.DataFrame({"method": ["BOW + SVM", "LSTM"], "irony": [0.4, 1.0]})
    heat = phenomenon_heatmap(table, ["irony"], {"irony": 12})
    assert heat.data[0].y == ("irony (12)",)
    assert {w for half in heat.data for row in half.text for w in row if w} == {"40", "100"}


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
