"""The canvas that flat maps are drawn on, and what people do with its dots.

The dots (``figures.dot_picture``) and what is marked among them go to the browser as two
components, so that a click does not send 50,000 dots again. What comes back is checked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from bertsent.ui.shared.components import browser_component

_MARKS = str(Path(__file__).with_name("dot_map_marks"))


@dataclass(frozen=True)
class MapEvent:
    """What happened on the map: one dot was clicked (``row``), many were enclosed (``rows``, none:
    taken back), or the star was clicked.
    """

    row: int | None = None
    rows: tuple[int, ...] = ()
    star: bool = False


def dot_map(
    chart: str,
    picture: Mapping[str, Any],
    *,
    name: str,
    alt: str,
    review: str,
    act: Callable[[MapEvent], None],
) -> None:
    """Draw a map.

    Args:
        chart: the key of the map on this page.
        picture: of ``figures.dot_picture``.
        name: of the map that is drawn; zoom lasts as long as it does not change.
        alt: what the map shows, for readers of the screen.
        review: what the star stands for.
        act: gets what happened, before the page runs again.
    """

    def picked() -> None:
        found = checked_event(st.session_state[chart].get("picked"), name, len(picture["text"]))
        if found is not None:
            act(found)

    data = {**picture, "place": chart, "map": name, "key": name, "alt": alt, "review": review}
    browser_component(__file__)(key=chart, data=data, on_picked_change=picked, height="content")


def mark_dots(
    chart: str,
    *,
    opened: int | None,
    rows: Sequence[int],
    star: Sequence[float] | None,
) -> None:
    """Ring the dot of a row, dim all but some rows, if any, and draw a star."""
    data = {"chart": chart, "opened": opened, "rows": list(rows), "star": star and list(star)}
    browser_component(_MARKS)(key=f"{chart}_marks", data=data, height=1)


def checked_event(sent: object, name: str, count: int) -> MapEvent | None:
    """What a browser sent about the map of that name and so many dots, None where it is about
    another one, or nothing that a map can say.
    """
    if not isinstance(sent, dict) or sent.get("map") != name:
        return None
    row, rows = sent.get("row"), sent.get("rows")
    if sent.get("star") is True:
        return MapEvent(star=True)
    if _is_row(row, count):
        return MapEvent(row=row)
    if isinstance(rows, list) and all(_is_row(each, count) for each in rows):
        return MapEvent(rows=tuple(dict.fromkeys(rows)))
    return None


def _is_row(sent: object, count: int) -> bool:
    return isinstance(sent, int) and not isinstance(sent, bool) and 0 <= sent < count
