"""Choices that the link carries and the session keeps.

Streamlit's own binding, which ``choose`` and ``select`` use, puts the *label* into the URL and
forgets the choice when a label changes. Labels of runs change while a run lives: in
``linked_choice`` the name is what counts, in the URL, in the session, and on every page.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

# a widget whose value the link carries and the session keeps
LINKED: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
# of the page that st.switch_page opens: left out, it fails where a widget is bound to the link
NO_QUERY: dict[str, str] = {}
T = TypeVar("T")
TABLE = 440  # pixels of a table that is typed


def choose(
    label: str,
    options: Mapping[T, str] | Collection[T],
    key: str,
    **layout: Any,  # as st.segmented_control takes it
) -> T:
    """A segmented control that always has a value, at first the first of ``options``: values with
    their labels, or values alone. A kept value that is no longer offered is forgotten.
    """
    named = _named(options, key)
    return st.segmented_control(
        label,
        list(named),
        required=True,
        format_func=named.__getitem__,
        key=key,
        **{"default": None if key in st.session_state else next(iter(named)), **LINKED, **layout},
    )


def select(
    label: str,
    options: Mapping[T, str] | Collection[T],
    key: str,
    **layout: Any,  # as st.selectbox takes it
) -> T:
    """A select box over the same kind of ``options``."""
    named = _named(options, key)
    return st.selectbox(
        label, list(named), format_func=named.__getitem__, key=key, **{**LINKED, **layout}
    )


def _named(options: Mapping[T, str] | Collection[T], key: str) -> Mapping[T, str]:
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
    return options if isinstance(options, Mapping) else {option: str(option) for option in options}


def linked_choice(
    label: str,
    options: Mapping[str, str],
    *,
    key: str,
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
        format_func=options.__getitem__,
        key=widget,
        on_change=_keep,
        args=(key, widget),
        **layout,
    )
    st.session_state.setdefault(key, chosen)
    st.query_params[key] = chosen
    return chosen


def linked_segments(
    label: str,
    options: Mapping[str, str],
    *,
    key: str,
    usual: str = "",
    **layout: Any,  # as st.segmented_control takes it
) -> str:
    """A segmented control over names shown as labels; the chosen name lives in the session under
    ``key`` and, unless it is the usual or else the first one, in the link.
    """
    kept, widget = linked_name(key), f"{key}-segments"
    first = usual or next(iter(options))
    chosen = st.session_state[key] = kept if kept in options else first
    st.session_state[widget] = chosen
    st.segmented_control(
        label,
        list(options),
        required=True,
        format_func=options.__getitem__,
        key=widget,
        on_change=_keep,
        args=(key, widget),
        **layout,
    )
    set_in_link(key, None if chosen == first else chosen)
    return chosen


def linked_text(
    label: str,
    usual: str,
    *,
    key: str,
    longest: int,
    lines: int = 1,
    **layout: Any,  # as st.text_input takes it
) -> str:
    """A box for a text, of several ``lines`` if need be, that lives in the session under ``key``
    and, unless it is the usual one, in the link; of the link at most ``longest`` characters.
    """
    widget = f"{key}-box"
    kept = st.session_state.setdefault(key, st.query_params.get(key, usual)[:longest])
    if st.session_state.get(widget) != kept:  # else what somebody types meanwhile would be lost
        st.session_state[widget] = kept
    box: Any = st.text_input if lines == 1 else st.text_area
    tall = {} if lines == 1 else {"height": 50 + 24 * lines}
    box(label, key=widget, max_chars=longest, on_change=_keep, args=(key, widget), **tall, **layout)
    set_in_link(key, None if kept == usual else kept)
    return str(kept)


def linked_table(label: str, usual: str, columns: Sequence[str], *, key: str, longest: int) -> str:
    """A table whose cells are typed and whose rows can be added and deleted; gives back its rows, a
    line each, with commas in between. It lives in the session and in the link as ``linked_text``
    does.
    """
    kept = st.session_state.setdefault(key, st.query_params.get(key, usual)[:longest])
    begun, version = f"{key}-begun", f"{key}-version"
    if st.session_state.get(f"{key}-typed") != kept:  # put back, or not yet drawn
        st.session_state[version] = st.session_state.get(version, 0) + 1
    widget = f"{key}-table-{st.session_state.setdefault(version, 1)}"
    if widget not in st.session_state:  # else the editor would add its edits twice
        st.session_state[begun] = kept
    place = st.container(width=TABLE)  # which a phone narrows
    place.caption(label)
    table = place.data_editor(
        _cells(st.session_state[begun], columns),
        key=widget,
        num_rows="dynamic",
        hide_index=True,
        column_config={name: st.column_config.TextColumn(name) for name in columns},
    )
    rows = table.fillna("").astype(str).to_numpy().tolist()
    typed = "\n".join(", ".join(row) for row in rows if any(row))
    st.session_state[key] = st.session_state[f"{key}-typed"] = typed
    set_in_link(key, None if typed == usual else typed[:longest])
    return typed


def _cells(typed: str, columns: Sequence[str]) -> pd.DataFrame:
    """The table of typed lines; what is missing of a line is empty."""
    last = len(columns) - 1
    rows = [[cell.strip() for cell in line.rsplit(",", last)] for line in typed.split("\n")]
    return pd.DataFrame([row + [""] * (last + 1 - len(row)) for row in rows], columns=list(columns))


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
    set_in_link(key, None if number == usual else str(number))
    return number


def linked_slider(
    label: str,
    lowest: int,
    highest: int,
    usual: int,
    *,
    key: str,
    **layout: Any,  # as st.slider takes it
) -> int:
    """A slider over whole numbers that lives in the URL and the session as ``linked_number``
    does.
    """
    if key not in st.session_state:
        linked = st.query_params.get(key, "")
        number = int(linked) if re.fullmatch(r"[0-9]{1,12}", linked) else usual
        st.session_state[key] = number if lowest <= number <= highest else usual
    number = int(st.slider(label, lowest, highest, key=key, persist_state="session", **layout))
    set_in_link(key, None if number == usual else str(number))
    return number


def set_in_link(parameter: str, value: str | None) -> None:
    """Give a parameter of the link this value; None removes it."""
    if value is None:
        st.query_params.pop(parameter, None)
    else:
        st.query_params[parameter] = value


def linked_name(key: str) -> str:
    """What the session or else the link names under ``key``; empty when neither does."""
    return str(st.session_state.get(key) or st.query_params.get(key) or "")


def _keep(key: str, widget: str) -> None:
    st.session_state[key] = st.session_state[widget]
