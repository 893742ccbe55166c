"""Work that a view needs in, its outcome out: at once when it is quick, else in the background,
begun by a button when it is long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.ui.shared.frame import escape_markdown, show_error
from bertsent.ui.shared.jobs import jobs, wait_for

QUICK, SHORT = (
    4_000,
    60_000,
)  # tokens that a model has to read: done while the page is drawn; begun without being asked


@dataclass(frozen=True)
class Order:
    """``work`` gets a progress and gives the outcome; ``key`` names it for everybody; ``tokens`` is
    what a model has to read for it.
    """

    key: str
    work: Callable[[Callable[[float], None]], Any]
    title: str
    button: str
    tokens: int


def outcome(order: Order) -> Any:  # noqa: ANN401 - what the order's work gives
    """What an order made; None while it is not there, and then its progress, or the button that
    begins it, is drawn.
    """
    if order.tokens <= QUICK:
        return _now(order.key, order.work)
    long = (
        f"The model has to read {order.tokens:,} tokens for this, which takes a while. It can "
        "be cancelled."
    )
    return awaited(
        order.key, order.work, order.title, order.button, unasked=order.tokens <= SHORT, before=long
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
