"""Ask it: one review, one model, the answer and the arithmetic behind it."""

import streamlit as st

from bertsent.ui.ask.answer import show_answer
from bertsent.ui.ask.specimen import specimen
from bertsent.ui.ask.who import learner, require, who_answers
from bertsent.ui.frame import PROBE, frame

with frame(PROBE, "Type a review and see what a model makes of it, down to the last step of arithmetic."):
    left, right = st.columns([2, 1], gap="medium")
    with right:
        name = who_answers()
    with left:
        text = specimen()
    show_answer(learner(require(name)), text)
