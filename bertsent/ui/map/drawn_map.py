"""One finished map on the page: flat ones on a canvas, those of three dimensions by Plotly."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.figures.dot_picture import dot_picture
from bertsent.figures.maps import STAR
from bertsent.space.map_finding import map_finding
from bertsent.ui.map.choices import open_review, open_review_id, open_star, select_reviews
from bertsent.ui.map.clicks_3d import clicks_in_space
from bertsent.ui.map.dot_map import MapEvent, dot_map, mark_dots
from bertsent.ui.map.map_settings import MapSettings
from bertsent.ui.map.map_view import ShownMap, figure_container, kept_figure
from bertsent.ui.shared import current_review, download_menu, plotly_chart

if TYPE_CHECKING:
    import plotly.graph_objects as go


CHART, DEEP_CHART, FILE = "map_chart", "map_deep", "bertsent-map"
DEEP_HEIGHT = 540
_ORDINALS = ("first", "second", "third")


def draw_map(
    shown: ShownMap,
    settings: MapSettings,
    *,
    fresh: bool,
    alt: str,
    star: Sequence[float] | None = None,
) -> None:
    """Draw it, greyed where it is not the one asked for. A click opens a review, a lasso or a box
    selects many.
    """
    with figure_container(fresh):
        if is_deep(shown):
            _deep(shown, settings, alt, star)
        else:
            _flat(shown, settings, alt)


def is_deep(shown: ShownMap) -> bool:
    """Whether the map has three dimensions."""
    return "z" in shown.map.points


def mark_map(shown: ShownMap, rows: np.ndarray | None, star: Sequence[float] | None) -> None:
    """Mark the open review, the chosen ``rows`` and the star on a flat map; listen to a deep one,
    whose figure has its marks. Draw it where a line of small parts stands.
    """
    if is_deep(shown):
        clicks_in_space(DEEP_CHART, _clicked_in_space)
        return
    ids, opened = shown.map.points["id"], open_review_id(shown.map.points)
    place = None if opened is None else int(np.flatnonzero(ids == opened)[0])
    mark_dots(CHART, opened=place, rows=[] if rows is None else rows.tolist(), star=star)


def map_downloads(
    shown: ShownMap, settings: MapSettings, star: Sequence[float] | None = None
) -> None:
    """The menu of what the map can be downloaded as; a pin has the star as well."""
    tables, deep = {"Points": shown.map.points}, is_deep(shown)
    if deep:
        download_menu(DEEP_CHART, _figure(shown, settings), FILE, tables=tables, bar=True)
        return
    download_menu(
        CHART,
        None,
        FILE,
        tables=tables,
        canvas=True,
        page=lambda: _offline(shown, settings),
        seen=lambda: _figure(shown, settings, star),
        finding=map_finding(shown.map.points),
    )


def axis_names(shown: ShownMap) -> list[str]:
    """What the axes of a PCA map keep; nothing for t-SNE, whose axes mean nothing."""
    if shown.map.explained is None:
        return []
    return [
        f"{name} component, {100 * share:.0f} % of the variance"
        for name, share in zip(_ORDINALS, shown.map.explained, strict=False)
    ]


def _flat(shown: ShownMap, settings: MapSettings, alt: str) -> None:
    ids, review = shown.map.points["id"].tolist(), ""
    with suppress(BertsentError):
        review = current_review()

    def act(event: MapEvent) -> None:
        if event.star:
            open_star()
        elif event.row is not None:
            open_review(ids[event.row])
        else:
            select_reviews(ids[row] for row in event.rows)

    picture = _picture(shown.key, settings.colour, settings.palette, shown)
    dot_map(CHART, picture, name=shown.key, alt=alt, review=review, act=act)


@st.cache_resource(max_entries=40, show_spinner=False)
def _picture(key: str, colour: str, palette: str, _shown: ShownMap) -> dict[str, Any]:
    points = _shown.map.points
    return dot_picture(points, colour_by=colour, palette=palette, axes=axis_names(_shown))


def _deep(shown: ShownMap, settings: MapSettings, alt: str, star: Sequence[float] | None) -> None:
    plotly_chart(
        _figure(shown, settings, star),
        key=DEEP_CHART,
        on_select="ignore",
        config={"displaylogo": False, "displayModeBar": True},
        alt=alt,
    )


def _figure(
    shown: ShownMap, settings: MapSettings, star: Sequence[float] | None = None
) -> "go.Figure":
    """The Plotly figure of a map, made once for everybody."""
    from bertsent.figures.maps import map_figure

    points, deep = shown.map.points, is_deep(shown)
    opened = open_review_id(points) if deep else None
    camera = st.session_state.get("map_camera") if deep else None
    dropped = None if star is None else tuple(star)
    return kept_figure(
        (shown.key, settings.colour, settings.palette, opened, dropped, str(camera)),
        lambda: map_figure(
            points,
            colour_by=settings.colour,
            palette=settings.palette,
            selected=opened,
            dropped=dropped,
            camera=camera,
            axes=[name.removesuffix(" of the variance") for name in axis_names(shown)],
            height=DEEP_HEIGHT,
        ),
    )


def _offline(shown: ShownMap, settings: MapSettings) -> bytes:
    from bertsent.figures.plotly_panels import offline_page

    return offline_page(_figure(shown, settings), title=FILE)


def _clicked_in_space(review_id: str, camera: dict[str, Any] | None) -> None:
    """A dot was clicked in the three-dimensional map; the figure is redrawn as it was turned."""
    if review_id == STAR:
        open_star()
    else:
        open_review(review_id)
    st.session_state["map_camera"] = camera
