"""Which tab of the Fine-tune page opens: the one that the link or a button asks for, else Run, or
New run where there is none.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.training.runs.run import list_runs
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.tabs import remember_tabs

TAB = "tab"
RUN, NEW_RUN, COMPARE = "Run", "New run", "Compare"
ALL_RUNS, LANDSCAPE, LESSON = "All runs", "Loss landscape", "Lesson"
TABS = (RUN, NEW_RUN, COMPARE, ALL_RUNS, LANDSCAPE, LESSON)
_PARAMETERS = {"group": COMPARE, "lesson": LESSON, "runs": ALL_RUNS, "learn": NEW_RUN}
_NEXT, _MESSAGE, _DRAWN_RUN = "fine-tune-next-tab", "fine-tune-message", "fine-tune-drawn-run"


def go_to(tab: str, message: str = "") -> None:
    """Open a tab with the next run of the page, and say something above it."""
    st.session_state[_NEXT], st.session_state[_MESSAGE] = tab, message


def choose_tab(row: DeltaGenerator) -> str:
    """Draw the tabs into ``row``; the choice is kept in the session and in the link."""
    wanted = st.session_state.pop(_NEXT, None) or _tab_of_link()
    if wanted is not None:
        st.session_state[TAB] = wanted
    elif st.session_state.get(TAB, RUN) not in TABS:
        del st.session_state[TAB]
    chosen: str | None = row.segmented_control(
        "Tab",
        TABS,
        default=None if TAB in st.session_state else RUN,
        required=True,
        key=TAB,
        bind="query-params",
        persist_state="session",
        label_visibility="collapsed",
    )
    tab = chosen or RUN
    remember_tabs(TAB, TABS)
    for parameter, owner in _PARAMETERS.items():
        if owner != tab and parameter in st.query_params:
            del st.query_params[parameter]
    if message := st.session_state.pop(_MESSAGE, ""):
        st.info(escape_markdown(message))
    return tab


def _tab_of_link() -> str | None:
    """The tab that a link without ``tab`` asks for; the parameters that a version before 0.2 had
    instead are replaced.
    """
    query = st.query_params
    if TAB in query:
        return None
    for old in ("twins", "lab"):
        if old in query:
            query["group"] = st.session_state["group"] = query[old]
            del query[old]
            return COMPARE
    if "learn_view" in query:
        view = query["learn_view"]
        del query["learn_view"]
        return ALL_RUNS if view == ALL_RUNS else RUN
    if TAB in st.session_state:
        return RUN if _follow_link_to_run() else None
    named = [tab for parameter, tab in _PARAMETERS.items() if parameter in query]
    return named[0] if named else RUN if "run" in query or list_runs() else NEW_RUN


def _follow_link_to_run() -> bool:
    """Whether a link to a run, such as that of the badge, was followed since the page was drawn."""
    asked = st.query_params.get("run")
    if asked is None or asked == st.session_state.get(_DRAWN_RUN):
        return False
    st.session_state["run"] = asked
    return True


def remember_run() -> None:
    """Keep which run the link names now that the page is drawn; another one is a new link."""
    st.session_state[_DRAWN_RUN] = st.query_params.get("run")
