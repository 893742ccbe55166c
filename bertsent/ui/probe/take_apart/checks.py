"""The one way to say on screen that recomputed numbers are the model's own."""

import streamlit as st

from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.ui.shared import escape_markdown

CHECK = (
    "Worked out again in NumPy, in double precision, from the weights and the ids alone, and "
    "compared with what the model computes in single precision: the largest difference of all "
    "numbers of this step, and what rounding may cause."
)


def show_check(comparison: Comparison, reason: str = "") -> None:
    """Draw whether recomputed numbers are the model's own; ``reason`` is why not, where known."""
    st.caption(escape_markdown(comparison.sentence(reason)), help=CHECK)
