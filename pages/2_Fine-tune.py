"""Watch it learn: choose reviews and a model, start, follow the curves, judge the result."""

import streamlit as st

from bertsent.ui.fine_tune.all_runs import ALL, all_runs, choose_view
from bertsent.ui.fine_tune.compare_ab import twins
from bertsent.ui.fine_tune.compare_grid import strategies
from bertsent.ui.fine_tune.lesson import lessons
from bertsent.ui.fine_tune.loss_landscape import understanding
from bertsent.ui.fine_tune.new_run import draft
from bertsent.ui.fine_tune.run import choose_run, live_view
from bertsent.ui.fine_tune.run_report import results
from bertsent.ui.shared.errors import show_errors
from bertsent.ui.shared.frame import FINE_TUNE, frame
from bertsent.ui.shared.live_runs import live_runs

with frame(
    FINE_TUNE,
    "Fine-tune a BERT on reviews and watch its loss, its accuracy and a few sentences of yours "
    "while it learns.",
):
    view = choose_view()
    with st.expander("New run", expanded=view != ALL and not live_runs()):
        choice = draft()
    if view == ALL:
        all_runs()
        st.stop()
    twins()
    strategies(choice)
    run = choose_run()
    lessons(run)
    if run is None:
        st.info(
            "The curves will be here. Press Start; Measure says how long it will take on this "
            "machine."
        )
        st.stop()
    with show_errors():
        if not live_view(run).live:
            results(run)
        understanding(run)
