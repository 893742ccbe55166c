"""Home: the lab in small, one next step for each visitor, how good the model is, and what this
machine can do.
"""

import streamlit as st

from bertsent.training.runs.status_sentences import status_sentence
from bertsent.ui.home.doors import doors
from bertsent.ui.home.machine import machine_line
from bertsent.ui.home.overview import show_overview
from bertsent.ui.home.scores import scores
from bertsent.ui.shared import escape_markdown, live_runs, run_reader
from bertsent.ui.shared.frame import FINE_TUNE, HOME, frame

with frame(HOME) as row:
    row.caption("One review under one model, live. Type another in the bar: everything follows.")
    show_overview()
    doors()
    for run in live_runs():
        line = f"● {status_sentence(run, *run_reader(run).look())}"
        st.page_link(FINE_TUNE.file, label=escape_markdown(line), query_params={"run": run.id})
    scores()
    st.header("This machine", anchor=False)
    machine_line()
