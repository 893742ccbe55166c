"""The small batch of the part about the loss: a few reviews with labels that can be edited; the
link carries what somebody changed.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS
from bertsent.probing.forward_pass.cross_entropy import cross_entropy
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import BY_CONTENT
from bertsent.ui.shared.links import set_in_link

BATCH = "batch"  # of the link, and of the session
MOST, LONGEST = 7, 300  # reviews, and characters of one
USUAL = (
    ("This is not a bad film", 1),
    ("Absolutely incredible", 1),
    ("Finally a film that knows when to end: after five minutes.", 0),
)
_EDITS = "batch_edits"  # how often the table was edited: each time it is drawn anew
Pair = tuple[str, int]  # a review and its label


@dataclass(frozen=True)
class BatchRow:
    """A review of the batch, its label and what the answer to it costs."""

    text: str
    label: int
    loss: float


def batch_rows(model: LoadedModel) -> list[BatchRow]:
    """The reviews of the batch beside the one of the bar, with their losses."""
    pairs = _kept()
    logits = _logits(model, tuple(text for text, _ in pairs))
    return [
        BatchRow(text, label, cross_entropy(each, label))
        for (text, label), each in zip(pairs, logits, strict=True)
    ]


def edit_batch(rows: Sequence[BatchRow]) -> None:
    """Draw them as a table in which reviews and labels can be changed, added and taken out."""
    table = pd.DataFrame(
        {
            "review": [row.text for row in rows],
            "true label": [LABELS[row.label] for row in rows],
            "p": [math.exp(-row.loss) for row in rows],
            "loss": [row.loss for row in rows],
        }
    )
    key = f"batch_table_{st.session_state.get(_EDITS, 0)}"
    st.data_editor(
        table,
        hide_index=True,
        num_rows="dynamic",
        disabled=["p", "loss"],
        key=key,
        on_change=_edit,
        args=(key, [(row.text, row.label) for row in rows]),
        column_config={
            "review": st.column_config.TextColumn(width="large", max_chars=LONGEST),
            "true label": st.column_config.SelectboxColumn(options=LABELS),
            "p": st.column_config.NumberColumn("p of the true label", format="percent"),
            "loss": st.column_config.NumberColumn("−ln p", format="%.3f"),
        },
    )


def _edit(key: str, pairs: list[Pair]) -> None:
    """Take what was changed in the table before the page runs again."""
    changed: dict[str, Any] = st.session_state[key]
    added = [row for row in changed["added_rows"] if row.get("review")]
    if not (added or changed["edited_rows"] or changed["deleted_rows"]):
        return  # a new row without a review yet stays with the table
    rows: list[dict[str, Any]] = [{"review": text, "true label": LABELS[n]} for text, n in pairs]
    for place, edit in changed["edited_rows"].items():
        rows[int(place)] |= edit
    kept = [row for n, row in enumerate(rows) if n not in changed["deleted_rows"]]
    found = [(row.get("review"), row.get("true label")) for row in [*kept, *added]]
    st.session_state[BATCH] = _usable(found)
    st.session_state[_EDITS] = st.session_state.get(_EDITS, 0) + 1


def _kept() -> list[Pair]:
    if BATCH not in st.session_state:
        st.session_state[BATCH] = _linked() or list(USUAL)
    pairs: list[Pair] = st.session_state[BATCH]
    named = json.dumps([[text, LABELS[label]] for text, label in pairs], ensure_ascii=False)
    set_in_link(BATCH, None if pairs == list(USUAL) else named)
    return pairs


def _linked() -> list[Pair]:
    try:
        found = json.loads(st.query_params.get(BATCH, ""))
        return _usable([(text, label) for text, label in found])
    except (ValueError, TypeError, RecursionError):
        return []


def _usable(rows: Sequence[tuple[object, object]]) -> list[Pair]:
    """The rows that hold a review; one without a label counts as NEGATIVE until it has one."""
    texts = [(clean_text(str(text or "")[:LONGEST]), label) for text, label in rows]
    pairs = [(text, int(label == LABELS[1])) for text, label in texts if text]
    return pairs[:MOST]


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=BY_CONTENT)
def _logits(model: LoadedModel, texts: tuple[str, ...]) -> np.ndarray:
    return model.logits(texts)
