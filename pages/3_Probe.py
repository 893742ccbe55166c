"""Ask it: one review, one model, the answer and everything there is to ask about it."""

import streamlit as st

from bertsent.ui.ask.answer import show_answer
from bertsent.ui.ask.specimen import specimen
from bertsent.ui.ask.views import View, choose_view
from bertsent.ui.ask.who import learner, require, who_answers
from bertsent.ui.duel.view import show_duel
from bertsent.ui.frame import PROBE, frame
from bertsent.ui.pairs.batch import show_batch
from bertsent.ui.pairs.irony import show_grid
from bertsent.ui.pairs.pair import show_pair
from bertsent.ui.pairs.scorecard import show_scorecard
from bertsent.ui.timing.view import show_timing
from bertsent.ui.why.evidence import show_why
from bertsent.ui.why.flips import show_flips
from bertsent.ui.why.layers import show_layers

VIEWS = (
    View(
        "Answer",
        "What does it say, and how did the numbers become an answer?",
        lambda name, text: show_answer(learner(name), text),
    ),
    View(
        "Why", "Which words does the answer hang on, and do three ways to find out agree?", show_why
    ),
    View("Layer by layer", "After which layer does the answer become what it is?", show_layers),
    View(
        "What would flip it",
        "Which is the smallest change that makes it answer otherwise?",
        show_flips,
    ),
    View(
        "Others say",
        "What do older and simpler classifiers make of it, what does each cost, and where do they "
        "part?",
        show_duel,
    ),
    View(
        "Milliseconds",
        "Where do the milliseconds go, and what does answering many together save?",
        show_timing,
    ),
    View(
        "Pairs",
        "Two texts that differ in a word: what does it do to the answer, and to the other words?",
        show_pair,
        needs_review=False,
    ),
    View(
        "Irony grid",
        "Which openers and which adjectives make the model hear irony?",
        show_grid,
        needs_review=False,
    ),
    View(
        "Scorecard",
        "How often does it fail: to find the label, to stay calm, to move rightly?",
        show_scorecard,
        needs_review=False,
    ),
    View(
        "Batch",
        "What does it say of a whole file of reviews, and how often is it right?",
        show_batch,
        needs_review=False,
    ),
)

with frame(
    PROBE, "Type a review and see what a model makes of it, down to the last step of arithmetic."
):
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
