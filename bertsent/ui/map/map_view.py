"""The map of many reviews: a model and reviews in, the work in the background and the figure out.

What a person sees last is kept in the session (``ShownMap``), so that it stays, greyed, while
something newer is made. What is read from a map beside the figure is in
``bertsent.ui.map.chosen_review``.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.figures.maps import ColourBy, Drag, PaletteName, map_figure
from bertsent.settings import home
from bertsent.space.embedding import embeddings_key, is_embedded
from bertsent.space.projection_map import MapOptions, ProjectionMap, build_map, is_kept
from bertsent.ui.map.clicks_3d import clicks_in_space
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.jobs import JobRequest, Lane, Work, jobs, outcome

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from bertsent.probing.loaded_model import LoadedModel

FEW, QUICK = 400, 1_000  # drawn without asking: so many reviews, or so many whose vectors are known
CHART, HEIGHT = "map_chart", 580
_PHONES = "Mobi"  # what the browsers of phones say of themselves
STALE_STYLE = "<style>.st-key-map_stale {opacity: 0.4; filter: grayscale(0.6)}</style>"


@dataclass(frozen=True)
class ShownMap:
    """A finished map and what it was made of."""

    key: str
    base: str  # equal bases have equal vectors
    map: ProjectionMap
    reviews: Reviews
    model: str  # its name


def current_map(
    model: "LoadedModel", reviews: Reviews, options: MapOptions
) -> tuple[ShownMap | None, bool]:
    """The map to draw and whether it is the one asked for; says what is going on where it is not.

    A small map, or one whose vectors are known, starts by itself; any other waits for its button.
    """
    base = embeddings_key(model, reviews, options.pooling, options.layer)
    key = f"map-{cache_key(base, asdict(options))}"
    shown: ShownMap | None = st.session_state.get("map_shown")
    if shown is None or shown.key != key:
        folder = cache_folder()
        vectors_known = is_embedded(
            model, reviews, pooling=options.pooling, layer=options.layer, cache=folder
        )
        unasked = starts_unasked(reviews, options, vectors_known)
        request = map_request(
            key,
            lambda progress: build_map(model, reviews, options, cache=folder, progress=progress),
            f"A map of {len(reviews):,} reviews",
            unasked=unasked or is_kept(model, reviews, options, cache=folder),
            older=shown is not None,
        )
        made = map_outcome(request, older=shown is not None)
        if made is None:
            return shown, False
        shown = st.session_state["map_shown"] = ShownMap(key, base, made, reviews, model.name)
    return shown, True


def map_request(key: str, work: Work, what: str, *, unasked: bool, older: bool) -> JobRequest:
    """Work of this page, short where it begins without a button; ``older`` tells whether an older
    outcome is drawn below meanwhile.
    """
    note = (
        "The settings have changed. Below is the previous map."
        if older
        else f"{what} will appear here. It takes a while and can be cancelled."
    )
    kept = "Finished batches of 256 reviews are kept: the next try continues from there."
    button = "Refresh the map" if older else "Draw the map"
    lane: Lane = "short" if unasked else "long"
    return JobRequest(key, work, what, button, lane=lane, unasked=unasked, note=note, kept=kept)


def map_outcome(request: JobRequest, *, older: bool, height: int = HEIGHT) -> Any:  # noqa: ANN401
    """What the work made; None where it is not there yet, and then its progress, or the button that
    begins it, is drawn in the room of the figure, or above an older one.
    """
    job = jobs().find(request.key)
    if job is not None and job.state == "done":
        return job.result
    with st.container(
        border=True, height="content" if older else height, vertical_alignment="center"
    ):
        return outcome(request)


def starts_unasked(reviews: Reviews, options: MapOptions, vectors_known: bool) -> bool:
    """Whether a map is quick enough to be drawn without asking."""
    quick = vectors_known and (options.method == "pca" or len(reviews) <= QUICK)
    return quick or len(reviews) <= FEW


def cache_folder() -> Path:
    """The folder of vectors and maps."""
    return home() / "cache" / "space"


def draw_map(
    shown: ShownMap,
    settings: MapSettings,
    *,
    fresh: bool,
    dropped: tuple[float, ...] | None = None,
) -> None:
    """Draw the figure, greyed where it is not the one asked for. A click opens its review, a lasso
    or a box selects many.
    """
    points, colour, palette = shown.map.points, settings.colour, settings.palette
    deep, opened = "z" in points, open_review_id(points)
    marked = opened if deep else _marked(points, (shown.key, colour, palette, dropped))
    camera = st.session_state.get("map_camera") if deep else None
    view = str(camera) if deep else f"{on_a_phone()} {st.session_state.get('map_turn', 0)}"
    figure = _figure(shown.key, colour, palette, marked, dropped, view, points, camera)
    if not fresh:
        st.html(STALE_STYLE)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure,
            key=CHART,
            on_select="ignore" if deep else _selected,
            selection_mode=("points", "box", "lasso"),
            config={"displaylogo": False, "displayModeBar": True},
            alt=f"Map of {len(points):,} reviews, coloured by {COLOURS[colour].lower()}",
        )
    download_menu(CHART, figure, "bertsent-map", tables={"Points": points}, bar=True)
    if deep:
        clicks_in_space(CHART, _clicked_in_space)
    else:
        watch_dots(CHART, _clicked, marked=opened, regions=False, clicks="choosing")


def open_review_id(points: pd.DataFrame) -> str | None:
    """The id of the review that was opened last, if it is on this map."""
    opened = st.session_state.get("map_selected")
    return opened if opened is not None and (points["id"] == opened).any() else None


def open_review(review_id: str | None) -> None:
    """Open a review, which is ringed on the map, or none."""
    st.session_state["map_selected"] = review_id


def selected_ids() -> tuple[str, ...]:
    """The ids of the reviews that a box or a lasso held last."""
    return st.session_state.get("map_lasso", ())


def select_reviews(ids: Iterable[str]) -> None:
    """Select these reviews, to be read together below the map; none takes the selection back."""
    st.session_state["map_lasso"] = tuple(ids)
    if st.session_state["map_lasso"]:
        st.session_state["finding"] = "Selection"


def clear_selection() -> None:
    """Take the selection back, and the lasso from the map, which the browser would keep."""
    select_reviews(())
    st.session_state["map_marked"] = None
    st.session_state["map_turn"] = st.session_state.get("map_turn", 0) + 1


def on_a_phone() -> bool:
    return _PHONES in (st.context.headers.get("User-Agent") or "")


def _marked(points: pd.DataFrame, figure: tuple[object, ...]) -> tuple[str, ...]:
    """The selected reviews that a flat figure marks by itself.

    It only follows the selection when the figure is drawn anew for another reason: a changed figure
    loses its zoom, and what a lasso encloses is marked by the browser anyway.
    """
    if CHART not in st.session_state or st.session_state.get("map_figure") != figure:
        st.session_state["map_marked"] = selected_ids()
    st.session_state["map_figure"] = figure
    return known(st.session_state.get("map_marked") or (), points["id"])


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(
    key: str,
    colour: ColourBy,
    palette: PaletteName,
    marked: str | tuple[str, ...] | None,
    dropped: tuple[float, ...] | None,
    view: str,
    _points: pd.DataFrame,
    _camera: dict[str, Any] | None,
) -> "go.Figure":
    drag: Drag = (
        False if view.startswith("True") else "lasso"
    )  # on a phone dragging scrolls the page
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


def _selected() -> None:
    """Dots were enclosed or one was clicked in the flat map, or the selection was taken back."""
    event = st.session_state[CHART].selection
    ids = [
        str(point["customdata"]) for point in event.points if point.get("customdata") is not None
    ]
    if event.box or event.lasso:
        select_reviews(ids)
        return
    select_reviews(())
    open_review(ids[0] if ids else None)


def _clicked(event: DotEvent) -> None:
    """A dot was clicked while the lasso was in hand."""
    open_review(event.id)


def _clicked_in_space(review_id: str, camera: dict[str, Any] | None) -> None:
    """A dot was clicked in the three-dimensional map; the figure is redrawn as it was turned."""
    st.session_state["map_selected"], st.session_state["map_camera"] = review_id, camera
