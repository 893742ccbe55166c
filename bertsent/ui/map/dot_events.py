"""Pointing at dots of a flat figure: clicks, what a lasso or a box encloses, and rings that follow
a review through every panel.

Streamlit's own selection of a Plotly chart knows no zoom, hears no click while the lasso is in
hand, and is taken back when the figure changes. Here a small component beside the chart listens to
the chart's own events; it draws a ring around the review that is open, and around the one that is
pointed at in every other panel, without the figure being sent anew. What it sends comes from a
browser and is checked.
"""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeGuard

import streamlit as st

from bertsent.ui.shared.components import listen

_AXIS = re.compile(r"[xy]axis[2-9]?")
_THROUGH = (
    "<style>.st-key-{chart} .selectionlayer path {{pointer-events: none "
    "!important}}</style>"
)  # dots in a lasso can be clicked
MOST_IDS = 50_000
Ranges = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class DotEvent:
    """What happened in the browser: one dot was clicked (``id``), or many were enclosed (``ids``,
    none: taken back).
    """

    id: str | None
    ids: tuple[str, ...]
    ranges: Ranges  # of the axes that are zoomed


def watch_dots(
    chart: str,
    act: Callable[[DotEvent], None],
    *,
    marked: str | None = None,
    regions: bool = True,
    clicks: str = "always",
) -> None:
    """Listen to the Plotly chart of that key, and ring the dots of a review in it.

    Args:
        act: gets what happened, before the page runs again.
        marked: the id of the review to ring.
        regions: whether to tell what a lasso or a box encloses; False where Streamlit itself tells
            it.
        clicks: ``always``, or ``choosing``: only while the lasso or the box is in hand, where
            Streamlit hears no click.
    """
    st.html(_THROUGH.format(chart=chart))
    listen(__file__, chart, checked_event, act, marked=marked, regions=regions, clicks=clicks)


def checked_event(sent: object) -> DotEvent | None:
    """What a browser sent, None where it is neither a click nor a region."""
    if not isinstance(sent, dict):
        return None
    ranges, one, many = checked_ranges(sent.get("ranges")), sent.get("id"), sent.get("ids")
    if isinstance(one, str):
        return DotEvent(one, (), ranges)
    if (
        isinstance(many, list)
        and len(many) <= MOST_IDS
        and all(isinstance(ident, str) for ident in many)
    ):
        return DotEvent(None, tuple(many), ranges)
    return None


def checked_ranges(sent: object) -> Ranges:
    """The ranges of known axes that are two different finite numbers; the rest is left out."""
    if not isinstance(sent, dict):
        return {}
    return {
        str(name): (float(ends[0]), float(ends[1]))
        for name, ends in sent.items()
        if _AXIS.fullmatch(str(name)) and _two_numbers(ends)
    }


def known(ids: Collection[str], there: Collection[str]) -> tuple[str, ...]:
    """Those of ``ids`` that are ``there``, in the order of ``there``."""
    wanted = set(ids)
    return tuple(ident for ident in there if ident in wanted)


def _two_numbers(ends: object) -> TypeGuard[list[float]]:
    return (
        isinstance(ends, list)
        and len(ends) == 2
        and all(isinstance(end, int | float) and math.isfinite(end) for end in ends)
        and ends[0] != ends[1]
    )
