"""Maps of words: who is drawn, who is named, and that what a person typed stays text."""

import pandas as pd

from bertsent.figures.word_map import (
    ANSWER,
    ASKED,
    NEAR,
    pair_cosines_figure,
    word_map_figure,
)

POINTS = pd.DataFrame(
    {
        "word": ["film", "movie", "bank", "<b>$x"],
        "x": [0.0, 1.0, -4.0, 2.0],
        "y": [0.0, 0.5, 3.0, 1.0],
        "place": [1, 2, 3, 4],
    }
)


def test_words_that_are_looked_for_have_their_names_and_others_are_dots() -> None:
    marked = {"film": ASKED, "movie": NEAR, "<b>$x": ANSWER, "nowhere": NEAR}
    everything, *named = word_map_figure(POINTS, marked).data
    assert list(everything.x) == POINTS["x"].tolist() and everything.mode == "markers"
    assert {trace.name: list(trace.text) for trace in named} == {
        ASKED: ["film"],
        NEAR: ["movie"],
        ANSWER: ["&lt;b&gt;&#36;x"],
    }
    assert len(word_map_figure(POINTS).data) == 1


def test_every_pair_is_a_dot_at_its_cosine() -> None:
    table = pd.DataFrame(
        [("opposites", "good", "bad", 0.5, 2), ("random pairs", "a", "bank", -0.1, 0)],
        columns=["kind", "first", "second", "cosine", "rank"],
    )
    figure = pair_cosines_figure(table)
    assert [list(trace.x) for trace in figure.data] == [[0.5], [-0.1]]
    assert list(figure.data[0].text) == ["good · bad"]
    assert [each.text for each in figure.layout.annotations] == ["mean 0.50", "mean -0.10"]
