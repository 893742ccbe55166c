"""Looks of dots with labels of their own, and the maps that are drawn of them."""

import base64

import numpy as np
import pandas as pd

from bertsent.figures.dot_picture import dot_picture
from bertsent.figures.label_looks import own_looks
from bertsent.figures.maps import map_figure
from bertsent.figures.step_bars import step_colours
from bertsent.space.clustering import cluster_label_matrix
from bertsent.space.map_finding import map_finding
from bertsent.tasks.catalogue import FIVE_STEPS

TOPICS = ["cooking", "sports", "travel"]


def points(labels: list[str]) -> pd.DataFrame:
    """Three heaps, one a label."""
    count = len(labels)
    angle = np.array([sorted(set(labels)).index(label) for label in labels]) * 2.1
    return pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(count)],
            "text": ["a <b>text</b>"] * count,
            "label": labels,
            "prediction": "",
            "p_positive": np.nan,
            "confidence": np.nan,
            "cluster": 0,
            "x": np.cos(angle) + np.arange(count) / 1_000,
            "y": np.sin(angle),
        }
    )


def test_every_label_looks_different() -> None:
    looks = own_looks([*"abcdefghijklmnopqrst", ""])
    assert list(looks) == [*"abcdefghijklmnopqrst"] and len(set(looks.values())) == 20
    assert own_looks(["POSITIVE", "NEGATIVE", ""]) == {}
    assert list(own_looks(["10", "9", "-1"])) == ["-1", "9", "10"]


def test_steps_go_from_the_worst_to_the_best() -> None:
    looks = own_looks(["positive", "very negative", "neutral"])
    assert list(looks) == list(FIVE_STEPS.labels)
    assert [colour for _, colour in looks.values()] == step_colours(5)


def test_a_picture_has_the_names_of_its_labels() -> None:
    labels = [TOPICS[i % 3] for i in range(12)] + [""]
    picture = dot_picture(points(labels))
    assert picture["truths"] == TOPICS
    places = np.frombuffer(base64.b64decode(picture["label"]), np.uint8)
    assert places.tolist() == [i % 3 for i in range(12)] + [3]
    assert [(entry["name"], entry["n"]) for entry in picture["legend"]] == [
        *((topic, 4) for topic in TOPICS),
        ("no label", 1),
    ]
    named = [trace.name for trace in map_figure(points(labels)).data]
    assert named == [*TOPICS, "no label"]
    assert "truths" not in dot_picture(points(["POSITIVE", "NEGATIVE", ""]))


def test_the_finding_counts_as_many_parts_as_labels() -> None:
    apart = map_finding(points([TOPICS[i % 3] for i in range(30)]))
    assert apart.startswith("Cut into 3 parts") and "100 % of the dots" in apart
    assert "right for 33 %" in apart


def test_clusters_are_counted_by_the_names_of_the_labels() -> None:
    ids, labels = np.array([0, 0, 1, 1, 1]), [0, 2, 1, 1, None]
    matrix = cluster_label_matrix(ids, labels, TOPICS)
    names = [None if label is None else TOPICS[label] for label in labels]
    wanted = pd.crosstab(ids, pd.Series(names))
    assert matrix[TOPICS].to_numpy().tolist() == wanted[TOPICS].to_numpy().tolist()
