"""Files of reviews with stars: what is read, and what is said where something is wrong."""

import io

import pandas as pd
import pytest

from bertsent.data.stars import drawn, read_stars
from bertsent.errors import BadInput


def _csv(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def test_stars_are_read_beside_a_label_and_on_their_own_scale() -> None:
    found = read_stars(_csv("text,label,rating", "fine<br />film,1,8", "awful,0,1"), "a.csv")
    assert [e.scores for e in found] == [(8.0,), (1.0,)]
    assert "<br" not in found.texts[0] and found.task.high == 10
    five = read_stars(_csv("review,stars", "good,5", "bad,2"), "b.csv")
    assert five.task.high == 5 and [e.scores for e in five] == [(5.0,), (2.0,)]


def test_a_parquet_file_of_numbers_is_read() -> None:
    file = io.BytesIO()
    pd.DataFrame({"text": ["good", "bad"], "stars": [9, 2], "label": [1, 0]}).to_parquet(file)
    assert [e.scores for e in read_stars(file.getvalue(), "a.parquet")] == [(9.0,), (2.0,)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("text,label", "good,1"), "no column for the stars"),
        (("title,stars", "good,1"), "no column for the text"),
        (("text,stars", "good,many", "bad,2"), "Row 1 of .* has “many”"),
        (("text,stars", "good,nan", "bad,2"), "Row 1"),
        (("text,stars", "good,", "bad,2"), "Row 1 of .* no number"),
        (("text,stars", "good,3", "bad,3"), "same stars"),
    ],
)
def test_what_is_wrong_is_said(lines: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_stars(_csv(*lines), "a.csv")


def test_rows_without_stars_can_be_left_out() -> None:
    data = _csv("text,stars", "good,9", "bad,2", "odd,")
    assert len(read_stars(data, "a.csv", drop_incomplete=True)) == 2


def test_rows_are_drawn_once_and_for_all_in_their_order() -> None:
    rows = [f"text {i},{i % 5 + 1}" for i in range(50)]
    whole = read_stars(_csv("text,stars", *rows), "a.csv")
    few = drawn(whole, 10)
    places = [int(e.text.split()[1]) for e in few]
    assert len(set(places)) == 10 and places == sorted(places)
    assert few.sha256 == drawn(whole, 10).sha256 and drawn(whole, 50) is whole
