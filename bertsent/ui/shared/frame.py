"""The frame around every page: one menu however it was entered, the run badge, and errors in
words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bertsent.settings import ASSETS
from bertsent.ui.shared.errors import show_errors
from bertsent.ui.shared.run_badge import run_badge

# the table's own download would let formulas live; pages offer a safe one (ui.downloads)
_NO_RAW_CSV = "<style>[aria-label='Download as CSV'] {display: none}</style>"


@dataclass(frozen=True)
class Entry:
    """A page as the menu shows it."""

    file: str
    menu: str
    title: str


HOME = Entry("pages/1_Home.py", "Home", "bertsent")
FINE_TUNE = Entry("pages/2_Fine-tune.py", "Fine-tune", "Watch it learn")
PROBE = Entry("pages/3_Probe.py", "Probe", "Ask it")
ATTENTION = Entry("pages/4_Attention.py", "Attention", "Look inside")
MAP = Entry("pages/5_Map.py", "Map", "See what it thinks of many")
PAGES = (HOME, FINE_TUNE, PROBE, ATTENTION, MAP)


def navigation() -> StreamlitPage:
    """The menu; gives back the page to run."""
    pages = [
        st.Page(e.file, title=e.menu, default=e is HOME, url_path="start" if e is HOME else None)
        for e in PAGES
    ]
    return st.navigation(
        [*pages, st.Page(_go_home, title=HOME.menu, url_path=HOME.menu, visibility="hidden")]
    )


def _go_home() -> None:
    """``/Home`` is the address that a person would guess; the default page lives at ``/``."""
    st.switch_page(HOME.file)


@contextmanager
def frame(entry: Entry, caption: str) -> Iterator[None]:
    """Everything a page has in common with the others; its own content goes inside.

    A page opened as the very first request of a fresh server is run by Streamlit without
    ``app.py``: then the menu is set up
    here and the script runs again, so that every way in shows the same.
    """
    context = get_script_run_ctx()
    if context is not None and context.pages_manager.uses_pages_directory:
        navigation()
        st.rerun()
    icon = str(ASSETS / "icon.svg")
    st.set_page_config(
        page_title=entry.title if entry is HOME else f"{entry.title} · bertsent",
        page_icon=icon,
        layout="wide",
    )
    st.html(_NO_RAW_CSV)
    run_badge(FINE_TUNE.file)
    st.title(entry.title, anchor=False)
    st.caption(caption)
    with show_errors():
        yield
