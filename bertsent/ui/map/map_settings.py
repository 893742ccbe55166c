"""The controls of the map: the frequent ones in the line of the title, the others in Settings. The
choices live in the link and the session.
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
ONE, BOTH, TIME = "one", "both", "time"
VIEWS = {ONE: "One map", BOTH: "Before and after", TIME: "Checkpoints"}
POOLING_NAMES = dict(zip(POOLINGS, ("[CLS]", "mean", "max"), strict=True))
STAR_MOST = 2_000  # reviews of a map on which the review of the bar is placed at once
_QUIET = {"label_visibility": "collapsed"}


@dataclass(frozen=True)
class MapSettings:
    """How a map is made, and how it is coloured, which makes nothing anew."""

    options: MapOptions
    colour: ColourBy
    palette: PaletteName
    star: bool = False


def choose_view(checkpoints: bool) -> str:
    """One map, before and after fine-tuning, or the checkpoints of a run where it has some."""
    offered = {view: name for view, name in VIEWS.items() if checkpoints or view != TIME}
    if st.session_state.get("map_view", ONE) not in offered:
        st.toast("Only a run has checkpoints: choose one in the review bar.", duration="long")
    return choose(
        "View",
        offered,
        "map_view",
        help="Before and after also shows the same reviews under the backbone before "
        "fine-tuning. Checkpoints plays a run from its first step to its last.",
        **_QUIET,
    )


def choose_method() -> Method:
    """PCA or t-SNE."""
    return choose(
        "Method",
        METHODS,
        "map_method",
        help="PCA keeps large distances, t-SNE keeps neighbours.",
        **_QUIET,
    )


def choose_colour(model: LoadedModel, reviews: Reviews) -> ColourBy:
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
        width=118,
        help="What dots are coloured by."
        if answers
        else "What dots are coloured by. Prediction and confidence need a fine-tuned model.",
        **_QUIET,
    )


def choose_rest(
    model: LoadedModel, method: Method, colour: ColourBy, *, flat: bool = False
) -> MapSettings:
    """What stands in Settings: how vectors are made and grouped, and the palette.

    Args:
        flat: whether only maps of two dimensions are drawn.
    """
    pooling = choose(
        "Pooling",
        POOLING_NAMES,
        "map_pooling",
        help="How the token vectors become one vector per review.",
    )
    layer = _layer(model.layers)
    dimensions = 2 if flat else _dimensions(method)
    clusters = linked_number(
        "Clusters", 2, 10, 2, key="map_clusters", width=125, help="The k of K-Means."
    )
    paper = st.toggle(
        "Colours of the paper", key="map_paper", help="Red is positive, blue is negative.", **LINKED
    )
    star = st.toggle(
        "Your review as a star",
        value=True,
        key="map_drop",
        help=f"The review of the bar above, on maps of up to {STAR_MOST:,} reviews.",
        **LINKED,
    )
    options = MapOptions(pooling, layer, method, dimensions, clusters)
    return MapSettings(options, colour, "paper" if paper else "default", star)


def _layer(layers: int) -> int:
    """Which layer's vectors are mapped; -1 for the last."""
    names = {-1: "last", **{layer: str(layer) for layer in range(layers - 1, 0, -1)}, 0: "input"}
    return select(
        "Layer",
        names,
        "map_layer",
        width=125,
        help="BERT is a stack of layers. The input is the token embeddings, before any attention.",
    )


def _dimensions(method: Method) -> int:
    return choose(
        "Dimensions",
        {2: "2-D", 3: "3-D"} if method == "pca" else {2: "2-D"},
        "map_dimensions",
        help="Three dimensions are available for PCA only.",
    )
