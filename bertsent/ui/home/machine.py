"""What this machine can do, in one line and a button for the Hub; loads no torch."""

import streamlit as st

from bertsent.settings import hub_answers, hub_is_on, machine
from bertsent.training.precision import auto_precision_sentence
from bertsent.ui.shared.jobs import jobs

_KEY = "hub-answers"


def machine_line() -> None:
    """Device, precision and the Hub. The Hub is asked only when somebody wants to know, and never
    on this thread.
    """
    st.text(machine().sentence())
    st.caption(f"Training precision: {auto_precision_sentence()}")
    st.caption(f"Hugging Face Hub: {_hub()}")
    st.button("Ask the Hub", key="ask-hub", on_click=_ask, type="tertiary")


def _ask() -> None:
    jobs().start(_KEY, lambda progress: hub_answers())


def _hub() -> str:
    job = jobs().find(_KEY)
    if job and not job.over:
        st.fragment(_poll, run_every=1.0)()
        return "checking …"
    if job and job.state == "done":
        return "reachable" if job.result else "unreachable; everything built in works without it"
    if hub_is_on():
        return "switched on"
    return "switched off: nothing leaves this machine unless someone starts a download"


def _poll() -> None:
    job = jobs().find(_KEY)
    if job is None or job.over:
        st.rerun()
