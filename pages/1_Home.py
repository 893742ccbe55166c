"""Home: what this is, what this machine can do, and one next step for each visitor."""

import streamlit as st

from bertsent.ui.frame import HOME, frame, plain
from bertsent.ui.running import headline, live_runs, reader
from bertsent.ui.start.doors import doors
from bertsent.ui.start.machine import machine_line
from bertsent.ui.start.scores import scores

with frame(HOME, "A lab for sentiment with BERT."):
    st.markdown(
        "Fine-tune a BERT on movie reviews and watch it learn, step by step. "
        "Ask it about a review and look at all of its attention heads. "
        "Map a thousand reviews and see what it thinks of them."
    )
    for run in live_runs():
        with st.container(border=True):
            st.markdown(f"**{plain(headline(run, *reader(run).look()))}**")
            st.page_link(
                "pages/2_Fine-tune.py", label="See its curves", query_params={"run": run.id}
            )
    doors()
    scores()
    st.subheader("This machine", anchor=False)
    machine_line()
