"""Look inside: every head of every layer for one review, one of them large, and BertViz."""

import streamlit as st

from bertsent.ui.ask.heads import show_heads
from bertsent.ui.ask.specimen import specimen
from bertsent.ui.ask.who import learner, require, who_answers
from bertsent.ui.frame import ATTENTION, frame

with frame(ATTENTION, "See what every attention head of a model looks at in your review, and take one of them apart."):
    left, right = st.columns([2, 1], gap="medium")
    with right:
        name = who_answers(needs_sentiment=False)
    with left:
        text = specimen()
    show_heads(learner(require(name)), text)
