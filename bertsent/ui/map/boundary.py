"""The decision boundary of a classifier on the map, tested on reviews it never saw, beside the same
classifier on the full vectors.
"""

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.map_panels import boundary_figure
from bertsent.progress import Progress
from bertsent.space.decision_boundary import (
    KINDS,
    DecisionBoundary,
    NeighbourhoodFidelity,
    boundary_sentence,
    boundary_table,
    decision_boundary,
    neighbourhood_fidelity,
)
from bertsent.space.projection_map import METHODS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.ui.map.learned_from import learned_sentence
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared import JobRequest, choose, outcome, show_figure, show_help


def show_boundary(name: str, shown: ShownMap) -> None:
    """Draw the regions and say how well they separate the labels."""
    points, vectors, reviews = shown.map.points, shown.map.embeddings.vectors, shown.reviews
    if reviews.task != SENTIMENT:
        st.caption(
            "A boundary is drawn between the two labels of sentiment, and these reviews have "
            "others. Clusters, beside it, compares places with any labels."
        )
        return
    if "z" in points:
        st.caption("A boundary is drawn in two dimensions: choose 2-D above.")
        return
    kind, places = choose("Classifier", KINDS, "boundary_kind"), points[["x", "y"]].to_numpy()

    def work(progress: Progress) -> tuple[DecisionBoundary, NeighbourhoodFidelity | None]:
        progress(0.05)
        found = decision_boundary(places, vectors, reviews, kind)
        progress(0.8)
        return found, neighbourhood_fidelity(places, vectors)

    made = outcome(
        JobRequest(
            f"boundary-{cache_key(shown.key, kind)}", work, "Cross-validating", "Draw the boundary"
        )
    )
    if made is None:
        return
    found, fidelity = made
    left, right = st.columns([3, 2], gap="medium")
    sentence = boundary_sentence(found, METHODS[shown.map.options.method])
    rows = boundary_table(found, fidelity)
    with left:
        show_figure(
            boundary_figure(points, found),
            "boundary_chart",
            "bertsent-boundary",
            sentence,
            caption="",
            tables={"Numbers": pd.DataFrame(rows.items(), columns=["what", "value"])},
            bar=True,
        )
    with right:
        st.markdown(f"{sentence} {learned_sentence(name, reviews)}")
        st.table(pd.Series(rows, name="value"))
    show_help("map", "boundary")
