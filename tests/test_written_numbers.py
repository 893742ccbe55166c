"""Numbers as they are printed."""

import math
import re
from pathlib import Path

import pytest

import bertsent
from bertsent.written_numbers import written


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (-0.076, ".2f", "−0.08"),
        (-12.5, "+.1f", "−12.5"),
        (3, "+.2f", "+3.00"),
        (-0.004, ".2f", "0.00"),
        (-0.0, "g", "0"),
        (0.004, "+.2f", "0.00"),
        (-0.004, "+.2f", "0.00"),
        (-1e-7, "g", "−1e−07"),
        (-math.inf, ".1f", "−inf"),
        (math.nan, ".1f", "nan"),
    ],
)
def test_minus_is_that_of_print_and_nothing_has_none(number: float, form: str, text: str) -> None:
    assert written(number, form) == text


def test_minus_signs_have_one_home() -> None:
    of_its_own = re.compile(r"""replace\(" ?-", " ?−"\)""")
    package = Path(bertsent.__file__).parent
    assert not [
        str(path) for path in package.rglob("*.py") if of_its_own.search(path.read_text("utf-8"))
    ]
