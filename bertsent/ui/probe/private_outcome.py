"""Work on what somebody brought: its outcome stays in their session alone."""

from typing import Any

import streamlit as st

from bertsent.ui.shared import JobRequest, outcome
from bertsent.ui.shared.jobs import jobs


def private_outcome(slot: str, request: JobRequest) -> Any:  # what the work gives
    """The outcome of some work, or None while its progress is drawn; once made, the server forgets
    it and the session keeps it under ``slot``.
    """
    kept, found = st.session_state.get(slot, (None, None))
    if kept == request.key:
        return found
    found = outcome(request)
    if found is not None:
        st.session_state[slot] = request.key, found
        jobs().forget(request.key)
    return found
