"""Where a run of masked words leads: its guesses on Words, a run that begins with its encoder, and
the comparison without and with it.
"""

from functools import partial

import streamlit as st

from bertsent.data.sources import load_reviews
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.ab import start_pretrained_pair
from bertsent.training.groups.grid import sample_splits
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.new_run_task import set_task
from bertsent.ui.fine_tune.opening import COMPARE, NEW_RUN, go_to
from bertsent.ui.shared import PUZZLE, check_may_start, show_errors, visitor
from bertsent.ui.shared.links import NO_QUERY
from bertsent.ui.words.encoder import AFTER

ROWS, EPOCHS, LENGTH = 1_600, 3, 64  # of the pair that one click starts
SENTINELS = (PUZZLE, "This is not a bad film")
_WORDS = "pages/5_Words.py"


def offer_what_follows(run: Run, model: str) -> None:
    """Draw the buttons; ``model`` is the run as the registry knows it."""
    if st.button("Fill in words", key=f"words-{run.id}", help="Ask it for the word in a gap."):
        for key, value in (("model", model), ("words", "Fill in a word"), ("words_by", AFTER)):
            st.session_state[key] = value
        st.switch_page(_WORDS, query_params=NO_QUERY)
    st.button(
        "Fine-tune it",
        key=f"begin-{run.id}",
        on_click=_begin_with,
        args=(run,),
        help="Opens the form of a new run that begins with this encoder.",
    )
    pressed = st.button(
        "Compare with and without",
        key=f"pair-{run.id}",
        help=f"Starts two sentiment runs on {ROWS:,} built-in reviews, {EPOCHS} epochs each: one "
        "begins with the encoder as it was, one with what this run made of it.",
    )
    if pressed:
        with show_errors():
            _start_pair(run)


def _begin_with(run: Run) -> None:
    st.session_state["draft-model"] = run.id
    set_task(SENTIMENT.name)
    go_to(NEW_RUN, f"The new run begins with the encoder of {run.id}; its head is a new one.")


def _start_pair(run: Run) -> None:
    reviews = load_reviews("builtin", contrastive=False)
    splits = sample_splits(reviews, ROWS)
    training = TrainingConfig(epochs=EPOCHS, max_length=LENGTH, kept_checkpoints=0)
    start = partial(start_pretrained_pair, run, splits, training)
    with st.spinner("Starting …"):
        group = start(
            source=f"{len(splits.train):,} of {reviews.name}",
            sentinels=SENTINELS,
            owner=visitor().id,
            admit=check_may_start,
        )
    st.query_params["group"] = st.session_state["group"] = group.name
    go_to(COMPARE)
    st.rerun(scope="app")
