import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.worked_examples.word_filter import LIKE_DETECTOR
from bertsent.worked_examples.worked_example import agrees


def test_the_detector_of_like_by_hand() -> None:
    """[1,0,0,1,0] · [1,0,0,1,0] = 2 and nothing else reaches it; cut to [1,0,0] it gives 1 to
    “like” and 1 to “hate”, whose vectors begin alike.
    """
    found = LIKE_DETECTOR.results(LIKE_DETECTOR.typed())
    assert found["maps"].tolist() == [[0, 0], [2, 1], [1, 0], [0, 0], [1, 1], [0, 0]]
    assert (found["maximum"], found["best"]) == (2.0, ("like",))
    assert (found["short_maximum"], found["short_best"]) == (1.0, ("like", "hate"))
    assert found["lengths"] == ("5 × 1", "4 × 1", "3 × 1")
    assert LIKE_DETECTOR.finding is not None
    assert "3 < 5" in LIKE_DETECTOR.finding(found) and "“hate”" in LIKE_DETECTOR.finding(found)


def test_what_the_source_prints_is_found() -> None:
    found = LIKE_DETECTOR.results(LIKE_DETECTOR.typed())
    said = {each.name: each.said for each in LIKE_DETECTOR.quantities if each.said}
    assert said == {"detector": "1, 0, 0, 1, 0", "short_detector": "1, 0, 0"}
    assert all(agrees(found[name], digits) for name, digits in said.items())


def test_other_vectors_follow() -> None:
    typed = LIKE_DETECTOR.typed() | {
        "sentence": "a, 0.5, 1, 0, 0, 2\nb, -1, 0, 0, 3, 0",
        "detector": "1, 2, 0, -1, 0.5",
        "seen": "5",
    }
    found = LIKE_DETECTOR.results(typed)
    whole = np.array([[0.5, 1, 0, 0, 2], [-1, 0, 0, 3, 0]]) @ [1, 2, 0, -1, 0.5]
    assert np.allclose(found["maps"], np.stack([whole, whole], axis=1))
    assert LIKE_DETECTOR.finding is not None and "all 5" in LIKE_DETECTOR.finding(found)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sentence": ""},
        {"sentence": "like, 1, 0"},
        {"sentence": "like, 1, 0, 0, x, 0"},
        {"sentence": "\n".join(["a, 1, 0, 0, 1, 0"] * 13)},
        {"seen": "6"},
        {"detector": "1, 0"},
    ],
)
def test_what_cannot_be_used_is_said(wrong: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        LIKE_DETECTOR.results(LIKE_DETECTOR.typed() | wrong)
