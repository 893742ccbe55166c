"""The frame around every page: one menu however it was entered, the review bar, the run badge, and
errors in words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bertsent.settings import ASSETS
from bertsent.training.runs.status_sentences import status_sentence
from bertsent.ui.lessons.going import (
    PASSAGE,
    is_going,
    leave_for,
    open_step,
    take_linked_lesson,
)
from bertsent.ui.lessons.player import presented_walk, show_player
from bertsent.ui.lessons.running import running_lesson
from bertsent.ui.shared.connection import connection_notice
from bertsent.ui.shared.errors import handle_uncaught_errors, show_errors
from bertsent.ui.shared.keys import keyboard
from bertsent.ui.shared.live_runs import live_runs, run_reader
from bertsent.ui.shared.model_picker import MODEL
from bertsent.ui.shared.pinning import notebook_link, remember_page
from bertsent.ui.shared.presenter import present_button, present_results, style_place, turn_pages
from bertsent.ui.shared.results import forget_results
from bertsent.ui.shared.review_bar import review_bar
from bertsent.ui.shared.rights import pages_not_shown
from bertsent.ui.shared.tabs import forget_tabs
from bertsent.ui.shared.viewers import poll_interval

STYLE = Path(__file__).with_name("style.css")
BADGE_EVERY = 5.0  # seconds
_in_app: ContextVar[bool] = ContextVar("in_app", default=False)  # whether app.py runs the page


@dataclass(frozen=True)
class Entry:
    """A page: its script, its word in the menu, which is its title as well, whether it needs
    models that classify, and whether the review bar stands on it.
    """

    file: str
    title: str
    needs_sentiment: bool = False
    bar: bool = True


HOME = Entry("pages/1_Home.py", "Home", needs_sentiment=True)
FINE_TUNE = Entry("pages/2_Fine-tune.py", "Fine-tune")
PROBE = Entry("pages/3_Probe.py", "Probe", needs_sentiment=True)
ATTENTION = Entry("pages/4_Attention.py", "Attention")
# Its sentences are typed where they are compared
WORDS = Entry("pages/5_Words.py", "Words", bar=False)
MAP = Entry("pages/6_Map.py", "Map")
# The bar's answer would give away what the class is to predict
CLASS = Entry("pages/7_Class.py", "Class", bar=False)
LESSONS = Entry("pages/8_Lessons.py", "Lessons")
NOTEBOOK = Entry("pages/9_Notebook.py", "Notebook")  # not in the menu: the tools lead there
PAGES = (HOME, FINE_TUNE, PROBE, ATTENTION, WORDS, MAP, CLASS, LESSONS)
ALWAYS = (HOME, CLASS)  # which no teacher can hide


def run_app() -> None:
    """The menu, the review bar and the chosen page.

    The bar is drawn here because a widget that each page draws anew loses its value when the page
    changes.
    """
    handle_uncaught_errors()
    page = navigation()
    _pass_to_step(page)
    entry = next((entry for entry in (*PAGES, NOTEBOOK) if entry.title == page.title), HOME)
    st.set_page_config(
        page_title=f"{entry.title} · bertsent",
        page_icon=str(ASSETS / "icon.svg"),
        layout="wide",
    )
    st.html(STYLE)
    connection_notice()
    shown = _shown_pages()
    if entry in PAGES and entry not in shown:
        _say_hidden(entry)
        return
    turn_pages([each.file for each in shown], entry.file)
    if live_runs():
        with st.container(key="run_badge"):
            st.fragment(_run_badge, run_every=poll_interval(BADGE_EVERY))()
    found = running_lesson()
    if found:
        show_player(found)
    st.session_state[MODEL] = ""  # until one is chosen
    if entry.bar:
        with show_errors():
            review_bar(needs_sentiment=entry.needs_sentiment)
    entered = _in_app.set(True)
    try:
        page.run()
    finally:
        _in_app.reset(entered)


def navigation() -> StreamlitPage:
    """The menu; gives back the page to run."""
    shown = _shown_pages()
    pages = [
        st.Page(
            e.file,
            title=e.title,
            default=e is HOME,
            url_path="start" if e is HOME else None,
            visibility="visible" if e in shown else "hidden",
        )
        for e in PAGES
    ]
    hidden = (
        st.Page(NOTEBOOK.file, title=NOTEBOOK.title, visibility="hidden"),
        st.Page(_go_home, title=HOME.title, url_path=HOME.title, visibility="hidden"),
        _passage(),
    )
    return st.navigation([*pages, *hidden], position="top")


def _passage() -> StreamlitPage:
    """The page that leads to a step of a lesson, which nobody sees."""
    return st.Page(_open_step, title=PASSAGE, url_path=PASSAGE, visibility="hidden")


def _open_step() -> None:
    open_step({entry.title: entry.file for entry in PAGES}, LESSONS.file)


def _pass_to_step(page: StreamlitPage) -> None:
    """Open the step of a lesson that a button or a link has asked for, before anything is drawn."""
    if page.title == LESSONS.title:
        take_linked_lesson()
    if page.title == PASSAGE:
        page.run()
    elif is_going():
        leave_for(_passage())


def _shown_pages() -> list[Entry]:
    """Those of the menu, without what the visitor's teacher hides."""
    hidden = pages_not_shown()
    return [entry for entry in PAGES if entry in ALWAYS or entry.title not in hidden]


def _say_hidden(entry: Entry) -> None:
    """What stands at the address of a page that the visitor's teacher hides."""
    with st.container(key="page_top"):
        st.title(entry.title, anchor=False)
    st.info(f"Your teacher has hidden {entry.title} for now.")
    st.page_link(HOME.file, label=f"Go to {HOME.title}")


def _go_home() -> None:
    """``/Home`` is the address that a person would guess; the default page lives at ``/``."""
    st.switch_page(HOME.file)


@contextmanager
def frame(entry: Entry) -> Iterator[DeltaGenerator]:
    """Everything a page has in common with the others; its own content goes inside. Gives the row
    beside the title, for the tabs or the controls of the page.

    A page that a visitor opens, or comes back to, as the first one of a fresh server is run by
    Streamlit without ``app.py``: then the menu is set up here and the script runs again, so that
    every way in shows the same.
    """
    if get_script_run_ctx() is not None and not _in_app.get():
        navigation()
        st.rerun()
    forget_results()
    forget_tabs()
    remember_page(entry.title)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="page_top", wrap=False
    ):
        st.title(entry.title, anchor=False, width="content")
        row = st.container(
            horizontal=True, vertical_alignment="center", gap="small", key="page_row"
        )
        with st.container(
            horizontal=True,
            vertical_alignment="center",
            gap="small",
            key="page_tools",
            width="content",
        ):
            notebook_link(NOTEBOOK.file)
            present_button()
            keyboard([page.title for page in _shown_pages()])
            style = style_place()
    try:
        with show_errors():
            yield row
    finally:
        present_results(style, presented_walk())


def _run_badge() -> None:
    """While a run lives it stands on top of every page, one click from its curves."""
    runs = live_runs()
    if not runs:
        st.caption("The run has ended.")
        return
    run, others = runs[0], len(runs) - 1
    label = f"● {status_sentence(run, *run_reader(run).look())}"
    label += f" · {others} waiting" if others else ""
    st.page_link(FINE_TUNE.file, label=label, query_params={"run": run.id})
