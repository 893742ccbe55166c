"""What is drawn is what was said: every number, every name, and no markup of a reviewer's."""

import pandas as pd
import pytest

from bertsent.figures.baseline_charts import (
    MOST_WORDS,
    answer_bars,
    phenomenon_heatmap,
    word_weight_bars,
)
from bertsent.figures.colours import HIGHLIGHT

ANSWERS = {
    "BOW + SVM": 0.65,
    "TF-IDF + logistic regression": 0.9,
    "LSTM": 0.2,
    "BERT: <b>mine</b>": 0.03,
}


def test_bars_are_probabilities_and_those_who_differ_are_framed():
    figure = answer_bars(ANSWERS, outlined=["BOW + SVM", "TF-IDF + logistic regression"])
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
