"""What a model computes for a review, kept for all tabs and visitors: the attention of all heads,
the forward pass worked out again, and the model's own numbers beside it.
"""

import streamlit as st

from bertsent.probing.forward_pass.forward_pass import ForwardPass, forward_pass
from bertsent.probing.forward_pass.own_numbers import OwnLayer, OwnNumbers, own_layer, own_numbers
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared.caches import BY_CONTENT


@st.cache_data(
    max_entries=32, max_size="400MB", show_spinner="Computing attention …", hash_funcs=BY_CONTENT
)
def whole_maps(model: LoadedModel, text: str) -> AttentionMaps:
    """The attention over all tokens of a review, kept for everybody who asks the same."""
    return model.attend(text)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def computed_pass(
    model: LoadedModel, text: str, *, second: str = "", beside: str = ""
) -> ForwardPass:
    """The forward pass of a review, in NumPy; only to be read.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
    """
    return forward_pass(model, text, second=second, beside=beside)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def computed_own(
    model: LoadedModel, text: str, *, second: str = "", beside: str = ""
) -> OwnNumbers:
    """What the model itself computes for the same; only to be read."""
    found = computed_pass(model, text, second=second, beside=beside)
    return own_numbers(model, found.inputs)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def computed_own_layer(
    model: LoadedModel, text: str, layer: int, *, second: str = "", beside: str = ""
) -> OwnLayer:
    """What it computes inside ``layer``, from 0; only to be read."""
    found = computed_pass(model, text, second=second, beside=beside)
    return own_layer(model, found.inputs, layer)
