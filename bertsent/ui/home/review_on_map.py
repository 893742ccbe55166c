"""Where the model places the review among 400 ordinary ones."""

import html
from collections import Counter

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.figures.colours import HIGHLIGHT, NEGATIVE, POSITIVE
from bertsent.figures.small_pictures import data_uri, map_picture
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.embedding import embeddings_key
from bertsent.space.projection_map import MapOptions, ProjectionMap, build_map
from bertsent.ui.home.tiles import tile
from bertsent.ui.map.map_view import cache_folder
from bertsent.ui.map.review_sample import ORDINARY, SET, ordinary_reviews
from bertsent.ui.shared import BY_CONTENT, JobRequest, escape_markdown, outcome
from bertsent.ui.shared.frame import MAP

NEAREST = 10
ABOUT = (
    "A dot is an ordinary review, placed by the two directions in which the model’s vectors differ "
    "most (PCA); the star is the review in the bar, projected onto them. Neighbours are counted "
    "among the whole vectors."
)


def show_review_on_map(model: LoadedModel, text: str) -> None:
    """Draw the tile; the first time for a model the map is made in the background."""
    with tile("map", MAP.file, "Where it lies on the map", ABOUT, **{SET: ORDINARY}):
        reviews = ordinary_reviews()
        found = _map(model, reviews)
        if found is None:
            return
        vector = _vector(model, text)
        nearest = found.nearest(vector, NEAREST)
        finding = nearest_sentence(nearest)
        x, y = found.place(vector[None])[0]
        picture = data_uri(map_picture(found.points, (x, y)))
        st.html(
            f'<img class="home-map" src="{picture}" alt="{html.escape(finding)}">{_legend_html()}'
        )
        st.caption(escape_markdown(f"{finding} Dots: {len(reviews)} ordinary ones, by label."))


def nearest_sentence(nearest: pd.DataFrame) -> str:
    """What the reviews are that lie nearest."""
    label, count = Counter(nearest["label"]).most_common(1)[0]
    most = f"{count} of" if count < len(nearest) else "All of"
    return f"{most} the {len(nearest)} reviews nearest to it are {label}."


def _map(model: LoadedModel, reviews: Reviews) -> ProjectionMap | None:
    """The map on which the star lies; None while it is made."""
    folder, options = cache_folder(), MapOptions()
    key = f"home-map-{cache_key(embeddings_key(model, reviews))}"
    request = JobRequest(
        key,
        lambda progress: build_map(model, reviews, options, cache=folder, progress=progress),
        f"Placing {len(reviews)} reviews",
        "Draw the map",
        lane="short",
        unasked=True,
    )
    return outcome(request)


@st.cache_data(max_entries=500, show_spinner=False, hash_funcs=BY_CONTENT)
def _vector(model: LoadedModel, text: str) -> np.ndarray:
    """(H,)."""
    return model.embed([text])[0]


def _legend_html() -> str:
    marks = (
        ("●", POSITIVE, "POSITIVE"),
        ("◆", NEGATIVE, "NEGATIVE"),
        ("★", HIGHLIGHT, "the review"),
    )
    shown = "".join(
        f'<span><b style="color:{colour}">{mark}</b> {name}</span>' for mark, colour, name in marks
    )
    return f'<div class="home-legend">{shown}</div>'
