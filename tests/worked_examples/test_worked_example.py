import numpy as np
import pytest

from bertsent.worked_examples.worked_example import agrees


@pytest.mark.parametrize(
    ("value", "said", "same"),
    [
        (0.1054, "0.105", True),
        (0.1054, "0.05", False),
        (np.array([8.1662, 0.6065]), "8.17, 0.61", True),
        (8.7727, "8.78", False),
        (0.0691, ".07", True),
        (-0.5, "−0.5", True),
        (np.array([101, 1045]), "[101, 1045]", True),
        (np.array([101, 1045]), "101", False),
        (1538, "1,538", True),
        (("[CLS]", "I"), "[CLS] I", True),
        (("[CLS]", "i"), "[CLS] I", False),
    ],
)
def test_what_a_source_prints_is_compared_to_its_own_digits(
    value: object, said: str, same: bool
) -> None:
    assert agrees(value, said) is same
