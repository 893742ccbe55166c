"""What goes wrong on a page, shown as a sentence."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from bertsent.errors import BertsentError

log = logging.getLogger("bertsent")


@contextmanager
def show_errors() -> Iterator[None]:
    """Show what goes wrong inside as a sentence; the rest of the page stays."""
    try:
        yield
    except BertsentError as error:
        show_error(error)
    except Exception:
        number = secrets.token_hex(3)
        log.exception("error %s", number)
        st.error(
            f"Something unexpected happened (error {number}). Reload the page; the server's log "
            "has the details under that number."
        )


def show_error(error: BertsentError) -> None:
    """An error as an error box: what happened, then what to do."""
    st.error(escape_markdown(str(error)))


def escape_markdown(text: str) -> str:
    """Text that Streamlit shows literally: no markdown, no formulas, no colours, no links."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|$:~^&" else c for c in text)
