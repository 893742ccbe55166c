"""How the heads of several tasks are built, in the form of a new run."""

from typing import Any

import streamlit as st

from bertsent.models.head_options import DIFFERENCES, HEAD_KINDS
from bertsent.ui.fine_tune.whole_number import whole_number

HEADS = {"linear": "Linear", "feed-forward": "Feed-forward with a skip connection"}
BETWEEN = {"absolute": "|u − v|", "signed": "u − v, as printed"}


def choose_heads() -> dict[str, Any]:
    """Draw how the heads are built, and how many rows an epoch draws."""
    first, second, third = st.columns(3)
    heads = first.selectbox("Heads", HEAD_KINDS, format_func=HEADS.__getitem__, key="draft-heads")
    difference = second.selectbox(
        "A pair of vectors is read as",
        DIFFERENCES,
        format_func=BETWEEN.__getitem__,
        key="draft-difference",
        help="With u − v the answer depends on which text comes first.",
    )
    with third:
        rows = whole_number(
            "Rows an epoch",
            0,
            1_000_000,
            0,
            "draft-epoch-rows",
            help="Drawn at random, as many of each task; 0 takes every row once.",
        )
    with st.container(horizontal=True):
        jaccard = st.checkbox("Append the overlap of tokens (Jaccard)", key="draft-jaccard")
        share = st.checkbox(
            "One network for paraphrase and similarity",
            key="draft-share-pairs",
            help="It gives a number from 0 to 1, which is scaled to 0 to 5 for similarity.",
        )
    return {
        "heads": heads,
        "difference": difference,
        "epoch_rows": rows,
        "jaccard": jaccard,
        "share_pairs": share,
    }
