"""Files that a visitor brings: a box for one, what was read from it, and what is wrong with it.

They stay in the session, so nobody else sees them and they survive a look at another page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.ui.shared.errors import escape_markdown, show_error

TABLES = ("csv", "tsv", "jsonl", "parquet")


@dataclass(frozen=True)
class Kept:
    """The last content that could be read, its name, and what is wrong with a newer one."""

    content: Any = None
    name: str = ""
    error: BertsentError | None = None


def upload(
    label: str,
    read: Callable[..., Any],
    *,
    key: str,
    types: tuple[str, ...] = TABLES,
    incomplete: str = "",
    help: str | None = None,  # noqa: A002 - Streamlit's word
) -> Any:  # what ``read`` gives
    """Draw the box for a file; gives back the last content of this session that could be read.

    Args:
        label: stands above the box.
        read: makes the content of the bytes and the name of a file, before the page is drawn.
        key: that of the box.
        types: the endings of the files.
        incomplete: what a row may lack; offers to leave out such rows, which ``read`` learns as
            ``drop_incomplete``.
        help: the help text of the box.
    """

    def change() -> None:
        file = st.session_state[key]
        if file is not None:
            drop = {"drop_incomplete": st.session_state[f"{key}_incomplete"]} if incomplete else {}
            keep(key, file.name, lambda: read(file.getvalue(), file.name, **drop))

    file = st.file_uploader(label, list(types), key=key, help=help, on_change=change)
    if incomplete:
        label = f"Leave out rows without {incomplete}"
        st.checkbox(label, key=f"{key}_incomplete", on_change=change)
    return kept(key, in_box=file is not None)


def keep(key: str, name: str, read: Callable[[], Any]) -> None:
    """Keep what is read under that name; the last good content stays where it cannot be read."""
    try:
        st.session_state[f"{key}_kept"] = Kept(read(), name)
    except BertsentError as error:
        last = st.session_state.get(f"{key}_kept", Kept())
        st.session_state[f"{key}_kept"] = replace(last, error=error)


def uploaded(key: str) -> bool:
    """Whether anything was brought to that box in this session."""
    return f"{key}_kept" in st.session_state


def kept(key: str, *, in_box: bool = True) -> Any:  # what was read
    """The content in use, with the error of a newer one above it.

    Args:
        key: that of the box.
        in_box: whether the newest file is still there to see.
    """
    found: Kept = st.session_state.get(f"{key}_kept", Kept())
    if found.error and in_box:
        show_error(found.error)
    if found.content is not None and (found.error or not in_box):
        st.caption(escape_markdown(f"In use: {found.name}."))
    return found.content
