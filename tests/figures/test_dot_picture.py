"""What the browser is told to draw: read back from the bytes, compared with the table."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from bertsent.errors import BadInput
from bertsent.figures.colours import CLUSTERS, NEGATIVE, PAPER, POSITIVE
from bertsent.figures.dot_picture import dot_picture

EVIL = "<script>alert(1)</script> 😀 $x$"


def points(n: int = 9, text: str = "a film") -> pd.DataFrame:
    labels = np.array(["POSITIVE", "NEGATIVE", ""])[np.arange(n) % 3]
    shares = np.linspace(0, 1, n)
    return pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(n)],
            "text": text,
            "label": labels,
            "prediction": np.where(shares > 0.5, "POSITIVE", "NEGATIVE"),
            "p_positive": shares,
            "confidence": np.maximum(shares, 1 - shares),
            "cluster": np.arange(n) % 4,
            "x": np.arange(n, dtype=float),
            "y": -np.arange(n, dtype=float),
        }
    )


def unpacked(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_places_answers_and_clusters_arrive_as_they_are() -> None:
    table, sent = points(), dot_picture(points())
    assert unpacked(sent["x"], "<f4").tolist() == table["x"].tolist()
    assert unpacked(sent["y"], "<f4").tolist() == table["y"].tolist()
    assert unpacked(sent["p"], "<u2") / 10_000 == pytest.approx(table["p_positive"], abs=1e-4)
    assert unpacked(sent["cluster"], "u1").tolist() == table["cluster"].tolist()
    assert unpacked(sent["label"], "u1").tolist() == [0, 1, 2] * 3
    json.dumps(sent)


def test_every_dot_has_the_look_of_its_entry_in_the_legend() -> None:
    for colour in ("label", "prediction", "confidence", "cluster"):
        table = points()
        sent = dot_picture(table, colour_by=colour)
        look = unpacked(sent["look"], "u1")
        for entry in sent["legend"]:
            inside = (look >= entry["first"]) & (look <= entry["last"])
            assert inside.sum() == entry["n"] > 0
        assert sum(entry["n"] for entry in sent["legend"]) == len(table)
        assert look.max() < len(sent["looks"])


def test_colours_are_the_palette_s_and_shapes_differ() -> None:
    looks = dot_picture(points())["looks"]
    assert [each["colour"] for each in looks[:2]] == [POSITIVE, NEGATIVE]
    paper = dot_picture(points(), palette="paper")["looks"]
    assert paper[0]["colour"] == PAPER.positive
    found = dot_picture(points(40), colour_by="cluster")["looks"]
    assert {each["colour"] for each in found} == set(CLUSTERS[:4])
    for each in (looks, found):
        assert len({look["shape"] for look in each}) == len(each)


def test_a_surer_answer_is_further_along_the_scale() -> None:
    table = points(101)
    sent = dot_picture(table, colour_by="confidence")
    look = unpacked(sent["look"], "u1")
    positive = table[table["prediction"] == "POSITIVE"].sort_values("confidence").index
    assert (np.diff(look[positive]) >= 0).all() and look[positive[-1]] > look[positive[0]] + 50
    assert sent["scale"][0] != sent["scale"][-1]


def test_texts_stay_texts_and_many_are_cut() -> None:
    assert dot_picture(points(3, EVIL))["text"] == [EVIL] * 3
    many = dot_picture(points(50_000, "word " * 100))
    assert max(map(len, many["text"])) < 40 and len(json.dumps(many)) < 4_000_000


@pytest.mark.parametrize("wrong", [{"colour_by": "mood"}, {"palette": "rainbow"}])
def test_what_is_unknown_is_told(wrong: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        dot_picture(points(), **wrong)
