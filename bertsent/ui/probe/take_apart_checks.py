"""The forward pass as the parts of the way share it, and the one way to say on screen that it is
the model's own.
"""

import streamlit as st

from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.probing.forward_pass.forward_pass import ForwardPass, forward_pass
from bertsent.probing.forward_pass.own_numbers import OwnNumbers, own_numbers
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import BY_CONTENT, escape_markdown

CHECK = (
    "Worked out again in NumPy, in double precision, from the weights and the ids alone, and "
    "compared with what the model computes in single precision: the largest difference of all "
    "numbers of this step, and what rounding may cause."
)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_CONTENT)
def computed_pass(
    model: LoadedModel, text: str, *, second: str = "", beside: str = ""
) -> ForwardPass:
    """The forward pass of a review, kept for all parts and visitors; only to be read.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
    """
    return forward_pass(model, text, second=second, beside=beside)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_CONTENT)
def computed_own(
    model: LoadedModel, text: str, *, second: str = "", beside: str = ""
) -> OwnNumbers:
    """What the model itself computes for the same; only to be read."""
    found = computed_pass(model, text, second=second, beside=beside)
    return own_numbers(model, found.inputs)


def show_check(comparison: Comparison, reason: str = "") -> None:
    """Draw whether recomputed numbers are the model's own; ``reason`` is why not, where known."""
    st.caption(escape_markdown(check_sentence(comparison, reason)), help=CHECK)


def check_sentence(comparison: Comparison, reason: str = "") -> str:
    """The same in words."""
    size = f"{comparison.difference:.0e}".replace("e-0", "e-").replace("0e+00", "0")
    allowed = f"{comparison.tolerance:.0e}".replace("e-0", "e-").replace("e+00", "")
    if comparison.same:
        return (
            f"{comparison.name}: recomputed = the model’s ✓ "
            f"(differs by at most {size}; allowed {allowed})"
        )
    return (
        f"{comparison.name}: recomputed ≠ the model’s ✗ "
        f"(differs by {size}; allowed {allowed}). {reason}"
    ).strip()
