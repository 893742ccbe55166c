"""What a source of the course got wrong about pretraining, in one sentence."""

import streamlit as st

from bertsent.probing.before_bert.history import SLIPS
from bertsent.ui.shared import escape_markdown


def show_slip(number: str) -> None:
    """Draw one of ``SLIPS``."""
    st.markdown(f":orange-badge[slip {number}] {escape_markdown(SLIPS[number])}")
