"""The backward pass as the results of the part Back share it."""

import streamlit as st

from bertsent.blas_threads import one_thread
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.layer_gradients import LayerGradients
from bertsent.probing.forward_pass.own_gradients import OwnGradients, own_gradients
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import BY_CONTENT
from bertsent.ui.shared.review_numbers import computed_pass


@st.cache_resource(max_entries=8, show_spinner="Going back …", hash_funcs=BY_CONTENT)
def computed_gradients(model: LoadedModel, text: str, label: int) -> BackwardPass:
    """The backward pass of a review with its true label, kept for all visitors; only to be read.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
    """
    found = BackwardPass(computed_pass(model, text), label)
    _ = found.summed
    return found


@st.cache_resource(max_entries=3, show_spinner=False, hash_funcs=BY_CONTENT)
def layer_gradients(model: LoadedModel, text: str, label: int, layer: int) -> LayerGradients:
    """Inside one layer, from 0, worked out as far as its queries."""
    found = computed_gradients(model, text, label).layers[layer]
    with one_thread():
        _ = found.queries
    return found


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def autograd(model: LoadedModel, text: str, label: int, layer: int) -> OwnGradients:
    """What PyTorch's autograd finds for the same, inside ``layer``, from 0."""
    return own_gradients(model, computed_pass(model, text).inputs, label, layer)
