"""One map of many reviews: the map with its finding, what is chosen beside it, panels below."""

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS, Reviews
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.map_finding import map_finding
from bertsent.statistics import majority_class_accuracy
from bertsent.ui.map.beside import is_chosen, show_beside
from bertsent.ui.map.boundary import show_boundary
from bertsent.ui.map.calibration import show_calibration
from bertsent.ui.map.chosen_review import points_table
from bertsent.ui.map.clusters import show_clusters
from bertsent.ui.map.drawn_map import draw_map, map_downloads, mark_map
from bertsent.ui.map.drop_in import PlacedReview, placed_review
from bertsent.ui.map.extremes import show_extremes
from bertsent.ui.map.learned_from import learned_sentence
from bertsent.ui.map.map_settings import MapSettings
from bertsent.ui.map.map_view import ShownMap, current_map
from bertsent.ui.map.review_sample import (
    BUILT_IN_TEST,
    ORDINARY,
    SET,
    other_act,
)
from bertsent.ui.shared import escape_markdown, result, show_help
from bertsent.ui.shared.tabs import Tab, choose_tab

PANELS = (
    Tab(
        "Extremes",
        "Which reviews is it surest of, where is it sure and wrong, and where is it undecided?",
        show_extremes,
    ),
    Tab(
        "Clusters",
        "What does K-Means find without labels, and how well does that match sentiment?",
        show_clusters,
    ),
    Tab(
        "Boundary",
        "How well does a classifier on this map separate the labels, and how faithful is the map?",
        show_boundary,
    ),
    Tab(
        "Calibration",
        "When it says 90 %, is it right nine times in ten?",
        show_calibration,
    ),
)
_ACTS = {
    ORDINARY: "Now the hard one-liners",
    BUILT_IN_TEST: "Back to the ordinary reviews",
}


def one_map(
    name: str, model: LoadedModel, reviews: Reviews, settings: MapSettings, sample: str
) -> None:
    """Draw the page of one map.

    Args:
        name: the registry name of the model.
        sample: which reviews were drawn, if not all.
    """
    with result("map"):
        shown, fresh = current_map(model, reviews, settings.options)
        if shown is None:
            return
        placed = placed_review(model, shown) if settings.star and fresh else None
        rows = _stage(name, shown, settings, placed, fresh=fresh)
        st.caption(escape_markdown(f"{_finding(name, shown)} {sample}".strip()))
        with st.container(horizontal=True, gap="small", key="map_foot"):
            _second_act()
            map_downloads(shown, settings, placed.place if placed else None)
            show_help("map", "map", note=shown.map.note)
            mark_map(shown, rows, placed.place if placed else None)
    panels = st.container(horizontal=True, key="map_panels")
    panel = choose_tab(PANELS, "finding", panels)
    with result("panel"):
        panel.show(name, shown)
    points_table(shown.map.points)


def _stage(
    name: str,
    shown: ShownMap,
    settings: MapSettings,
    placed: PlacedReview | None,
    *,
    fresh: bool,
) -> np.ndarray | None:
    """The map, and beside it what is chosen; gives back the rows to mark."""
    star, rows = placed.place if placed else None, None
    with st.container(horizontal=True, gap="small", key="map_stage"):
        with st.container(key="map_figure"):
            draw_map(shown, settings, fresh=fresh, alt=map_finding(shown.map.points), star=star)
        if is_chosen(shown, placed):
            with st.container(key="map_beside", width=350):
                rows = show_beside(name, shown, placed)
    return rows


def _finding(name: str, shown: ShownMap) -> str:
    """What the map shows, and how often the model is right where labels are known."""
    points = shown.map.points
    sentence = map_finding(points)
    evaluated = points[points["label"].isin(LABELS) & points["prediction"].isin(LABELS)]
    if not len(evaluated):
        return sentence
    right = float((evaluated["label"] == evaluated["prediction"]).mean())
    majority = majority_class_accuracy([LABELS.index(label) for label in evaluated["label"]])
    return (
        f"{sentence} The model answers {100 * right:.1f} % of {len(evaluated):,} rightly (the "
        f"majority class: {100 * majority:.1f} %). {learned_sentence(name, shown.reviews)}"
    )


def _second_act() -> None:
    """From the ordinary reviews to the hard ones and back, in one click."""
    label = _ACTS.get(st.session_state.get(SET, ""))
    if label:
        st.button(label, key="map_act", on_click=other_act, type="tertiary")
