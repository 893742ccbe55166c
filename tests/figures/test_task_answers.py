"""Figures of further tasks: bars as long as the numbers, user text escaped, no colour alone."""

import numpy as np
import pytest

from bertsent.figures.aspect_bars import aspect_bars
from bertsent.figures.colours import CLEAR, NEGATIVE, POSITIVE, UNDECIDED
from bertsent.figures.feelings import feeling_bars, feelings_wheel
from bertsent.figures.likeness import likeness_dots
from bertsent.figures.step_bars import step_bars, step_colours
from bertsent.probing.tasks.feelings import DYADS, WHEEL
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS

EVIL = "<b>x</b> $a$ %{y}"


def test_steps_stand_in_their_order_with_neither_in_the_middle() -> None:
    shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    figure = step_bars(FIVE_STEPS.labels, shares, 2.0)
    assert list(figure.data[0].y) == shares and list(figure.data[0].x) == [0, 1, 2, 3, 4]
    assert list(figure.data[1].x) == [2.0]
    colours = step_colours(5)
    assert (colours[0], colours[2], colours[4]) == (NEGATIVE, UNDECIDED, POSITIVE)
    assert len(set(colours)) == 5 and len(step_colours(2)) == 2


def test_one_bar_an_aspect_from_negative_to_positive() -> None:
    figure = aspect_bars(ASPECTS.labels, {EVIL: (0.2, 0.1, 0.7), "soup": (0.9, 0.05, 0.05)})
    assert np.transpose([trace.x for trace in figure.data]).tolist() == [
        [0.2, 0.1, 0.7],
        [0.9, 0.05, 0.05],
    ]
    ticks = "".join(figure.layout.yaxis.ticktext)
    assert "<b>" not in ticks and "$" not in ticks and "{" not in ticks
    said = [trace.text[0] for trace in figure.data]  # as much as a phone has room for
    assert said == ["▼ 20 %", "", "▲ positive 70 %"]


def test_bars_over_the_threshold_are_filled_and_marked() -> None:
    figure = feeling_bars(("joy", EVIL, "fear"), (0.3, 0.5, 0.9), 0.4)
    bars = figure.data[0]
    assert list(bars.x) == [0.9, 0.5, 0.3]
    assert [colour == CLEAR for colour in bars.marker.color] == [False, False, True]
    assert [text.startswith("✓") for text in bars.text] == [True, True, False]
    assert "<b>" not in "".join(figure.layout.yaxis.ticktext)


def test_petals_are_as_long_as_they_are_probable() -> None:
    shares = {name: place / 10 for place, name in enumerate(WHEEL)}
    dyads = {name: (0.5, DYADS[name]) for name in DYADS}
    figure = feelings_wheel(shares, dyads, 0.5)
    petals, *thin, ring = figure.data
    assert list(petals.r) == list(shares.values())
    assert list(np.diff(petals.theta)) == [45] * 7
    assert sorted(petal.theta[0] for petal in thin) == [22.5, 337.5]  # love, optimism
    assert set(ring.r) == {0.5}


def test_a_measure_that_cannot_move_has_no_second_dot() -> None:
    figure = likeness_dots(
        ["Similarity", "Jaccard"], ["4.0 of 5", "1 of 2"], [0.8, 0.5], [0.6, None]
    )
    stand, swapped = figure.data
    assert list(stand.x) == [0.8, 0.5] and list(swapped.x) == [0.6] and list(swapped.y) == [0]


@pytest.mark.parametrize("count", range(2, 8))
def test_all_steps_are_told_apart(count: int) -> None:
    assert len(set(step_colours(count))) == count
