"""Clicks on the dots of a three-dimensional figure, which Streamlit's own selections leave out: the
id of the dot and the view.

A small component beside the chart listens to the chart's own click event. What it sends comes from
a browser and is checked.
"""

import math
from collections.abc import Callable

from bertsent.ui.shared.components import listen

Camera = dict[str, dict[str, float]]


def clicks_in_space(chart: str, act: Callable[[str, Camera | None], None]) -> None:
    """Listen to the clicks on the Plotly chart of that key; ``act`` gets the ``customdata`` of the
    dot and the camera.
    """
    listen(__file__, chart, checked_click, lambda click: act(*click))


def checked_click(sent: object) -> tuple[str, Camera | None] | None:
    """The id of the dot and the camera as a browser sent them, None where it sent anything else."""
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str):
        return None
    return sent["id"], _camera(sent.get("camera"))


def _camera(sent: object) -> Camera | None:
    found: Camera = {}
    for name in ("eye", "center", "up"):
        vector = sent.get(name) if isinstance(sent, dict) else None
        if not isinstance(vector, dict) or not all(_finite(vector.get(axis)) for axis in "xyz"):
            return None
        found[name] = {axis: float(vector[axis]) for axis in "xyz"}
    return found


def _finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)
