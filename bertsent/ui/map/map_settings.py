"""The row of settings above the maps: a model and reviews in, the settings out. The choices live in
the link and the session.
"""

from dataclasses import dataclass
from typing import get_args

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.figures.maps import ColourBy, PaletteName
from bertsent.models.pooling import POOLINGS
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.projection_map import METHODS, MapOptions, Method
from bertsent.ui.shared import LINKED, choose, select
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
    """One map or four, how they are made, and how they are coloured, which makes nothing anew."""

    view: str
    options: MapOptions
    colour: ColourBy
    palette: PaletteName


def choose_settings(model: LoadedModel, reviews: Reviews) -> MapSettings:
    """Draw the row of settings; offers only what this model and these reviews can give."""
    with st.container(
        horizontal=True, gap="small", vertical_alignment="bottom", key="map_controls"
    ):
        view = choose(
            "View",
            _VIEWS,
            "map_view",
            help="Before and after also shows the same reviews under the backbone before "
            "fine-tuning.",
        )
        method, dimensions = _projection() if view == ONE else ("tsne", 2)
        pooling = choose(
            "Pooling",
            _POOLINGS,
            "map_pooling",
            help="How the token vectors become one vector per review.",
        )
        layer = _layer(model.layers)
        colour = _colour(model, reviews)
        clusters = linked_number(
            "Clusters", 2, 10, 2, key="map_clusters", width=125, help="The k of K-Means."
        )
        paper = st.toggle(
            "As in the paper", key="map_paper", help="Red is positive, blue is negative.", **LINKED
        )
    options = MapOptions(pooling, layer, method, dimensions, clusters)
    return MapSettings(view, options, colour, "paper" if paper else "default")


def _layer(layers: int) -> int:
    """Which layer's vectors are mapped; -1 for the last."""
    names = {-1: "last", **{layer: str(layer) for layer in range(layers - 1, 0, -1)}, 0: "input"}
    return select(
        "Layer",
        names,
        "map_layer",
        width=100,
        help="BERT is a stack of layers. The input is the token embeddings, before any attention.",
    )


def _projection() -> tuple[Method, int]:
    method = choose(
        "Method",
        METHODS,
        "map_method",
        help="PCA keeps large distances, t-SNE keeps neighbours.",
    )
    return method, choose(
        "Dimensions",
        {2: "2-D", 3: "3-D"} if method == "pca" else {2: "2-D"},
        "map_dimensions",
        help="Three dimensions are available for PCA only.",
    )


def _colour(model: LoadedModel, reviews: Reviews) -> ColourBy:
    """What dots are coloured by: truth needs labels, prediction and confidence need a trained
    head.
    """
    answers = "sentiment" in model.gives
    given = {
        "label": any(label is not None for label in reviews.labels),
        "prediction": answers,
        "confidence": answers,
    }
    offered = {colour: COLOURS[colour] for colour in get_args(ColourBy) if given.get(colour, True)}
    return select(
        "Colour by",
        offered,
        "map_colour",
        width=140,
        help=None if answers else "Prediction and confidence need a fine-tuned model.",
    )
