"""The sentence about a map, against maps whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from bertsent.space.map_finding import FEWEST, map_finding


def points(places: np.ndarray, labels: list[str], **more: object) -> pd.DataFrame:
    axes = dict(zip("xyz", places.T, strict=False))
    return pd.DataFrame({**axes, "label": labels, "prediction": ""}).assign(**more)


def two_heaps(first: str, second: str, wrong: int, axis: int = 0) -> pd.DataFrame:
    """50 dots at −5 with ``first``, 50 at +5 with ``second``, of each so many the other way."""
    places = np.random.default_rng(0).normal(0, 0.3, (100, 2))
    places[:50, axis] -= 5
    places[50:, axis] += 5
    labels = [second] * wrong + [first] * (50 - wrong) + [first] * wrong + [second] * (50 - wrong)
    return points(places, labels)


@pytest.mark.parametrize(
    ("wrong", "axis", "words"),
    [
        (2, 0, ("Two arms", "96 % of the left one are negative", "96 % of the right one positive")),
        (2, 1, ("Two arms", "96 % of the lower one are negative")),
        (12, 0, ("overlap", "76 % of the left one are negative")),
        (24, 0, ("hardly come apart", "52 % of the left one")),
    ],
)
def test_the_share_of_each_side_is_counted(wrong: int, axis: int, words: tuple[str, ...]) -> None:
    sentence = map_finding(two_heaps("NEGATIVE", "POSITIVE", wrong, axis))
    assert all(each in sentence for each in words), sentence


def test_answers_stand_in_for_labels_and_nothing_is_claimed_without_either() -> None:
    table = two_heaps("NEGATIVE", "POSITIVE", 0)
    answered = table.assign(prediction=table["label"], label="")
    assert "by the model's answer" in map_finding(answered)
    assert "No review has a label" in map_finding(table.assign(label=""))


def test_few_dots_or_one_place_are_no_pattern() -> None:
    alike = points(np.zeros((20, 2)), ["POSITIVE", "NEGATIVE"] * 10)
    assert "one place" in map_finding(alike)
    assert "too few" in map_finding(alike.head(FEWEST - 1))
    assert map_finding(alike.head(1)).startswith("One review")


def test_in_three_dimensions_there_is_no_left() -> None:
    table = two_heaps("NEGATIVE", "POSITIVE", 0).assign(z=0.0)
    assert "left" not in map_finding(table)
