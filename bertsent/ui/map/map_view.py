"""The map of many reviews: a model and reviews in, controls, the background work and the figure
out.

What a person sees last is kept in the session (``ShownMap``), so that it stays, greyed, while
something newer is made. What is
read from a map beside the figure is in ``bertsent.ui.map.chosen_review``.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.figures.maps import ColourBy, map_figure
from bertsent.progress import Progress
from bertsent.settings import home
from bertsent.space.embedding import is_embedded
from bertsent.space.projection_map import MapOptions, ProjectionMap, build_map, is_kept
from bertsent.ui.map.clicks_3d import clicks_in_space
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import show_error
from bertsent.ui.shared.jobs import jobs, wait_for

FEW, QUICK = 400, 1_000  # drawn without asking: so many reviews, or so many whose vectors are known
CHART, HEIGHT = "map_chart", 580
_PHONES = "Mobi"  # what the browsers of phones say of themselves
STALE_STYLE = "<style>.st-key-map_stale {opacity: 0.4; filter: grayscale(0.6)}</style>"


@dataclass(frozen=True)
class ShownMap:
    """A finished map and what it was made of."""

    key: str
    base: str  # equal bases have equal vectors
    atlas: ProjectionMap
    reviews: Reviews
    learner: str


@dataclass(frozen=True)
class MapJob:
    """Work of this page: ``work`` is done in the background, once for everybody who asks by the
    same key.
    """

    key: str
    work: Callable[[Progress], Any]
    what: str  # "A map"
    reviews: int
    at_once: bool  # whether it begins without a button
    height: int = HEIGHT


def current_map(learner, reviews: Reviews, options: MapOptions) -> tuple[ShownMap | None, bool]:  # noqa: ANN001
    """The map to draw and whether it is the one asked for; says what is going on where it is not.

    A small map, or one whose vectors are known, starts by itself; any other waits for its button.
    """
    base = cache_key(
        learner.key, learner.max_length, reviews.sha256, options.pooling, options.layer
    )
    key = f"map-{cache_key(base, asdict(options))}"
    shown: ShownMap | None = st.session_state.get("map_shown")
    if shown is None or shown.key != key:
        folder = cache_folder()
        known_vectors = is_embedded(
            learner, reviews, pooling=options.pooling, layer=options.layer, cache=folder
        )
        at_once = starts_unasked(reviews, options, known_vectors) or is_kept(
            learner, reviews, options, cache=folder
        )

        def work(progress: Progress) -> ProjectionMap:
            return build_map(learner, reviews, options, cache=folder, progress=progress)

        atlas = map_outcome(
            MapJob(key, work, "A map", len(reviews), at_once), kept=shown is not None
        )
        if atlas is None:
            return shown, False
        shown = st.session_state["map_shown"] = ShownMap(key, base, atlas, reviews, learner.name)
    return shown, True


def map_outcome(order: MapJob, *, kept: bool) -> Any:  # noqa: ANN401 - what the order's work gives
    """What an order made; None where it is not there yet, and then its progress, or the button that
    begins it, is drawn.

    Args:
        kept: whether something older is drawn below meanwhile; if not, the room of the figure is
            reserved.
    """
    job = jobs().find(order.key)
    if job is None and order.at_once:
        job = jobs().start(order.key, order.work)
    if job is not None and job.state == "done":
        return job.result
    _explain(order, kept)
    return None


def starts_unasked(reviews: Reviews, options: MapOptions, vectors_known: bool) -> bool:
    """Whether a map is quick enough to be drawn without asking."""
    quick = vectors_known and (options.method == "pca" or len(reviews) <= QUICK)
    return quick or len(reviews) <= FEW


def cache_folder() -> Path:
    """The folder of vectors and maps."""
    return home() / "cache" / "space"


def draw_map(
    shown: ShownMap, wish: MapSettings, *, fresh: bool, dropped: tuple[float, ...] | None = None
) -> None:
    """Draw the figure, greyed where it is not the one asked for. A click opens its review, a lasso
    or a box chooses many.
    """
    points, deep = shown.atlas.points, "z" in shown.atlas.points
    marked = (
        open_review_id(points)
        if deep
        else _marked(points, (shown.key, wish.colour, wish.palette, dropped))
    )
    camera = st.session_state.get("map_camera") if deep else None
    view = str(camera) if deep else f"{on_a_phone()} {st.session_state.get('map_turn', 0)}"
    figure = _figure(shown.key, wish.colour, wish.palette, marked, dropped, view, points, camera)
    if not fresh:
        st.html(STALE_STYLE)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure,
            key=CHART,
            on_select="ignore" if deep else _enclosed,
            selection_mode=("points", "box", "lasso"),
            config={"displaylogo": False, "displayModeBar": True},
            alt=f"Map of {len(points):,} reviews, coloured by {COLOURS[wish.colour].lower()}",
        )
    download_menu(CHART, figure, "bertsent-map", bar=True)
    if deep:
        clicks_in_space(CHART, _clicked_in_space)
    else:
        watch_dots(CHART, _pointed, marked=open_review_id(points), regions=False, clicks="choosing")


def open_review_id(points: pd.DataFrame) -> str | None:
    """The id of the review that was chosen last, if it is on this map."""
    chosen = st.session_state.get("map_selected")
    return chosen if chosen is not None and (points["id"] == chosen).any() else None


def selected_ids() -> tuple[str, ...]:
    """The ids of the reviews that a box or a lasso held last."""
    return st.session_state.get("map_lasso", ())


def open_review(review_id: str | None) -> None:
    """Open a review, which is ringed on the map, or none."""
    st.session_state["map_selected"] = review_id


def select_reviews(ids: Iterable[str]) -> None:
    """Take these reviews as chosen, to be read together below the map; none takes the choice
    back.
    """
    st.session_state["map_lasso"] = tuple(ids)
    if st.session_state["map_lasso"]:
        st.session_state["finding"] = "Selection"


def clear_selection() -> None:
    """Take the choice back, and the lasso from the map, which the browser would keep."""
    select_reviews(())
    st.session_state["map_marked"] = None
    st.session_state["map_turn"] = st.session_state.get("map_turn", 0) + 1


def on_a_phone() -> bool:
    return _PHONES in (st.context.headers.get("User-Agent") or "")


def _explain(order: MapJob, kept: bool) -> None:
    """Instead of, or above something older: the progress of an order, or the button that begins
    it.
    """
    job = jobs().find(order.key)
    with st.container(
        border=True, height="content" if kept else order.height, vertical_alignment="center"
    ):
        if job is not None and not job.over:
            wait_for(order.key, f"Mapping {order.reviews:,} reviews")
            if not kept:
                st.caption(
                    f"{order.what} will be here. The same reviews and the same model open at once "
                    "the next time."
                )
            return
        if job is not None and job.state == "failed":
            show_error(BertsentError(job.error))
        elif job is not None and job.state == "cancelled":
            st.caption(
                "Cancelled. Reviews that were read in full parts of 256 are kept: the next try "
                "goes on from there."
            )
        elif kept:
            st.caption("The settings changed. Below is the map as it was before.")
        else:
            st.markdown(
                f"**{order.what} of {order.reviews:,} reviews will be here**, each a dot where the "
                "model puts it. It takes a while."
            )
        again = "Try again" if job is not None else "Refresh the map" if kept else "Draw the map"
        if st.button(again, type="primary", key="map_draw"):
            jobs().start(order.key, order.work)
            st.rerun()


def _marked(points: pd.DataFrame, figure: tuple) -> tuple[str, ...]:
    """The chosen reviews that a flat figure marks by itself.

    It only follows the choice when the figure is drawn anew for another reason: a changed figure
    loses its zoom, and what a lasso
    encloses is marked by the browser anyway.
    """
    if CHART not in st.session_state or st.session_state.get("map_figure") != figure:
        st.session_state["map_marked"] = selected_ids()
    st.session_state["map_figure"] = figure
    return known(st.session_state.get("map_marked") or (), points["id"])


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(
    key: str,
    colour: ColourBy,
    palette: str,
    marked,
    dropped: tuple | None,
    view: str,
    _points,
    _camera,
):  # noqa: ANN001, ANN202
    drag = False if view.startswith("True") else "lasso"  # on a phone dragging scrolls the page
    figure = map_figure(
        _points,
        colour_by=colour,
        palette=palette,
        selected=marked,
        dropped=dropped,
        camera=_camera,
        drag=drag,
        height=HEIGHT,
    )
    return figure.update_layout(selectionrevision=view)


def _enclosed() -> None:
    """Dots were enclosed or one was clicked in the flat map, or the choice was taken back."""
    event = st.session_state[CHART].selection
    ids = [
        str(point["customdata"]) for point in event.points if point.get("customdata") is not None
    ]
    if event.box or event.lasso:
        select_reviews(ids)
        return
    select_reviews(())
    open_review(ids[0] if ids else None)


def _pointed(what: DotEvent) -> None:
    """A dot was clicked while the lasso was in hand."""
    open_review(what.id)


def _clicked_in_space(review_id: str, camera: dict | None) -> None:
    """A dot was clicked in the three-dimensional map; the figure is redrawn as it was turned."""
    st.session_state["map_selected"], st.session_state["map_camera"] = review_id, camera
