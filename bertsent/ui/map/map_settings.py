"""The row of settings above the maps: a model and reviews in, what is wished for out. The choices
live in the link and the session.
"""

from dataclasses import dataclass
from typing import get_args

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.figures.maps import ColourBy
from bertsent.models.pooling import POOLINGS
from bertsent.space.projection_map import METHODS, MapOptions
from bertsent.ui.shared.links import linked_number

COLOURS: dict[ColourBy, str] = {
    "label": "Truth",
    "prediction": "Prediction",
    "confidence": "Confidence",
    "cluster": "Cluster",
}
ONE, BOTH = "one", "both"
_VIEWS = {ONE: "One map", BOTH: "Before and after"}
_POOLINGS = dict(zip(POOLINGS, ("[CLS]", "mean", "max"), strict=True))


@dataclass(frozen=True)
class MapSettings:
    """What the controls ask for: one map or four, how they are made, and how they are coloured,
    which makes nothing anew.
    """

    view: str
    options: MapOptions
    colour: ColourBy
    palette: str


def choose_settings(learner, reviews: Reviews) -> MapSettings:  # noqa: ANN001 - a LoadedModel; torch is loaded on use
    """Draw the row of settings; offers only what this model and these reviews can give."""
    with st.container(
        horizontal=True, gap="small", vertical_alignment="bottom", key="map_controls"
    ):
        view = _one(
            "View",
            _VIEWS,
            "view",
            "Before and after: the same reviews under the untouched backbone, too.",
        )
        method, dimensions = _projection() if view == ONE else ("tsne", 2)
        pooling = _one(
            "Pooling",
            _POOLINGS,
            "pooling",
            "How the vectors of the tokens become one vector a review.",
        )
        layer = _layer(learner.layers)
        colour = _colour(_colours(learner, reviews))
        clusters = linked_number(
            "Clusters", 2, 10, 2, key="map_clusters", width=125, help="The k of K-Means."
        )
        paper = st.toggle(
            "As in the paper",
            key="map_paper",
            bind="query-params",
            persist_state="session",
            help="Red is positive, blue is negative.",
        )
    options = MapOptions(
        pooling=pooling, layer=layer, method=method, dimensions=dimensions, clusters=int(clusters)
    )
    return MapSettings(view, options, colour, "paper" if paper else "default")


def _one(label: str, options: dict, name: str, note: str):  # noqa: ANN202 - a key of ``options``
    """A segmented control that always has a value, in the link and kept when the page changes."""
    key = f"map_{name}"
    _forget_unless(key, options)
    return st.segmented_control(
        label,
        list(options),
        default=next(iter(options)),
        required=True,
        format_func=options.get,
        key=key,
        help=note,
        bind="query-params",
        persist_state="session",
    )


def _layer(layers: int) -> int:
    """Which layer's vectors are mapped; -1 for the last."""
    names = {-1: "last", **{layer: str(layer) for layer in range(layers - 1, 0, -1)}, 0: "input"}
    _forget_unless("map_layer", {name: name for name in names.values()})
    chosen = st.selectbox(
        "Layer",
        list(names.values()),
        key="map_layer",
        bind="query-params",
        persist_state="session",
        width=100,
        help="A BERT is a stack of layers. The input is the words before any of them has looked at "
        "another.",
    )
    return next(layer for layer, name in names.items() if name == chosen)


def _projection() -> tuple[str, int]:
    """How one map is made of the vectors."""
    method = _one("Method", METHODS, "method", "PCA keeps far distances, t-SNE keeps neighbours.")
    deep = {2: "2-D", 3: "3-D"} if method == "pca" else {2: "2-D"}
    return method, _one("Dimensions", deep, "dimensions", "Three dimensions come with PCA.")


def _colour(offered: dict[ColourBy, str]) -> ColourBy:
    _forget_unless("map_colour", offered)
    note = (
        None
        if "prediction" in offered
        else "Prediction and confidence come with a fine-tuned model."
    )
    return st.selectbox(
        "Colour by",
        list(offered),
        format_func=offered.get,
        key="map_colour",
        bind="query-params",
        persist_state="session",
        width=140,
        help=note,
    )


def _forget_unless(key: str, offered: dict) -> None:
    """Let a choice go that is not offered any more."""
    if st.session_state.get(key) not in offered:
        st.session_state.pop(key, None)


def _colours(learner, reviews: Reviews) -> dict[ColourBy, str]:  # noqa: ANN001
    """What dots can be coloured by: truth needs labels, prediction and confidence need a trained
    head.
    """
    given: dict[str, bool] = {
        "label": any(label is not None for label in reviews.labels),
        "prediction": "sentiment" in learner.gives,
        "confidence": "sentiment" in learner.gives,
    }
    return {colour: COLOURS[colour] for colour in get_args(ColourBy) if given.get(colour, True)}
