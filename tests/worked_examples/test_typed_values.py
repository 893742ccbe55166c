from collections.abc import Callable

import pytest

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import matrix, number, numbers, text, texts, whole


@pytest.mark.parametrize("typed", ["2.1, -0.5", "2.1 −0.5", " [2.1; -.5] ", "2.1\t-5e-1"])
def test_numbers_are_read_as_people_type_them(typed: str) -> None:
    assert numbers(2, 2)(typed).tolist() == [2.1, -0.5]


def test_a_matrix_has_a_line_for_each_row() -> None:
    assert matrix((2, 3), (2, 2))("1, 0\n\n0 −2").tolist() == [[1, 0], [0, -2]]


@pytest.mark.parametrize(
    ("read", "typed", "named"),
    [
        (numbers(2, 2), "", "No number"),
        (numbers(2, 2), "2.1", "1 number is"),
        (numbers(2, 2), "2.1, two", "two"),
        (numbers(2, 2), "2.1, inf", "inf"),
        (numbers(2, 2), "nan, 1", "nan"),
        (numbers(1, 3), "1 " * 500, "500 numbers"),
        (numbers(1, 3, low=0, high=1), "1.5", "1.5 is too large"),
        (number(0, 1), "-1", "-1 is too small"),
        (whole(1, 9), "2.5", "2.5 is not a whole"),
        (matrix((1, 3), (2, 2)), "1 2\n1", "1 number is"),
        (matrix((1, 3), (1, 2)), "1 2\n1", "2, 1"),
        (matrix((1, 2), (1, 2)), "1\n1\n1", "3 rows"),
        (text(5), "   ", "Nothing"),
        (text(5), "abcdef", "6 characters"),
        (texts(2, 3), "one", "1 line"),
    ],
)
def test_what_cannot_be_used_is_told(read: Callable[[str], object], typed: str, named: str) -> None:
    with pytest.raises(BadInput) as told:
        read(typed)
    assert named in told.value.what and told.value.remedy
