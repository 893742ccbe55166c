"""Clicks on the dots of a three-dimensional figure, which Streamlit's own selections leave out: the
id of the dot and the view.

A small component beside the chart listens to the chart's own click event. What it sends comes from
a browser and is checked.
"""

import math
from collections.abc import Callable

import streamlit as st

from bertsent.ui.shared.components import browser_component

Camera = dict[str, dict[str, float]]


def clicks_in_space(chart: str, act: Callable[[str, Camera | None], None]) -> None:
    """Listen to the clicks on the Plotly chart of that key; ``act`` gets the ``customdata`` of the
    dot and the camera.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        found = st.session_state[key].get("picked")
        if isinstance(found, dict) and isinstance(found.get("id"), str):
            act(found["id"], _camera(found.get("camera")))

    browser_component(__file__)(key=key, data={"chart": chart}, on_picked_change=picked, height=1)


def _camera(sent: object) -> Camera | None:
    """A camera of finite numbers, or none."""
    found: Camera = {}
    for name in ("eye", "center", "up"):
        vector = sent.get(name) if isinstance(sent, dict) else None
        if not isinstance(vector, dict) or not all(_finite(vector.get(axis)) for axis in "xyz"):
            return None
        found[name] = {axis: float(vector[axis]) for axis in "xyz"}
    return found


def _finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)
