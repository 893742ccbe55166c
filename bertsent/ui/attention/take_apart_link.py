"""From a head to the whole way: the part “Each layer” of Probe's answer, with the same head and the
same two words, and from there back.
"""

import streamlit as st

from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.open import open_only
from bertsent.ui.shared.frame import PROBE
from bertsent.ui.shared.links import NO_QUERY

HELP = (
    "Opens Probe with every number of this layer, for the same head and words, and the rest of the "
    "way from letters to loss and back."
)


def take_apart_button(model: LoadedModel, *, strongest_pair: bool = False) -> None:
    """Draw the button, for a model that answers. The pickers of both pages share their choices;
    ``strongest_pair`` takes the pair that this tab shows where it has no pickers of words.
    """
    if "sentiment" not in model.gives:
        return
    if not st.button("Take it apart", key="take_apart", type="tertiary", help=HELP):
        return
    if strongest_pair:
        st.session_state["qk_from"] = st.session_state["qk_to"] = 0
    open_only("layers")
    st.session_state["probe"] = "Answer"
    st.switch_page(PROBE.file, query_params=NO_QUERY)
