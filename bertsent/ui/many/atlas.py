"""The map of many reviews: a model and reviews in, controls, the background work and the figure out.

What a person sees last is kept in the session (``Shown``), so that it stays, greyed, while something newer is made. What is
read from a map beside the figure is in ``bertsent.ui.many.readings``.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.figures.maps import ColourBy, map_figure
from bertsent.models.pooling import POOLINGS
from bertsent.settings import home
from bertsent.space.atlas import METHODS, Atlas, MapOptions, build_map
from bertsent.space.embedding import Progress, key_of
from bertsent.ui.background import jobs, wait_for
from bertsent.ui.clicks import clicks_in_space
from bertsent.ui.frame import say

FEW, QUICK = 400, 1_000  # drawn without asking: so many reviews, or so many whose vectors are known
CHART, HEIGHT = "map_chart", 580
COLOURS: dict[ColourBy, str] = {"label": "Truth", "prediction": "Prediction", "confidence": "Confidence", "cluster": "Cluster"}
ONE, BOTH = "one", "both"
_VIEWS = {ONE: "One map", BOTH: "Before and after"}
_POOLINGS = dict(zip(POOLINGS, ("[CLS]", "mean", "max"), strict=True))
GREY = "<style>.st-key-map_stale {opacity: 0.4; filter: grayscale(0.6)}</style>"


@dataclass(frozen=True)
class Wish:
    """What the controls ask for: one map or four, how they are made, and how they are coloured, which makes nothing anew."""

    view: str
    options: MapOptions
    colour: ColourBy
    palette: str


@dataclass(frozen=True)
class Shown:
    """A finished map and what it was made of."""

    key: str
    base: str  # equal bases have equal vectors
    atlas: Atlas
    reviews: Reviews
    learner: str


@dataclass(frozen=True)
class Order:
    """Work of this page: ``work`` is done in the background, once for everybody who asks by the same key."""

    key: str
    work: Callable[[Progress], Any]
    what: str  # "A map"
    reviews: int
    at_once: bool  # whether it begins without a button
    height: int = HEIGHT


def controls(learner, reviews: Reviews) -> Wish:  # noqa: ANN001 - a Learner; torch is loaded on use
    """Draw the row of settings; offers only what this model and these reviews can give."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="map_controls"):
        view = _one("View", _VIEWS, "view", "Before and after: the same reviews under the untouched backbone, too.")
        method, dimensions = _projection() if view == ONE else ("tsne", 2)
        pooling = _one("Pooling", _POOLINGS, "pooling", "How the vectors of the tokens become one vector a review.")
        layer = _layer(learner.layers)
        colour = _colour(_colours(learner, reviews))
        clusters = st.number_input(
            "Clusters", 2, 10, 2, key="map_clusters", bind="query-params", persist_state="session", width=125, help="The k of K-Means."
        )
        paper = st.toggle("As in the paper", key="map_paper", persist_state="session", help="Red is positive, blue is negative.")
    options = MapOptions(pooling=pooling, layer=layer, method=method, dimensions=dimensions, clusters=int(clusters))
    return Wish(view, options, colour, "paper" if paper else "default")


def current_map(learner, reviews: Reviews, options: MapOptions) -> tuple[Shown | None, bool]:  # noqa: ANN001
    """The map to draw and whether it is the one asked for; says what is going on where it is not.

    A small map, or one whose vectors are known, starts by itself; any other waits for its button.
    """
    base = key_of(learner.key, learner.max_length, reviews.sha256, options.pooling, options.layer)
    key = f"map-{key_of(base, asdict(options))}"
    shown: Shown | None = st.session_state.get("map_shown")
    if shown is None or shown.key != key:
        at_once = starts_itself(reviews, options, shown is not None and shown.base == base)
        folder = kept_work()

        def work(progress: Progress) -> Atlas:
            return build_map(learner, reviews, options, cache=folder, progress=progress)

        atlas = outcome(Order(key, work, "A map", len(reviews), at_once), kept=shown is not None)
        if atlas is None:
            return shown, False
        shown = st.session_state["map_shown"] = Shown(key, base, atlas, reviews, learner.name)
    return shown, True


def outcome(order: Order, *, kept: bool) -> Any:  # noqa: ANN401 - what the order's work gives
    """What an order made; None where it is not there yet, and then its progress, or the button that begins it, is drawn.

    Args:
        kept: whether something older is drawn below meanwhile; if not, the room of the figure is reserved.
    """
    job = jobs().find(order.key)
    if job is None and order.at_once:
        job = jobs().start(order.key, order.work)
    if job is not None and job.state == "done":
        return job.result
    _explain(order, kept)
    return None


def starts_itself(reviews: Reviews, options: MapOptions, vectors_known: bool) -> bool:
    """Whether a map is quick enough to be drawn without asking."""
    quick = vectors_known and (options.method == "pca" or len(reviews) <= QUICK)
    return quick or len(reviews) <= FEW


def kept_work() -> Path:
    """The folder of vectors and maps."""
    return home() / "cache" / "space"


def draw_map(shown: Shown, wish: Wish, *, fresh: bool, dropped: tuple[float, ...] | None = None) -> None:
    """Draw the figure, greyed where it is not the one asked for. A click opens its review."""
    points, deep = shown.atlas.points, "z" in shown.atlas.points
    marked = selected(points) if deep else _marked(points, (shown.key, wish.colour, wish.palette, dropped))
    camera = st.session_state.get("map_camera") if deep else None
    figure = _figure(shown.key, wish.colour, wish.palette, marked, dropped, str(camera), points, camera)
    if not fresh:
        st.html(GREY)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure, key=CHART, on_select="ignore" if deep else _clicked, selection_mode=("points", "box", "lasso"),
            config={"displaylogo": False, "toImageButtonOptions": {"filename": "bertsent-map", "scale": 2}},
            alt=f"Map of {len(points):,} reviews, coloured by {COLOURS[wish.colour].lower()}",
        )  # fmt: skip
    if deep:
        clicks_in_space(CHART, _clicked_in_space)


def selected(points: pd.DataFrame) -> str | None:
    """The id of the review that was chosen last, if it is on this map."""
    chosen = st.session_state.get("map_selected")
    return chosen if chosen is not None and (points["id"] == chosen).any() else None


def lassoed() -> tuple[str, ...]:
    """The ids of the reviews that a box or a lasso held last."""
    return st.session_state.get("map_lasso", ())


def select(review_id: str | None) -> None:
    """Open a review and have the figure mark it, or none."""
    st.session_state["map_selected"] = st.session_state["map_marked"] = review_id


def _one(label: str, options: dict, name: str, note: str):  # noqa: ANN202 - a key of ``options``
    """A segmented control that always has a value, in the link and kept when the page changes."""
    key = f"map_{name}"
    _forget_unless(key, options)
    return st.segmented_control(
        label, list(options), default=next(iter(options)), required=True, format_func=options.get, key=key, help=note,
        bind="query-params", persist_state="session",
    )  # fmt: skip


def _layer(layers: int) -> int:
    """Which layer's vectors are mapped; -1 for the last."""
    names = {-1: "last", **{layer: str(layer) for layer in range(layers - 1, 0, -1)}, 0: "input"}
    _forget_unless("map_layer", {name: name for name in names.values()})
    chosen = st.selectbox(
        "Layer", list(names.values()), key="map_layer", bind="query-params", persist_state="session", width=100,
        help="A BERT is a stack of layers. The input is the words before any of them has looked at another.",
    )  # fmt: skip
    return next(layer for layer, name in names.items() if name == chosen)


def _projection() -> tuple[str, int]:
    """How one map is made of the vectors."""
    method = _one("Method", METHODS, "method", "PCA keeps far distances, t-SNE keeps neighbours.")
    deep = {2: "2-D", 3: "3-D"} if method == "pca" else {2: "2-D"}
    return method, _one("Dimensions", deep, "dimensions", "Three dimensions come with PCA.")


def _colour(offered: dict[ColourBy, str]) -> ColourBy:
    _forget_unless("map_colour", offered)
    note = None if "prediction" in offered else "Prediction and confidence come with a fine-tuned model."
    return st.selectbox(
        "Colour by", list(offered), format_func=offered.get, key="map_colour", bind="query-params", persist_state="session", width=140,
        help=note,
    )  # fmt: skip


def _forget_unless(key: str, offered: dict) -> None:
    """Let a choice go that is not offered any more."""
    if st.session_state.get(key) not in offered:
        st.session_state.pop(key, None)


def _colours(learner, reviews: Reviews) -> dict[ColourBy, str]:  # noqa: ANN001
    """What dots can be coloured by: truth needs labels, prediction and confidence need a trained head."""
    given: dict[str, bool] = {
        "label": any(label is not None for label in reviews.labels),
        "prediction": "sentiment" in learner.gives,
        "confidence": "sentiment" in learner.gives,
    }
    return {colour: COLOURS[colour] for colour in get_args(ColourBy) if given.get(colour, True)}


def _explain(order: Order, kept: bool) -> None:
    """Instead of, or above something older: the progress of an order, or the button that begins it."""
    job = jobs().find(order.key)
    with st.container(border=True, height="content" if kept else order.height, vertical_alignment="center"):
        if job is not None and not job.over:
            wait_for(order.key, f"Mapping {order.reviews:,} reviews")
            if not kept:
                st.caption(f"{order.what} will be here. The same reviews and the same model open at once the next time.")
            return
        if job is not None and job.state == "failed":
            say(BertsentError(job.error))
        elif job is not None and job.state == "cancelled":
            st.caption("Cancelled. Nothing half-made was kept.")
        elif kept:
            st.caption("The settings changed. Below is the map as it was before.")
        else:
            st.markdown(
                f"**{order.what} of {order.reviews:,} reviews will be here**, each a dot where the model puts it. It takes a while."
            )
        again = "Try again" if job is not None else "Refresh the map" if kept else "Draw the map"
        if st.button(again, type="primary", key="map_draw"):
            jobs().start(order.key, order.work)
            st.rerun()


def _marked(points: pd.DataFrame, figure: tuple) -> str | None:
    """The review that a flat figure marks by itself.

    It only follows the selection when the figure is drawn anew for another reason: a changed figure loses its zoom, and a
    click is marked by the browser anyway.
    """
    if CHART not in st.session_state or st.session_state.get("map_figure") != figure:
        st.session_state["map_marked"] = st.session_state.get("map_selected")
    st.session_state["map_figure"] = figure
    marked = st.session_state.get("map_marked")
    return marked if marked is not None and (points["id"] == marked).any() else None


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(key: str, colour: ColourBy, palette: str, marked: str | None, dropped: tuple | None, view: str, _points, _camera):  # noqa: ANN001, ANN202
    return map_figure(_points, colour_by=colour, palette=palette, selected=marked, dropped=dropped, camera=_camera, height=HEIGHT)


def _clicked() -> None:
    """A dot was chosen in the flat map, or the choice was taken back."""
    found = [point["customdata"] for point in st.session_state[CHART].selection.points if point.get("customdata") is not None]
    if len(found) > 1:  # a box or a lasso: to be read below, not to be opened
        st.session_state["map_lasso"] = tuple(map(str, found))
        st.session_state["finding"] = "Selection"
        return
    st.session_state["map_selected"] = str(found[0]) if found else None
    if not found:
        st.session_state["map_marked"] = None


def _clicked_in_space(review_id: str, camera: dict | None) -> None:
    """A dot was clicked in the three-dimensional map; the figure is redrawn as it was turned."""
    st.session_state["map_selected"], st.session_state["map_camera"] = review_id, camera
