"""Ask it: one review, one model, the answer and everything there is to ask about it."""

import streamlit as st

from bertsent.ui.ask.answer import show_answer
from bertsent.ui.ask.specimen import specimen
from bertsent.ui.ask.views import View, choose_view
from bertsent.ui.ask.who import learner, require, who_answers
from bertsent.ui.frame import PROBE, frame

VIEWS = (View("Answer", "What does it say, and how did the numbers become an answer?", lambda name, text: show_answer(learner(name), text)),)

with frame(PROBE, "Type a review and see what a model makes of it, down to the last step of arithmetic."):
    left, right = st.columns([2, 1], gap="medium")
    with right:
        name = who_answers()
    with left:
        asked = st.container()
    view = choose_view(VIEWS, "probe")
    if view.needs_review:
        with asked:
            text = specimen()
        view.show(require(name), text)
    else:
        view.show(require(name))
