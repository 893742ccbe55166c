"""Guessed words as bars and lines: the true one is marked by a star, and what people typed stays
text.
"""

import numpy as np
import pytest

from bertsent.figures.guessed_words import (
    GUESSED,
    TRUE,
    guess_bars,
    guess_lines,
    labels_figure,
)
from bertsent.probing.fill_mask import written_chance

WORDS = (("good", 0.4), ("<b>bad</b>", 0.02), ("fine", 0.0004))


def test_a_bar_a_word_and_the_true_one_has_a_star() -> None:
    figure = guess_bars(WORDS, truth=("fine", 0.0004, 3), reach=0.8)
    [bar] = figure.data
    assert list(bar.x) == [0.4, 0.02, 0.0004]
    assert list(figure.layout.yaxis.ticktext) == ["good", "&lt;b&gt;bad&lt;/b&gt;", "★ fine"]
    assert list(bar.marker.color) == [GUESSED, GUESSED, TRUE]
    assert list(bar.text) == ["40.0 %", "2.0 %", "0.040 %"]
    assert figure.layout.xaxis.range == (0, 1.0)


def test_a_true_word_beyond_the_guesses_has_a_row_of_its_own() -> None:
    figure = guess_bars(WORDS, truth=("dull", 0.00002, 1_234))
    assert list(figure.data[0].x)[-1] == 0.00002
    assert figure.layout.yaxis.ticktext[-1] == "★ dull, rank 1,234"
    assert figure.data[0].marker.color[-1] == TRUE
    assert len(guess_bars(WORDS).data[0].x) == 3


def test_lines_follow_the_checkpoints() -> None:
    chances = {"good": np.array([0.1, 0.2]), "<i>": np.array([0.3, 0.01])}
    figure = guess_lines([0, 40], ["step 0", "step 40"], chances, "good", 1)
    first, second = figure.data
    assert first.name == "★ good" and second.name == "&lt;i&gt;"
    assert (list(first.x), list(first.y)) == ([0, 40], [0.1, 0.2])
    assert first.line.width > second.line.width and first.line.dash != second.line.dash
    assert figure.layout.yaxis.type == "log" and figure.layout.shapes[0].x0 == 40
    assert list(figure.layout.xaxis.ticktext) == ["step 0", "step 40"]


def test_accuracy_by_labels_stands_beside_what_it_is_compared_with() -> None:
    scores = np.array([[0.6, 0.5, 0.7], [0.8, 0.75, 0.85]])
    figure = labels_figure([16, 500], scores, tuned=0.9, floor=0.52, name="fine-tuned")
    [line] = figure.data
    assert list(line.y) == [0.6, 0.8] and list(line.error_y.array) == pytest.approx([0.1, 0.05])
    assert [shape.y0 for shape in figure.layout.shapes] == [0.9, 0.52]
    assert [note.text for note in figure.layout.annotations] == [
        "fine-tuned: 90.0 %",
        "majority class: 52.0 %",
    ]


@pytest.mark.parametrize(
    ("p", "written"),
    [(0.853, "85.3 %"), (0.012, "1.2 %"), (0.0034, "0.34 %"), (0.00034, "0.034 %"), (1e-9, "<")],
)
def test_small_chances_keep_their_digits(p: float, written: str) -> None:
    assert written_chance(p).startswith(written)
