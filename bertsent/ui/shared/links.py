"""A choice that the link carries, for options whose labels change while a run lives.

Streamlit's own binding puts the *label* into the URL and forgets the choice when a label changes;
here the name is what counts, in the URL, in the session, and on every page.
"""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

# a widget whose value the link carries and the session keeps
LINKED: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


def linked_choice(
    label: str,
    options: Mapping[str, str],
    *,
    key: str,
    help: str | None = None,  # noqa: A002 - Streamlit's word
    **layout: Any,  # as st.selectbox takes it
) -> str:
    """A select box over names shown as labels; the chosen name lives in the URL and the session
    under ``key``.

    A name that is not among the options now, such as a model that another page offers, stays chosen
    where it is offered.
    """
    kept = linked_name(key)
    chosen = kept if kept in options else next(iter(options))
    widget = f"{key}-box"
    st.session_state[widget] = chosen
    st.selectbox(
        label,
        list(options),
        format_func=lambda name: options[name],
        key=widget,
        help=help,
        on_change=_keep,
        args=(key, widget),
        **layout,
    )
    st.session_state.setdefault(key, chosen)
    st.query_params[key] = chosen
    return chosen


def linked_number(
    label: str,
    lowest: int,
    highest: int,
    usual: int,
    *,
    key: str,
    **layout: Any,  # as st.number_input takes it
) -> int:
    """A box for a whole number that lives in the URL and the session under ``key``.

    Streamlit's own binding of a whole number fails on ``inf``, in every run of the session; here a
    number that cannot be used is the usual one.
    """
    if key not in st.session_state:
        linked = st.query_params.get(key, "")
        number = int(linked) if re.fullmatch(r"[0-9]{1,12}", linked) else usual
        st.session_state[key] = number if lowest <= number <= highest else usual
    number = int(
        st.number_input(label, lowest, highest, key=key, step=1, persist_state="session", **layout)
    )
    if number == usual:
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = str(number)
    return number


def linked_name(key: str) -> str:
    """What the session or else the link names under ``key``; empty when neither does."""
    return str(st.session_state.get(key) or st.query_params.get(key) or "")


def _keep(key: str, widget: str) -> None:
    st.session_state[key] = st.session_state[widget]
