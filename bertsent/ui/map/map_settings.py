"""The row of settings above the maps: a model and reviews in, the settings out. The choices live in
the link and the session.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.figures.maps import ColourBy, PaletteName
from bertsent.models.pooling import POOLINGS
from bertsent.space.projection_map import METHODS, MapOptions, Method
from bertsent.ui.shared.links import linked_number

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

COLOURS: dict[ColourBy, str] = {
    "label": "Truth",
    "prediction": "Prediction",
    "confidence": "Confidence",
    "cluster": "Cluster",
}
ONE, BOTH = "one", "both"
_VIEWS = {ONE: "One map", BOTH: "Before and after"}
_POOLINGS = dict(zip(POOLINGS, ("[CLS]", "mean", "max"), strict=True))
_K = TypeVar("_K")


@dataclass(frozen=True)
class MapSettings:
    """One map or four, how they are made, and how they are coloured, which makes nothing anew."""

    view: str
    options: MapOptions
    colour: ColourBy
    palette: PaletteName


def choose_settings(model: "LoadedModel", reviews: Reviews) -> MapSettings:
    """Draw the row of settings; offers only what this model and these reviews can give."""
    bound: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
    with st.container(
        horizontal=True, gap="small", vertical_alignment="bottom", key="map_controls"
    ):
        note = "Before and after also shows the same reviews under the backbone before fine-tuning."
        view = choose("View", _VIEWS, "map_view", note)
        method, dimensions = _projection() if view == ONE else ("tsne", 2)
        note = "How the token vectors become one vector per review."
        pooling = choose("Pooling", _POOLINGS, "map_pooling", note)
        layer = _layer(model.layers)
        colour = _colour(model, reviews)
        note = "The k of K-Means."
        clusters = linked_number("Clusters", 2, 10, 2, key="map_clusters", width=125, help=note)
        note = "Red is positive, blue is negative."
        paper = st.toggle("As in the paper", key="map_paper", help=note, **bound)
    options = MapOptions(
        pooling=pooling, layer=layer, method=method, dimensions=dimensions, clusters=int(clusters)
    )
    return MapSettings(view, options, colour, "paper" if paper else "default")


def choose(label: str, options: Mapping[_K, str], key: str, note: str | None = None) -> _K:
    """A segmented control that always has a value, in the link and kept when the page changes; a
    value that is no longer offered is forgotten.
    """
    _forget_unless(key, options)
    return st.segmented_control(
        label,
        list(options),
        default=next(iter(options)),
        required=True,
        format_func=options.__getitem__,
        key=key,
        help=note,
        bind="query-params",
        persist_state="session",
    )


def _select(label: str, options: Mapping[_K, str], key: str, width: int, note: str | None) -> _K:
    _forget_unless(key, options)
    return st.selectbox(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        bind="query-params",
        persist_state="session",
        width=width,
        help=note,
    )


def _layer(layers: int) -> int:
    """Which layer's vectors are mapped; -1 for the last."""
    names = {-1: "last", **{layer: str(layer) for layer in range(layers - 1, 0, -1)}, 0: "input"}
    note = "BERT is a stack of layers. The input is the token embeddings, before any attention."
    options = {name: name for name in names.values()}
    chosen = _select("Layer", options, "map_layer", 100, note)
    return next(layer for layer, name in names.items() if name == chosen)


def _projection() -> tuple[Method, int]:
    """How one map is made of the vectors."""
    note = "PCA keeps large distances, t-SNE keeps neighbours."
    method = choose("Method", METHODS, "map_method", note)
    deep = {2: "2-D", 3: "3-D"} if method == "pca" else {2: "2-D"}
    return method, choose(
        "Dimensions", deep, "map_dimensions", "Three dimensions are available for PCA only."
    )


def _colour(model: "LoadedModel", reviews: Reviews) -> ColourBy:
    """What dots are coloured by: truth needs labels, prediction and confidence need a trained
    head.
    """
    answers = "sentiment" in model.gives
    labelled = any(label is not None for label in reviews.labels)
    given = {"label": labelled, "prediction": answers, "confidence": answers}
    offered = {colour: COLOURS[colour] for colour in get_args(ColourBy) if given.get(colour, True)}
    note = None if answers else "Prediction and confidence need a fine-tuned model."
    return _select("Colour by", offered, "map_colour", 140, note)


def _forget_unless(key: str, options: Mapping[_K, str]) -> None:
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
