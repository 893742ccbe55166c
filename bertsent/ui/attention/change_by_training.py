"""Change by training: every head's attention after fine-tuning minus what it was before, the most
changed first.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.figures.attention_heatmap import change_grid, change_heatmap
from bertsent.probing.heads.attention_change import (
    attention_change,
    attention_of_both,
    change_sentence,
    change_table,
    jensen_shannon,
)
from bertsent.probing.heads.attention_maps import AttentionMaps, head_name, ranked_heads
from bertsent.probing.heads.attention_matrix import AttentionMatrix
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BACKBONE, before_training
from bertsent.ui.attention.controls import ask_fine_tuned, choose_scope, controls_row, show_extent
from bertsent.ui.attention.heatmaps import show_heatmap, side_by_side
from bertsent.ui.shared import BY_CONTENT, loaded_model, number_columns, result
from bertsent.ui.shared.head_pickers import short_select

MOST = "most changed"
PRETRAINED = (
    "This is the pretrained encoder: fine-tuning has not changed it yet. With a fine-tuned model, "
    "the change of every head stands here."
)
UNKNOWN = (
    "The weights from before fine-tuning are not on this machine. Runs that start here keep their "
    "step 0 for comparison."
)


def show_change_by_training(name: str, text: str) -> None:
    """Draw what fine-tuning changed in the heads, or say why there is nothing to compare with.

    Raises:
        NotAvailable: a model gives no attention weights.
        BadInput: nothing is left of the review, or the two models do not read the same tokens.
    """
    first = before_training(name)
    if first is None:
        with result("change"):
            ask_fine_tuned(PRETRAINED if name == BACKBONE else UNKNOWN)
        return
    before, after = loaded_model(first), loaded_model(name)
    places = side_by_side("change")
    row, rare = controls_row()
    with row:
        picker = st.container(
            horizontal=True, gap="small", vertical_alignment="center", width="content"
        )
        shorter = min((after, before), key=lambda model: model.max_length)
        scope = choose_scope(shorter, text, rare)
    below = st.columns([11, 9], gap="medium")
    then, now, divergence = _both(before, after, text)
    then, now = (maps.select(scope.selection, scope.units) for maps in (then, now))
    change = attention_change(then, now)
    with picker:
        chosen = _chosen(divergence)
    _draw(change, chosen, divergence, places, below)
    show_extent(scope, f"{after.name}, now minus before ({before.name})")
    with result("change_ranking"):
        st.caption(
            "Heads by how much they changed: the Jensen-Shannon divergence of their rows before "
            "and after, 0 for no change, 0.693 nats where nothing stayed."
        )
        st.dataframe(
            change_table(change, divergence),
            hide_index=True,
            key="change_ranking",
            height=320,
            column_config=number_columns({"divergence in nats": "%.4f"}),
        )


@st.cache_data(
    max_entries=16,
    max_size="200MB",
    show_spinner="Computing the attention of both models …",
    hash_funcs=BY_CONTENT,
)
def _both(
    before: LoadedModel, after: LoadedModel, text: str
) -> tuple[AttentionMaps, AttentionMaps, np.ndarray]:
    then, now = attention_of_both(before, after, text)
    return then, now, jensen_shannon(then.weights, now.weights)


def _chosen(divergence: np.ndarray) -> tuple[int, int]:
    ranked = ranked_heads(divergence)
    options = {MOST: ranked[0], **{head_name(head): head for head in sorted(ranked)}}
    return options[short_select("Head", list(options), "change_head", width=150, help="layer·head")]


def _choose(layer: int, head: int) -> None:
    st.session_state["change_head"] = head_name((layer - 1, head - 1))


def _draw(
    change: AttentionMaps,
    chosen: tuple[int, int],
    divergence: np.ndarray,
    places: Sequence[DeltaGenerator],
    below: Sequence[DeltaGenerator],
) -> None:
    (left, right), rows = places, [place.container(horizontal=True, gap="small") for place in below]
    most = ranked_heads(divergence)[0]
    finding = f"Head {head_name(most)} changed most, by {divergence[most]:.3f} nats."
    moved = divergence[chosen]
    with left:
        show_heatmap(
            change_grid(change, chosen),
            "change_grid",
            f"Change of every head's attention as one grid of small maps. {finding}",
            table=change.table,
            file="attention-change-all-heads",
            caption=f"{finding} Purple: a head looks there more than before training; orange: "
            "less. Click a tile to see it large.",
            act=_choose,
            below=rows[0],
        )
    with right:
        name, sentence = head_name(chosen), change_sentence(change, chosen)
        shown = AttentionMatrix(f"Head {name}, now minus before", change, change.weights[chosen])
        show_heatmap(
            change_heatmap(
                change.tokens, shown.weights, title=shown.name, quantity=change.quantity
            ),
            "change_head_map",
            f"{shown.name}. {sentence}",
            table=shown.table,
            file=f"attention-change-{chosen[0] + 1}-{chosen[1] + 1}",
            caption=f"Head {name} changed by {moved:.3f} nats (at most 0.693). {sentence}",
            method="change_by_training",
            below=rows[1],
        )
