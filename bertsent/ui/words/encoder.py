"""What the tabs of this page choose alike: the encoder, before fine-tuning or after it, its layer,
and sentences that are typed.
"""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.probing.registry import before_training
from bertsent.settings import LIMITS
from bertsent.ui.shared import choose, select
from bertsent.ui.shared.links import linked_text
from bertsent.ui.shared.model_picker import choose_model, chosen_model

MOST = 12  # sentences that are compared
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class ChosenEncoder:
    """Registry names: of the encoder that is asked, and of both ends of its fine-tuning, where it
    was fine-tuned and the weights from before are here.
    """

    name: str
    ends: tuple[str, str] | None = None


def controls_row() -> DeltaGenerator:
    """The line above a tab for its choices."""
    return st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="words_controls"
    )


def choose_encoder() -> ChosenEncoder:
    """Draw the model and, where it was fine-tuned, whether it is asked before that, which is usual,
    or after it. Without any model the page ends here, with a way to get one.
    """
    choose_model(needs_sentiment=False)
    name = chosen_model()
    before = before_training(name)
    if before is None or before == name:
        return ChosenEncoder(name)
    named = {BEFORE: "Before fine-tuning", AFTER: "After"}
    when = choose("Encoder", named, "words_by", label_visibility="collapsed", width="content")
    return ChosenEncoder(before if when == BEFORE else name, (before, name))


def choose_layer(layers: int) -> int:
    """A layer, -1 for the last, 0 for the input."""
    numbered = {layer: f"layer {layer}" for layer in range(layers - 1, 0, -1)}
    named = {-1: f"layer {layers} (last)", **numbered, 0: "layer 0 (input)"}
    return select("Layer", named, "words_layer", label_visibility="collapsed", width=150)


def typed_sentences(key: str, usual: str) -> list[str]:
    """A box for sentences, one a line.

    Raises:
        BadInput: fewer than two.
    """
    written = linked_text(
        "Sentences, one a line", usual, key=key, longest=LIMITS.review_chars, lines=6
    )
    texts = [line.strip() for line in written.splitlines() if line.strip()]
    BadInput.raise_if(
        len(texts) < 2, "There is nothing to compare.", "Write at least two sentences."
    )
    return texts[:MOST]
