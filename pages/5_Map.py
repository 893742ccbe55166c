"""Map: a set of reviews, one model, and where it places each of them."""

import streamlit as st

from bertsent.ui.map.before_and_after import before_and_after
from bertsent.ui.map.checkpoint_animation import show_checkpoint_animation
from bertsent.ui.map.chosen_review import caption, chosen_review, points_table
from bertsent.ui.map.drop_in import drop_in
from bertsent.ui.map.map_settings import BOTH, choose_settings
from bertsent.ui.map.map_view import current_map, draw_map
from bertsent.ui.map.panels import show_panels
from bertsent.ui.map.review_sample import choose_sample
from bertsent.ui.shared.frame import MAP, frame
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.model_picker import chosen_model, loaded_model

with frame(
    MAP,
    "Every dot is a review, placed where the model puts it: reviews that lie close together look "
    "alike to the model.",
):
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
    show_panels(name, shown)
