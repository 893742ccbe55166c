"""A number input for whole numbers."""

from typing import Any

import streamlit as st


def whole_number(
    label: str, low: int, high: int, usual: int, key: str, step: int = 1, **options: Any
) -> int:  # those of st.number_input
    """A number input for whole numbers, of floats: a session that sends "infinity" for an input of
    integers is broken for good, one of floats goes back to ``usual``.
    """
    value: float | None = st.number_input(
        label, float(low), float(high), float(usual), float(step), "%.0f", key, **options
    )
    return round(value) if value is not None else usual
