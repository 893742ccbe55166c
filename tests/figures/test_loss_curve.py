"""The words on the curve of the loss stand apart, above all before fine-tuning, when both answers
are near one half.
"""

import math
from itertools import combinations

import pytest

from bertsent.figures.loss_curve import HEIGHT, loss_curve

LETTER, LINE = 7, 16  # pixels, about
_ACROSS = {"left": 0, "right": -1, "center": -0.5}
_DOWN = {"bottom": -1, "top": 0, "middle": -0.5}
Box = tuple[float, float, float, float]


def boxes(figure, width: int) -> list[Box]:
    """Where words stand, in pixels: left, top, right, bottom."""
    (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range

    def at(x: float, y: float) -> tuple[float, float]:
        return (x - left) / (right - left) * width, (high - y) / (high - low) * (HEIGHT - 80)

    found = []
    for word in figure.layout.annotations:
        x, y = at(word.x, word.y)
        x, y = x + (word.xshift or 0), y - (word.yshift or 0)
        size = LETTER * len(word.text.replace("<b>", "").replace("</b>", ""))
        x, y = x + _ACROSS[word.xanchor] * size, y + _DOWN[word.yanchor] * LINE
        found.append((x, y, x + size, y + LINE))
    (guessing,) = [trace for trace in figure.data if trace.text]
    x, y = at(guessing.x[0], guessing.y[0])
    assert guessing.textposition == "bottom left"
    size = LETTER * len(guessing.text[0])
    return [*found, (x - size, y, x, y + LINE)]


@pytest.mark.parametrize("width", [500, 900])
@pytest.mark.parametrize("p", [0.3, 0.4, 0.45, 0.49, 0.499, 0.51, 0.56, 0.62, 0.9])
def test_no_words_stand_on_others(p, width):
    placed = boxes(loss_curve((-math.log(1 - p), -math.log(p)), 1, {}), width)
    assert len(placed) == 3
    for one, other in combinations(placed, 2):
        beside = one[2] <= other[0] or other[2] <= one[0]
        assert beside or one[3] <= other[1] or other[3] <= one[1], (one, other)
