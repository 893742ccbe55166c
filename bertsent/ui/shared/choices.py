"""Choices that the link carries and the session keeps; one that is no longer offered is
forgotten.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import streamlit as st

from bertsent.ui.shared.links import LINKED

T = TypeVar("T")


def choose(
    label: str,
    options: Mapping[T, str] | Collection[T],
    key: str,
    **layout: Any,  # as st.segmented_control takes it
) -> T:
    """A segmented control that always has a value, at first the first of ``options``: values with
    their names, or values alone.
    """
    named = _named(options, key)
    return st.segmented_control(
        label,
        list(named),
        required=True,
        format_func=named.__getitem__,
        key=key,
        **{"default": next(iter(named)), **LINKED, **layout},
    )


def select(
    label: str,
    options: Mapping[T, str] | Collection[T],
    key: str,
    **layout: Any,  # as st.selectbox takes it
) -> T:
    """A select box over ``options``: values with their names, or values alone."""
    named = _named(options, key)
    return st.selectbox(
        label, list(named), format_func=named.__getitem__, key=key, **LINKED, **layout
    )


def _named(options: Mapping[T, str] | Collection[T], key: str) -> Mapping[T, str]:
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
    return options if isinstance(options, Mapping) else {option: str(option) for option in options}
