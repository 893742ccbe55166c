"""Beside the grid: the same words read both ways and left to right, with a causal mask over the
same weights.
"""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.figures.attention_steps import direction_maps
from bertsent.probing.heads.attention_matrix import (
    MEAN_OF_ALL,
    ROLLOUT,
    STRONGEST,
    AttentionMatrix,
    attention_matrix,
)
from bertsent.probing.heads.directions import (
    Directions,
    answer_sentence,
    kept_sentence,
    read_directions,
    seen_sentence,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.attention.controls import Scope
from bertsent.ui.attention.heatmaps import show_heatmap
from bertsent.ui.shared import BY_CONTENT, choose

EXAMPLE, CHANGED, WORD = "not very good", "not very bad", 1  # the token "not"
NAMED, THIS = f"“{EXAMPLE}”", "This review"
DRAWN = 24  # tokens
CAVEAT = (
    "“alike” is the cosine of a token’s last vectors in both readings. BERT was not trained with a "
    "causal mask: this shows what reaches a word, not how good a left-to-right model is."
)


def show_directions(scope: Scope, layer: int, head: str, below: DeltaGenerator) -> None:
    """Draw one head, or a mean of heads, in both directions: ``layer`` from 0, ``head`` as the
    picker names it. Downloads go ``below``.

    Raises:
        NotAvailable: the model gives no attention weights.
    """
    words = choose("Words", (NAMED, THIS), "directions", label_visibility="collapsed")
    found = _directions(scope.model, EXAMPLE if words == NAMED else scope.text, words == NAMED)
    both, left_to_right = _both(found, layer, head)
    tokens, place, kept = found.both.maps.tokens, found.place, slice(0, DRAWN)
    what = "With “bad” for “good”" if words == NAMED else f"Cut after “{tokens[place]}”"
    sentences = (
        seen_sentence(found, both.weights, left_to_right.weights),
        kept_sentence(found, what),
        answer_sentence(found) if scope.model.pooling == "cls" else "",
    )
    said = " ".join(sentence for sentence in sentences if sentence)
    figure = direction_maps(
        tokens[kept],
        both.weights[kept, kept],
        left_to_right.weights[kept, kept],
        found.cosines[kept],
        place=place if place < DRAWN else None,
    )
    said = f"{both.name}. {said}"
    show_heatmap(
        figure,
        "attention_directions",
        f"Both ways and left to right. {said}",
        table=lambda: _table(both, left_to_right, found),
        file="attention-left-to-right",
        caption=f"{said} {CAVEAT}",
        method="left_to_right",
        below=below,
    )


def _table(
    both: AttentionMatrix, left_to_right: AttentionMatrix, found: Directions
) -> pd.DataFrame:
    """One row per token: the cosine of its last vectors, then its weights in both readings."""
    first, second = (
        shown.table().drop(columns=["position", "token"]) for shown in (both, left_to_right)
    )
    joined = first.add_prefix("both ways: ").join(second.add_prefix("left to right: "))
    tokens = {"token": both.maps.tokens, "cosine of its last vectors": found.cosines}
    return pd.DataFrame(tokens).join(joined)


@st.cache_data(
    max_entries=32, max_size="200MB", show_spinner="Reading left to right …", hash_funcs=BY_CONTENT
)
def _directions(model: LoadedModel, text: str, example: bool) -> Directions:
    return read_directions(model, text, *((WORD, CHANGED) if example else ()))


def _both(found: Directions, layer: int, head: str) -> tuple[AttentionMatrix, AttentionMatrix]:
    """The same head, or mean, of both readings."""
    if head == STRONGEST:  # the head in which the word looks ahead most
        ahead = found.both.maps.weights[layer, :, found.place, found.place + 1 :].sum(-1)
        head = str(int(ahead.argmax()) + 1)
    head = MEAN_OF_ALL if head == ROLLOUT else head
    return (
        attention_matrix(found.both.maps, layer, head),
        attention_matrix(found.left_to_right.maps, layer, head),
    )
