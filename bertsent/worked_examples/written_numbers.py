"""Numbers as the worked examples print them: a true minus, a fixed number of decimals, and sums and
products written out.
"""

from collections.abc import Iterable

import numpy as np

MINUS = "\N{MINUS SIGN}"


def written(value: float, places: int = 4) -> str:
    """A number with ``places`` decimals: "−0.5000"; never "−0.0000"."""
    digits = f"{value:,.{places}f}"
    digits = digits.lstrip("-") if not float(digits.replace(",", "")) else digits
    return digits.replace("-", MINUS)


def short(value: float) -> str:
    """A number with no more digits than it needs, six at the most: "−0.5"."""
    return f"{value:.6g}".replace("-", MINUS)


def listed(values: object, places: int = 4) -> str:
    """Numbers, or words, with commas in between."""
    own = np.ravel(np.asarray(values))
    if own.dtype.kind in "f":
        return ", ".join(written(each, places) for each in own.tolist())
    return ", ".join(f"{each:,}" if isinstance(each, int) else str(each) for each in own.tolist())


def products(first: Iterable[float], second: Iterable[float]) -> str:
    """A dot product written out: "0.8 × 0.7 + 0.2 × 0.3 + (−0.1) × 0.1"."""
    return " + ".join(f"{_factor(a)} × {_factor(b)}" for a, b in zip(first, second, strict=True))


def _factor(value: float) -> str:
    return f"({short(value)})" if value < 0 else short(value)
