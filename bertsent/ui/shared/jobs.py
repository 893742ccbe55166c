"""Work that takes longer than a page may: done once in a thread of the server for everybody who
asks for the same, with progress, the place in the queue and a way out.

A view describes its work and takes the outcome, or None while it is not there; progress, errors
and the button that begins long work are drawn for it::

    found = outcome(JobRequest(key, work, "Comparing the texts", "Compare the texts", tokens))

``work`` gets a function to which it reports its progress from 0 to 1, and which raises
``Cancelled`` when nobody wants the work any more. It must not call Streamlit. A view that draws
these states itself uses ``jobs().find(key)``, ``jobs().start(key, work, lane=...)`` and
``wait_for(key, title)``.

There are two lanes of one thread each, "short" for seconds and "long" for minutes, so that a map
never waits for a training. Results are kept by use up to ``KEPT_BYTES``.
"""

import gc
import itertools
import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bertsent.errors import BertsentError, Cancelled
from bertsent.ui.shared.errors import escape_markdown, report, show_error
from bertsent.ui.shared.viewers import poll_interval

INLINE_TOKENS = 4_000  # read by a model while the page is drawn
UNASKED_TOKENS = 60_000  # begun in the background without a button
KEPT_BYTES = 256_000_000
KEPT_FAILURES = 200
EVERY = 0.7  # seconds from one look at a job to the next

Work = Callable[[Callable[[float], None]], Any]
Lane = Literal["short", "long"]


class Job:
    """A computation that everybody with the same key shares.

    ``state`` is waiting, working, done, failed or cancelled; ``error`` is a sentence to show.
    """

    def __init__(self, work: Work, lane: Lane | None, number: int = 0) -> None:
        self._work: Work | None = work
        self._stop, self.finished = threading.Event(), threading.Event()
        self._began = time.monotonic()
        self.lane, self.number = lane, number
        self.state, self.fraction, self.result, self.error = "waiting", 0.0, None, ""
        self.bytes = 0
        self.exception: Exception | None = None
        self.wanted_by: set[str] = set()
        self.withdrawn: set[str] = set()
        self.future: Future[None] | None = None

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def ending(self) -> bool:
        """Whether it was cancelled, even where its work has not noticed yet."""
        return self._stop.is_set()

    def want(self, viewer: str) -> None:
        """Count this viewer among those who wait for it."""
        self.withdrawn.discard(viewer)
        self.wanted_by.add(viewer)

    def withdraw(self, viewer: str) -> None:
        """This viewer no longer waits. The work ends when nobody else who is still there does."""
        self.wanted_by.discard(viewer)
        self.withdrawn.add(viewer)
        if not any(_is_here(other) for other in self.wanted_by):
            self.cancel()

    def cancel(self) -> None:
        """End it for everybody; work that still waits for its turn never runs."""
        self._stop.set()
        if self.future is not None and self.future.cancel():
            self.state = "cancelled"
            self.finished.set()

    def run(self) -> None:
        """Do the work; what goes wrong becomes its state and its error."""
        assert self._work is not None, "a job runs once"
        self._began, self.state, state = time.monotonic(), "working", "failed"
        try:
            self.result = self._work(self._progress)
            self.bytes, state = size_in_bytes(self.result), "done"
        except Cancelled:
            state = "cancelled"
        except Exception as error:
            self.exception = error
            self.error = str(error) if isinstance(error, BertsentError) else report(error)
        finally:
            self._work = None  # with everything that it holds
            self.state = state
            self.finished.set()

    def _progress(self, fraction: float) -> None:
        if self.ending:
            raise Cancelled("Cancelled.")
        self.fraction = fraction

    def note(self, ahead: int) -> str:
        """Where it stands while it is not over: its place in the queue, or how far it is."""
        if self.ending:
            return "ending"
        if self.state == "waiting":
            return f"waiting, {ahead} ahead of it" if ahead else "starting"
        done, share = self.fraction, f"{100 * self.fraction:.0f} %"
        left = (time.monotonic() - self._began) * (1 - done) / max(done, 1e-9)
        return f"{share} · {left:.0f} s left" if done >= 0.02 else share


class Jobs:
    """The jobs of a server by key. The results that nobody has looked at for longest are forgotten
    first, when all of them come to more than ``most_bytes``.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self.most_bytes = most_bytes
        self._jobs: OrderedDict[str, Job] = OrderedDict()  # the last used is the last
        self._lock, self._numbers = threading.Lock(), itertools.count()
        self._lanes = {
            lane: ThreadPoolExecutor(1, thread_name_prefix=f"bertsent-{lane}")
            for lane in ("short", "long")
        }

    def find(self, key: str) -> Job | None:
        """The job of that key, which counts as a use of its result."""
        with self._lock:
            return self._find(key)

    def start(self, key: str, work: Work, lane: Lane = "short") -> Job:
        """The job of that key: the one there is, or a new one when there is none or it went
        wrong.
        """
        with self._lock:
            job = self._find(key)
            if job is None or job.state in ("failed", "cancelled") or job.ending:
                job = self._jobs[key] = Job(work, lane, next(self._numbers))
                self._jobs.move_to_end(key)
                job.future = self._lanes[lane].submit(self._run, job)
            job.want(viewer())
            return job

    def run_now(self, key: str, work: Work) -> Any:  # what the work gives
        """The outcome of work that is quick: kept, or done in this thread. Who asks for the same
        meanwhile waits for it. What it raises is passed on, and not kept.
        """
        with self._lock:
            job = self._find(key)
            mine = job is None or (job.over and job.state != "done")
            if mine or job is None:
                job = self._jobs[key] = Job(work, None)
        if mine:
            self._run(job)
        job.finished.wait()
        if job.exception is not None:
            raise job.exception
        return job.result

    def ahead(self, job: Job) -> int:
        """How many jobs its lane does before it."""
        with self._lock:
            return sum(
                other.lane == job.lane and other.number < job.number and not other.over
                for other in self._jobs.values()
            )

    def forget(self, key: str) -> None:
        """Let a finished job go, for outcomes that somebody else has taken."""
        with self._lock:
            if key in self._jobs and self._jobs[key].over:
                del self._jobs[key]

    def _find(self, key: str) -> Job | None:
        if key in self._jobs:
            self._jobs.move_to_end(key)
        return self._jobs.get(key)

    def _run(self, job: Job) -> None:
        job.run()
        self._forget_unused()

    def _forget_unused(self) -> None:
        with self._lock:
            done = [key for key, job in self._jobs.items() if job.state == "done"]
            total = sum(self._jobs[key].bytes for key in done)
            for key in done[:-1]:
                if total <= self.most_bytes:
                    break
                total -= self._jobs.pop(key).bytes
            failed = [key for key, job in self._jobs.items() if job.over and job.state != "done"]
            for key in failed[:-KEPT_FAILURES]:
                del self._jobs[key]


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this server."""
    return Jobs()


def viewer() -> str:
    """Who looks: the session of this run of the page, empty outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def session_secret() -> str:
    """A part of keys that keeps work on the files of this session apart from everybody else's."""
    return st.session_state.setdefault("own_secret", secrets.token_hex(16))


def _is_here(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def size_in_bytes(thing: object) -> int:
    """The memory that a result holds: arrays and tables exactly, the rest nearly. Models are left
    out, for they are shared and counted elsewhere.
    """
    size, seen, parts = 0, set(), [thing]
    while parts:
        part = parts.pop()
        if id(part) in seen or isinstance(part, ModuleType) or callable(part):
            continue  # classes, functions and models are callable
        seen.add(id(part))
        size += max(sys.getsizeof(part), getattr(part, "nbytes", 0))
        if not hasattr(part, "memory_usage"):  # a table counts what it holds
            parts += gc.get_referents(part)
    return size


@dataclass(frozen=True)
class JobRequest:
    """Work that a view needs.

    Args:
        key: names the work for everybody; everything that its outcome depends on belongs in it.
        work: gets a function for its progress and gives the outcome.
        title: stands above the progress.
        button: what begins it, where it does not begin by itself.
        tokens: that a model has to read for it. Few are read while the page is drawn, more in the
            background, and many only when somebody presses the button.
        lane: "short" or "long"; decided by the tokens where it is None.
        unasked: whether it begins without the button; decided by the tokens where it is None.
        note: what stands above the button until it is pressed.
        kept: what a cancelled job leaves for the next try.
    """

    key: str
    work: Work
    title: str
    button: str
    tokens: int = UNASKED_TOKENS
    lane: Lane | None = None
    unasked: bool | None = None
    note: str = ""
    kept: str = "Nothing was kept."

    def start(self) -> Job:
        """Begin it in the background, or join those who wait for it already."""
        usual: Lane = "long" if self.tokens > UNASKED_TOKENS else "short"
        return jobs().start(self.key, self.work, self.lane or usual)


def outcome(request: JobRequest) -> Any:  # what the work gives
    """What the work made; None while it is not there, and then its progress, or the button that
    begins it, is drawn.

    Raises:
        BertsentError: work that is done while the page is drawn failed.
    """
    job = jobs().find(request.key)
    if job is not None and job.state == "done":
        return job.result
    if request.tokens <= INLINE_TOKENS and (job is None or job.over or job.lane is None):
        with st.spinner("Computing …"):
            return jobs().run_now(request.key, request.work)
    unasked = request.tokens <= UNASKED_TOKENS if request.unasked is None else request.unasked
    if job is None and unasked:
        job = request.start()
    if job is not None and not job.over:
        wait_for(request.key, request.title)
    else:
        _offer(request, job)
    return None


def _offer(request: JobRequest, job: Job | None) -> None:
    if job is None:
        many = (
            f"The model has to read {request.tokens:,} tokens for this, which takes a while. "
            "You can cancel it."
        )
        st.caption(escape_markdown(request.note or many))
    elif job.state == "failed":
        show_error(BertsentError(job.error))
    else:
        st.caption(f"Cancelled. {request.kept}")
    label = request.button if job is None else "Try again"
    if st.button(label, key=f"begin-{request.key}", type="primary"):
        request.start()
        st.rerun()


def wait_for(key: str, title: str) -> None:
    """Draw progress, time left and a cancel button for the job of that key until it is over, then
    run the page again.
    """
    st.fragment(_waiting, run_every=poll_interval(EVERY))(key, title)


def _waiting(key: str, title: str) -> None:
    job, who = jobs().find(key), viewer()
    if job is None or job.over:
        st.rerun()
    if who in job.withdrawn:
        st.caption(f"{title}: you are no longer waiting for this. It continues for others.")
        st.button("Wait for it", key=f"want-{key}", on_click=job.want, args=(who,))
        return
    job.want(who)
    st.progress(min(job.fraction, 1.0), text=f"{title}: {job.note(jobs().ahead(job))}")
    st.button("Cancel", key=f"cancel-{key}", on_click=job.withdraw, args=(who,))
