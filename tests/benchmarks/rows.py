"""A measurement is a ``Row``; rows become a table for people and a document for tools."""

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass

HEADINGS = ("what", "ours", "peer", "ratio", "how measured")
HOW_WIDTH = 92


@dataclass(frozen=True)
class Row:
    """``ours`` beside ``peer``, both in ``unit``; a ratio over 1 says that ours is better,
    whichever way ``unit`` counts.
    """

    what: str
    unit: str
    ours: float
    peer: float | None
    how: str
    more_is_better: bool = False

    @property
    def ratio(self) -> float | None:
        if not self.peer or not self.ours:
            return None
        return self.ours / self.peer if self.more_is_better else self.peer / self.ours

    def document(self) -> dict[str, object]:
        return {**asdict(self), "ratio": self.ratio}

    def cells(self) -> tuple[str, ...]:
        peer = "" if self.peer is None else _amount(self.peer, self.unit)
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} ×"
        return self.what, _amount(self.ours, self.unit), peer, ratio, self.how


def table(rows: Sequence[Row]) -> str:
    """All rows below each other; what was measured how stands to the right, wrapped."""
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = [_line(line, widths) for line in cells]
    return "\n".join([lines[0], "-" * (sum(widths) + 8 + HOW_WIDTH), *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cells[column].rjust(widths[column]) for column in (1, 2, 3))
    start = "  ".join([cells[0].ljust(widths[0]), *numbers]) + "  "
    return textwrap.fill(
        cells[4],
        len(start) + HOW_WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )


def _amount(value: float, unit: str) -> str:
    if unit == "%":
        return f"{100 * value:.1f} %"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"
