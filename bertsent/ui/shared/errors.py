"""What goes wrong on a page, shown as a sentence and, where nobody foresaw it, logged under a
number that the sentence names.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit import error_util

from bertsent.errors import BertsentError, OtherTask

log = logging.getLogger("bertsent")


@contextmanager
def show_errors() -> Iterator[None]:
    """Show what goes wrong inside as a sentence; the rest of the page stays."""
    try:
        yield
    except Exception as error:
        show_any_error(error)


def show_any_error(error: BaseException) -> None:
    """An error as an error box: a foreseen one as its sentence, any other by its number."""
    if isinstance(error, BertsentError):
        show_error(error)
    else:
        st.error(report(error))


def show_error(error: BertsentError) -> None:
    """An error as an error box: what happened, then what to do. That a model answers something else
    is no error, and stands in a quiet box.
    """
    box = st.info if isinstance(error, OtherTask) else st.error
    box(escape_markdown(str(error)))


def report(error: BaseException) -> str:
    """Log an error that nobody foresaw, with its traceback, once; gives back the sentence that
    names the number under which the log has it.
    """
    number = getattr(error, "bertsent_number", None)
    if number is None:
        number = error.bertsent_number = secrets.token_hex(3)  # type: ignore[attr-defined]
        log.error("error %s", number, exc_info=error)
    return (
        f"Something unexpected happened (error {number}). Reload the page; the server's log has "
        "the details under that number."
    )


def handle_uncaught_errors() -> None:
    """Treat errors that reach Streamlit itself the same way: those of fragments, callbacks and of
    what stands outside every ``show_errors``. Otherwise its box names no number.
    """
    vars(error_util).update(
        show_uncaught_app_exception=show_any_error,
        _log_uncaught_app_exception=lambda error: None,  # report logs it, with its number
    )


def escape_markdown(text: str) -> str:
    """Text that Streamlit shows literally: no markdown, no formulas, no colours, no links."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|$:~^&" else c for c in text)
