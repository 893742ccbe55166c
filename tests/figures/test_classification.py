"""The numbers on the screen are those that were given."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.figures.classification import confusion_heatmap, probability_bar
from bertsent.figures.colours import NEGATIVE, PAPER, POSITIVE, SAFE


def words(figure) -> str:
    return " | ".join(note.text for note in figure.layout.annotations)


def test_both_probabilities_are_named_in_words():
    figure = probability_bar(0.027)
    assert words(figure) == "<b>NEGATIVE 97.3 %</b> | POSITIVE 2.7 %"
    assert [bar.x[0] for bar in figure.data] == pytest.approx([0.973, 0.027])
    assert [bar.marker.color for bar in figure.data] == [NEGATIVE, POSITIVE]
    assert figure.layout.height == 90 and figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


def test_an_even_answer_favours_nobody():
    assert words(probability_bar(0.5)) == "NEGATIVE 50.0 % | POSITIVE 50.0 %"


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(BadInput, match="between 0 and 1"):
        probability_bar(p)


def test_the_confusion_matrix_shows_counts_and_shares_of_each_row():
    """The matrix that report A of the study implies: one of seven negatives found."""
    figure = confusion_heatmap(np.array([[1, 6], [0, 6]]), ["NEGATIVE", "<b>POSITIVE"])
    printed = [
        [a or b for a, b in zip(*rows, strict=True)]
        for rows in zip(*(trace.text for trace in figure.data), strict=True)
    ]
    assert printed == [["1<br>14 %", "6<br>86 %"], ["0<br>0 %", "6<br>100 %"]]
    assert list(figure.data[0].x) == ["NEGATIVE", "&lt;b&gt;POSITIVE"]
    assert figure.layout.yaxis.autorange == "reversed"


def test_a_class_that_never_occurs_is_no_division_by_zero():
    assert "0<br>0 %" in str(confusion_heatmap(np.array([[0, 0], [1, 2]])).data[0].text)


def test_a_matrix_that_does_not_fit_its_labels_is_refused():
    with pytest.raises(BadInput, match="does not fit"):
        confusion_heatmap(np.eye(3))


def test_palettes_know_labels_in_both_forms():
    assert SAFE.of("POSITIVE") == SAFE.of(1) == POSITIVE
    assert PAPER.of("POSITIVE") != PAPER.of("NEGATIVE") and SAFE.of(None) == SAFE.undecided
