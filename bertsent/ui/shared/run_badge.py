"""The run badge: on top of every page while a run lives, one click from its curves."""

import streamlit as st

from bertsent.training.runs.status_sentences import status_sentence
from bertsent.ui.shared.live_runs import live_runs, run_reader
from bertsent.ui.shared.viewers import poll_interval

EVERY = 5.0


def run_badge(target: str) -> None:
    """Draw the badge, and keep it fresh, as long as something trains or waits."""
    if live_runs():
        st.fragment(_badge, run_every=poll_interval(EVERY))(target)


def _badge(target: str) -> None:
    runs = live_runs()
    if not runs:
        st.caption("The run has ended.")
        return
    first, others = runs[0], len(runs) - 1
    history, status = run_reader(first).look()
    more = f" · {others} waiting" if others else ""
    st.page_link(
        target,
        label=f"● {status_sentence(first, history, status)}{more}",
        query_params={"run": first.id},
    )
