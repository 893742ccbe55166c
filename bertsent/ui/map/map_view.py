"""The map of many reviews: a model and reviews in, the work in the background and the figure out.

What a person sees last is kept in the session (``ShownMap``), so that it stays, greyed, while
something newer is made. What is read from a map beside the figure is in
``bertsent.ui.map.chosen_review``.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.figures.maps import map_figure
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import home
from bertsent.space.embedding import embeddings_key, is_embedded
from bertsent.space.projection_map import MapOptions, ProjectionMap, build_map, is_kept
from bertsent.ui.map.clicks_3d import clicks_in_space
from bertsent.ui.map.dot_events import known, watch_dots
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.shared import JobRequest, download_menu, outcome
from bertsent.ui.shared.jobs import Work, jobs

if TYPE_CHECKING:
    import plotly.graph_objects as go

FEW, QUICK = 400, 1_000  # drawn without asking: so many reviews, or so many whose vectors are known
CHART, HEIGHT = "map_chart", 580


@dataclass(frozen=True)
class Shown:
    """What a session shows of the work of this page."""

    key: str  # of all that it was made of


@dataclass(frozen=True)
class ShownMap(Shown):
    """A finished map and what it was made of."""

    base: str  # equal bases have equal vectors
    map: ProjectionMap
    reviews: Reviews
    model: str  # its name


S = TypeVar("S", bound=Shown)


def current_map(
    model: LoadedModel, reviews: Reviews, options: MapOptions
) -> tuple[ShownMap | None, bool]:
    """The map to draw and whether it is the one asked for; says what is going on where it is not.

    A small map, or one whose vectors are known, starts by itself; any other waits for its button.
    """
    base = embeddings_key(model, reviews, options.pooling, options.layer)
    key, folder = f"map-{cache_key(base, asdict(options))}", cache_folder()

    def quick(_older: ShownMap | None) -> bool:
        embedded = is_embedded(
            model, reviews, pooling=options.pooling, layer=options.layer, cache=folder
        )
        return is_quick(reviews, options, embedded) or is_kept(
            model, reviews, options, cache=folder
        )

    return newest(
        "map_shown",
        key,
        f"A map of {len(reviews):,} reviews",
        lambda progress: build_map(model, reviews, options, cache=folder, progress=progress),
        lambda made: ShownMap(key, base, made, reviews, model.name),
        quick=quick,
    )


def newest(
    slot: str,
    key: str,
    title: str,
    work: Work,
    keep: Callable[[Any], S],
    *,
    quick: Callable[[S | None], bool],
    height: int = HEIGHT,
) -> tuple[S | None, bool]:
    """What to draw, and whether it is what was asked for. What was asked for is made in the
    background; meanwhile its progress, or the button that begins it, is drawn above what the
    session showed last, or in the room of the figure.

    Args:
        slot: where the session keeps what it shows.
        key: of what is asked for.
        work: makes it.
        keep: what the session keeps of what was made.
        quick: whether the work begins without a button, given what the session shows now.
        height: of the figure, in pixels.
    """
    shown: S | None = st.session_state.get(slot)
    if shown is not None and shown.key == key:
        return shown, True
    begins = quick(shown)
    request = JobRequest(
        key,
        work,
        title,
        "Refresh the map" if shown else "Draw the map",
        lane="short" if begins else "long",
        unasked=begins,
        note="The settings have changed. Below is the previous map."
        if shown
        else f"{title} will appear here. It takes a while and can be cancelled.",
        kept="Finished batches of 256 reviews are kept: the next try continues from there.",
    )
    job = jobs().find(key)
    if job is not None and job.state == "done":
        made = job.result
    else:
        with st.container(
            border=True, height="content" if shown else height, vertical_alignment="center"
        ):
            made = outcome(request)
    if made is None:
        return shown, False
    shown = st.session_state[slot] = keep(made)
    return shown, True


def is_quick(reviews: Reviews, options: MapOptions, embedded: bool) -> bool:
    """Whether a map is quick enough to be drawn without asking."""
    return len(reviews) <= (QUICK if embedded else FEW) or (embedded and options.method == "pca")


def figure_container(fresh: bool) -> DeltaGenerator:
    """Where a figure is drawn; it is greyed where it is not the one asked for."""
    return st.container(key="map_fresh" if fresh else "map_stale")


@st.cache_resource(max_entries=40, show_spinner=False)
def kept_figure(key: tuple[object, ...], _make: Callable[[], "go.Figure"]) -> "go.Figure":
    """The figure that ``key`` names, drawn once for everybody."""
    return _make()


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
    phone = not deep and on_a_phone()  # there dragging scrolls the page
    view = str(camera) if deep else f"{phone} {st.session_state.get('map_turn', 0)}"
    figure = kept_figure(
        (shown.key, colour, palette, marked, dropped, view),
        lambda: map_figure(
            points,
            colour_by=colour,
            palette=palette,
            selected=marked,
            dropped=dropped,
            camera=camera,
            drag=False if phone else "lasso",
            height=HEIGHT,
        ).update_layout(selectionrevision=view),
    )
    figure_container(fresh).plotly_chart(
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
        watch_dots(
            CHART,
            lambda event: open_review(event.id),  # clicked while the lasso was in hand
            marked=opened,
            regions=False,
            clicks="choosing",
        )


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
    """Whether the browser says that it is one of a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")


def _marked(points: pd.DataFrame, figure: tuple[object, ...]) -> tuple[str, ...]:
    """The selected reviews that a flat figure marks by itself.

    It only follows the selection when the figure is drawn anew for another reason: a changed figure
    loses its zoom, and what a lasso encloses is marked by the browser anyway.
    """
    if CHART not in st.session_state or st.session_state.get("map_figure") != figure:
        st.session_state["map_marked"] = selected_ids()
    st.session_state["map_figure"] = figure
    return known(st.session_state.get("map_marked") or (), points["id"])


def _selected() -> None:
    event = st.session_state[CHART].selection
    ids = [
        str(point["customdata"]) for point in event.points if point.get("customdata") is not None
    ]
    if event.box or event.lasso:
        select_reviews(ids)
        return
    select_reviews(())
    open_review(ids[0] if ids else None)


def _clicked_in_space(review_id: str, camera: dict[str, Any] | None) -> None:
    """A dot was clicked in the three-dimensional map; the figure is redrawn as it was turned."""
    st.session_state["map_selected"], st.session_state["map_camera"] = review_id, camera
