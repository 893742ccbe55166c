"""The model's answer to a review, asked once and the same wherever it stands: in the review bar, on
Probe, and behind every part of it.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.ui.shared.caches import BY_CONTENT
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel, Prediction

KEPT = 256  # answers


@dataclass(frozen=True)
class LiveAnswer:
    """What the model said, and how many milliseconds it took when it was asked."""

    prediction: "Prediction"
    milliseconds: float


@st.cache_data(max_entries=KEPT, show_spinner=False, hash_funcs=BY_CONTENT)
def live_answer(model: "LoadedModel", text: str) -> LiveAnswer:
    """Ask the model; questions of several people go through it together.

    Raises:
        BertsentError: the model does not answer.
    """
    from bertsent.probing.micro_batching import micro_batcher

    began = time.perf_counter()
    prediction = micro_batcher(model).predict(model, text)
    return LiveAnswer(prediction, (time.perf_counter() - began) * 1000)


def answer_of(name: str, text: str) -> "Prediction":
    """The answer of the model of that registry name, for whoever has a name alone: the board of a
    room. May be called outside of a page.

    Raises:
        BertsentError: the model is gone, or does not answer.
    """
    return live_answer(loaded_model(name), text).prediction
