"""Home: what this is, what this machine can do, and one next step for each visitor."""

import streamlit as st

from bertsent.training.runs.status_sentences import status_sentence
from bertsent.ui.home.doors import doors
from bertsent.ui.home.machine import machine_line
from bertsent.ui.home.scores import scores
from bertsent.ui.shared import escape_markdown, live_runs, run_reader
from bertsent.ui.shared.frame import HOME, frame

with frame(HOME):
    st.markdown(
        "Fine-tune BERT on movie reviews and watch it learn, step by step. "
        "Type a review, see its answer and every attention head. "
        "Map a thousand reviews and see how the model places them."
    )
    for run in live_runs():
        with st.container(border=True):
            st.markdown(f"**{escape_markdown(status_sentence(run, *run_reader(run).look()))}**")
            st.page_link(
                "pages/2_Fine-tune.py", label="See its curves", query_params={"run": run.id}
            )
    doors()
    scores()
    st.subheader("This machine", anchor=False)
    machine_line()
