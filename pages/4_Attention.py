"""Look inside: what every head of every layer looks at in one review, what it is worth, and what
training did to it.
"""

import streamlit as st

from bertsent.ui.ask.specimen import specimen
from bertsent.ui.ask.views import View, choose_view
from bertsent.ui.ask.who import require, who_answers
from bertsent.ui.frame import ATTENTION, frame
from bertsent.ui.heads.arcs import show_arcs
from bertsent.ui.heads.between import show_between
from bertsent.ui.heads.change import show_change
from bertsent.ui.heads.grid import show_heads
from bertsent.ui.heads.measured import show_measures
from bertsent.ui.heads.product import show_product
from bertsent.ui.heads.silence import show_silence

VIEWS = (
    View("Heads", "What does every head of every layer look at?", show_heads),
    View("Arcs", "Which words does a head tie together?", show_arcs),
    View(
        "Word to word",
        "How much does one word look at another, and in which head most?",
        show_between,
    ),
    View(
        "Silence heads",
        "What would it answer without this head, or without any set of them?",
        show_silence,
    ),
    View(
        "Change by training",
        "Which heads did fine-tuning move, and what do they look at now?",
        show_change,
    ),
    View(
        "Measures",
        "Which heads look far, which rest on the markers, which look at everything?",
        show_measures,
    ),
    View("Query × key", "Where does one attention weight come from?", show_product),
)

with frame(
    ATTENTION,
    "See what every attention head of a model looks at in your review, and take one of them apart.",
):
    left, right = st.columns([2, 1], gap="medium")
    with right:
        name = who_answers(needs_sentiment=False)
    with left:
        asked = st.container()
    view = choose_view(VIEWS, "look")
    with asked:
        text = specimen()
    view.show(require(name), text)
