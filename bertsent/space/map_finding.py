"""A map's points in, what it shows in one sentence out: how far the labels lie apart on it."""

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.space.clustering import distinct, kmeans

FEWEST = 8  # reviews of which something can be said
_CLEAR, _LEANING = 0.85, 0.65  # shares of one label in a part of the map
_SIDES = (("left", "right"), ("lower", "upper"))


def map_finding(points: pd.DataFrame) -> str:
    """Cut the dots in two by 2-means on their places, and name the label that prevails in each
    part. The model's answers stand in where most reviews have no label.
    """
    if len(points) < FEWEST:
        count = f"{len(points)} reviews" if len(points) > 1 else "One review"
        return f"{count}: too few for a pattern."
    places = points[[axis for axis in "xyz" if axis in points]].to_numpy(dtype=float)
    column, what = _known(points)
    if column is None:
        return "No review has a label and the model gives no answer, so only places are shown."
    if (places == places[0]).all():
        return "All dots lie in one place: the model does not tell these reviews apart."
    known = points[column].ne("").to_numpy()
    if (labels := points.loc[known, column].nunique()) > len(LABELS):
        return _many_labels(places[known], points.loc[known, column], labels)
    first, second = _parts(places)
    shares = [_prevailing(points[column].to_numpy()[part & known]) for part in (first, second)]
    return _sentence(shares, _names(places, first), what)


def _many_labels(places: np.ndarray, labels: pd.Series, count: int) -> str:
    """How pure as many parts as there are labels are, beside always naming the commonest label."""
    parts = kmeans(places, min(count, distinct(places))).ids
    counts = pd.crosstab(parts, labels.to_numpy())
    pure, usual = counts.max(axis=1).sum() / len(labels), labels.value_counts(normalize=True).max()
    return (
        f"Cut into {len(counts)} parts, one for each label, each part named by its most frequent "
        f"label, {100 * pure:.0f} % of the dots are named rightly; always naming "
        f"“{labels.mode().iloc[0]}” would be right for {100 * usual:.0f} %."
    )


def _known(points: pd.DataFrame) -> tuple[str | None, str]:
    """The column that sentiment is read from, and how its values are called."""
    for column, what in (("label", ""), ("prediction", " by the model's answer")):
        if points[column].ne("").mean() > 0.5:
            return column, what
    return None, ""


def _parts(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both parts as masks, that with the lower places first."""
    ids = kmeans(places, 2).ids
    first, second = ids == 0, ids == 1
    axis = _axis(places, first)
    if places[first, axis].mean() > places[second, axis].mean():
        first, second = second, first
    return first, second


def _axis(places: np.ndarray, part: np.ndarray) -> int:
    """Along which of the two axes of the picture the part lies apart from the rest."""
    return int(np.abs(places[part, :2].mean(axis=0) - places[~part, :2].mean(axis=0)).argmax())


def _names(places: np.ndarray, first: np.ndarray) -> tuple[str, str]:
    return _SIDES[_axis(places, first)] if places.shape[1] == 2 else ("first", "second")


def _prevailing(labels: np.ndarray) -> tuple[str, float]:
    """The most frequent label and its share."""
    if not len(labels):
        return "", 0.0
    names, counts = np.unique(labels.astype(str), return_counts=True)
    return str(names[counts.argmax()]), float(counts.max() / counts.sum())


def _sentence(shares: list[tuple[str, float]], names: tuple[str, str], what: str) -> str:
    (one, first), (other, second) = shares
    here, there = names
    said = (
        f"{100 * first:.0f} % of the {here} one are {one.lower() or 'unlabelled'}{what}, "
        f"{100 * second:.0f} % of the {there} one {other.lower() or 'unlabelled'}."
    )
    if one == other or min(first, second) < _LEANING:
        return f"The labels hardly come apart. Cut in two, {said}"
    if min(first, second) < _CLEAR:
        return f"Two parts that overlap: {said}"
    return f"Two arms: {said}"
