"""How many people look at the app, and so how often a page polls: thirty viewers must not slow the
run that they watch.

A redraw of a live run takes a few milliseconds of a processor that trains at the same time; on two
cores, thirty people who redraw every other second took a quarter of its speed.
"""

import threading
import time

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

MANY = 10  # people; with more of them everybody asks less often
SLOWER = 2.5  # by so much
_GONE = 15.0  # seconds after which somebody who has not looked is no longer counted


class Viewers:
    """Who has looked lately. Safe to call from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}

    def looked(self, who: str, now: float) -> int:
        """How many people look, ``who`` among them, at that second of a clock that only goes
        forward.
        """
        with self._lock:
            self._seen[who] = now
            self._seen = {name: at for name, at in self._seen.items() if now - at < _GONE}
            return len(self._seen)


@st.cache_resource(show_spinner=False)
def _viewers() -> Viewers:
    return Viewers()


def poll_interval(every: float) -> float:
    """Seconds from one look of this viewer to the next: ``every``, or more of them while many
    people look.
    """
    context = get_script_run_ctx()
    people = _viewers().looked(context.session_id if context else "", time.monotonic())
    return every * SLOWER if people > MANY else every
