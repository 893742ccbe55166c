"""Map: a set of reviews, one model, and where it places each of them."""

import streamlit as st

from bertsent.ui.map.before_and_after import before_and_after
from bertsent.ui.map.boundary import show_boundary
from bertsent.ui.map.calibration import show_calibration
from bertsent.ui.map.checkpoint_animation import show_checkpoint_animation
from bertsent.ui.map.chosen_review import caption, chosen_review, points_table
from bertsent.ui.map.clusters import show_clusters
from bertsent.ui.map.drop_in import drop_in
from bertsent.ui.map.extremes import show_extremes
from bertsent.ui.map.map_settings import BOTH, choose_settings
from bertsent.ui.map.map_view import current_map, draw_map
from bertsent.ui.map.meaning import show_meaning
from bertsent.ui.map.review_sample import choose_sample
from bertsent.ui.map.selection import show_selection
from bertsent.ui.shared import loaded_model, show_help
from bertsent.ui.shared.frame import MAP, frame
from bertsent.ui.shared.model_picker import chosen_model
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
        "Selection",
        "What do reviews that lie together have in common? Draw a box or a lasso on the map.",
        show_selection,
    ),
    Tab(
        "Meaning",
        "What does the model find similar: reviews and a query, sentences, one word in several "
        "sentences?",
        show_meaning,
    ),
    Tab(
        "Calibration",
        "When it says 90 %, is it right nine times in ten?",
        show_calibration,
    ),
)

with frame(MAP):
    name, left = chosen_model(), st.container()
    if show_checkpoint_animation(name, left):
        st.stop()
    with left:
        reviews = choose_sample(name)
    if reviews is None:
        st.info("The map of your reviews appears here once you upload a file.")
        st.stop()
    model = loaded_model(name)
    settings = choose_settings(model, reviews)
    if settings.view == BOTH:
        before_and_after(name, model, reviews, settings)
        st.stop()
    shown, fresh = current_map(model, reviews, settings.options)
    if shown is None:
        st.stop()
    left, right = st.columns([5, 2], gap="medium")
    with right:
        dropped = drop_in(model, shown) if fresh else None
        chosen_review(shown)
    with left:
        draw_map(shown, settings, fresh=fresh, dropped=dropped)
        caption(shown)
    show_help("map", "map")
    points_table(shown.map.points)
    choose_tab(PANELS, "finding", st.container()).show(name, shown)
