"""Work of more than two seconds: done once in a thread of the server for everybody who asks, with
progress and a way out.

Streamlit is never called from such a thread; a page polls the ``Job``.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bertsent.errors import BertsentError, Cancelled
from bertsent.ui.shared.errors import escape_markdown, show_error

KEPT = 24
log = logging.getLogger("bertsent")


class Job:
    """A computation that everybody with the same key shares. ``state`` is waiting, working, done,
    failed or cancelled.
    """

    def __init__(self, work: Callable[[Callable[[float], None]], Any]) -> None:
        self._work, self._stop = work, threading.Event()
        self.state, self.fraction, self.result, self.error = "waiting", 0.0, None, ""
        self._began = time.monotonic()

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def seconds_left(self) -> float | None:
        if self.fraction < 0.02:
            return None
        return (time.monotonic() - self._began) * (1 - self.fraction) / self.fraction

    def cancel(self) -> None:
        self._stop.set()

    def run(self) -> None:
        self._began, self.state = time.monotonic(), "working"
        try:
            self.result = self._work(self._progress)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except BertsentError as error:
            self.error, self.state = str(error), "failed"
        except Exception:
            log.exception("background work failed")
            self.error, self.state = (
                "Something unexpected happened. The server's log has the details.",
                "failed",
            )

    def _progress(self, fraction: float) -> None:
        if self._stop.is_set():
            raise Cancelled("Cancelled.")
        self.fraction = fraction


class Jobs:
    """The server's jobs by key; the oldest finished ones are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bertsent")

    def find(self, key: str) -> Job | None:
        with self._lock:
            return self._jobs.get(key)

    def forget(self, key: str) -> None:
        """Let a finished job go, for outcomes that somebody else has taken."""
        with self._lock:
            if key in self._jobs and self._jobs[key].over:
                del self._jobs[key]

    def start(self, key: str, work: Callable[[Callable[[float], None]], Any]) -> Job:
        """The job of that key: the one there is, or a new one when there is none or it went
        wrong.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.state in ("failed", "cancelled"):
                job = self._jobs[key] = Job(work)
                self._pool.submit(job.run)
            self._jobs.move_to_end(key)
            for old in [k for k, j in self._jobs.items() if j.over][
                : max(0, len(self._jobs) - KEPT)
            ]:
                del self._jobs[old]
            return job


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The one set of jobs of this server."""
    return Jobs()


@st.cache_resource(show_spinner=False)
def long_jobs() -> Jobs:
    """Those that take minutes for one person, such as 10,000 reviews: in a thread of their own, so
    that nobody else waits for them.
    """
    return Jobs()


def wait_for(key: str, title: str, among: Jobs | None = None) -> None:
    """Draw progress, time left and a cancel button for the job of that key until it is over, then
    run the page again.
    """
    st.fragment(_waiting, run_every=0.7)(key, title, among or jobs())


def _waiting(key: str, title: str, among: Jobs) -> None:
    job = among.find(key)
    if job is None or job.over:
        st.rerun()
    left = job.seconds_left
    note = (
        "waiting for its turn"
        if job.state == "waiting"
        else f"{100 * job.fraction:.0f} %" + (f" · {left:.0f} s left" if left else "")
    )
    st.progress(min(job.fraction, 1.0), text=f"{title}: {note}")
    st.button("Cancel", key=f"cancel-{key}", on_click=job.cancel)


INLINE_TOKENS, UNASKED_TOKENS = (
    4_000,
    60_000,
)  # tokens that a model has to read: done while the page is drawn; begun without being asked


@dataclass(frozen=True)
class JobRequest:
    """``work`` gets a progress and gives the outcome; ``key`` names it for everybody; ``tokens`` is
    what a model has to read for it.
    """

    key: str
    work: Callable[[Callable[[float], None]], Any]
    title: str
    button: str
    tokens: int


def outcome(order: JobRequest) -> Any:  # noqa: ANN401 - what the order's work gives
    """What an order made; None while it is not there, and then its progress, or the button that
    begins it, is drawn.
    """
    if order.tokens <= INLINE_TOKENS:
        return _now(order.key, order.work)
    long = (
        f"The model has to read {order.tokens:,} tokens for this, which takes a while. It can "
        "be cancelled."
    )
    return awaited(
        order.key,
        order.work,
        order.title,
        order.button,
        unasked=order.tokens <= UNASKED_TOKENS,
        before=long,
    )


def awaited(
    key: str,
    work: Callable[[Callable[[float], None]], Any],
    title: str,
    button: str,
    *,
    unasked: bool,
    before: str,
) -> Any:  # noqa: ANN401 - what the work gives
    """What a job in the background made; None while it is not there, and then its progress, or the
    button that begins it, is drawn.

    Args:
        unasked: begin without the button.
        before: what stands above the button until it is pressed.
    """
    job = jobs().find(key)
    if job is None and unasked:
        job = jobs().start(key, work)
    if job is not None and job.state == "done":
        return job.result
    if job is not None and not job.over:
        wait_for(key, title)
        return None
    if job is None:
        st.caption(escape_markdown(before))
    elif job.state == "failed":
        show_error(BertsentError(job.error))
    else:
        st.caption("Cancelled. Nothing was kept.")
    if st.button(button if job is None else "Try again", key=f"begin-{key}", type="primary"):
        jobs().start(key, work)
        st.rerun()
    return None


@st.cache_resource(max_entries=64, show_spinner="Asking the model …")
def _now(key: str, _work: Callable[[Callable[[float], None]], Any]) -> Any:  # noqa: ANN401
    return _work(lambda fraction: None)
