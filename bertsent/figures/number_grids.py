"""Small matrices with their numbers, side by side as far as there is room: HTML that wraps on a
phone. Purple is above 0, orange below; the larger, the stronger.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_MORE, _LESS = "94,60,153", "230,97,1"  # the ends of colours.CHANGE_SCALE
_STRONGEST = 0.55  # so that the page's own ink stays readable on it, light or dark


@dataclass(frozen=True)
class Grid:
    """A matrix (r, c) with its name, how it is made, and the names of its rows and columns."""

    name: str
    formula: str
    values: np.ndarray
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    places: int = 2


def number_grids(grids: Sequence[Grid]) -> str:
    """HTML of several matrices, each coloured by its own largest number."""
    return f'<div class="number-grids">{"".join(map(_grid, grids))}</div>'


def _grid(grid: Grid) -> str:
    largest = float(np.abs(grid.values).max(initial=0)) or 1.0
    head = "".join(f"<th>{html.escape(name)}</th>" for name in grid.columns)
    rows = [f"<tr><th></th>{head}</tr>"] if head else []
    for place, row in enumerate(grid.values):
        name = html.escape(grid.rows[place]) if grid.rows else ""
        cells = "".join(_cell(value, largest, grid.places) for value in row)
        rows.append(f"<tr><th>{name}</th>{cells}</tr>")
    return (
        f"<figure><figcaption><b>{html.escape(grid.name)}</b> {html.escape(grid.formula)}"
        f"</figcaption><table>{''.join(rows)}</table></figure>"
    )


def _cell(value: float, largest: float, places: int) -> str:
    strength = _STRONGEST * min(1.0, abs(value) / largest)
    colour = f"rgba({_LESS if value < 0 else _MORE},{strength:.2f})"
    shown = f"{value:.{places}f}"
    if not float(shown):
        shown = shown.lstrip("-")
    return f'<td style="background:{colour}">{shown.replace("-", chr(0x2212))}</td>'
