"""Beside another text: padding and the attention mask in a batch, segments in a pair, and what
either does to the answer.
"""

import random

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.data.sources import load_reviews
from bertsent.lessons.written_numbers import written
from bertsent.probing.forward_pass.input_variants import (
    InputVariant,
    PaddedAnswers,
    PairAnswers,
    compare_variants,
    padded_answers,
    pair_answers,
)
from bertsent.probing.forward_pass.token_check import check_pair
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS
from bertsent.ui.probe.take_apart_cards import show_inputs
from bertsent.ui.probe.take_apart_checks import show_check
from bertsent.ui.shared import BY_CONTENT, escape_markdown
from bertsent.ui.shared.links import linked_segments, linked_text

READS, LONGER, SECOND = "reads", "longer_review", "second_text"
WAYS = {
    "padded": "Put beside a longer review",
    "pair": "With a second text",
}
USUAL = {
    LONGER: "Blew my mind how bad it was. What a waste of two hours and of a good cast.",
    SECOND: "I want my money back.",
}
ABOUT = (
    "Texts of one batch have to be equally long, so [PAD] stands behind the shorter ones, and the "
    "attention mask is 0 there: no token looks at padding. Two texts that are read together are "
    "parted by [SEP] and have segments 0 and 1, each with a vector that is added to its tokens."
)


def show_beside(model: LoadedModel, text: str) -> None:
    """Draw the review together with another text, in the way that is chosen."""
    st.markdown("**Beside another text**", help=ABOUT)
    way = linked_segments("How", WAYS, key=READS, label_visibility="collapsed")
    if way == "padded":
        _show_padded(_padded(model, text, _other(LONGER, "The other review of the batch")))
    else:
        second = _other(SECOND, "The second text")
        found = _paired(model, text, second)
        _show_pair(found)
        show_check(check_pair(model, text, second, found.together.inputs))


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_CONTENT)
def _padded(model: LoadedModel, text: str, beside: str) -> PaddedAnswers:
    return padded_answers(model, text, beside)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_CONTENT)
def _paired(model: LoadedModel, text: str, second: str) -> PairAnswers:
    return pair_answers(model, text, second)


def _other(key: str, label: str) -> str:
    """The other text: typed, or one of the built-in reviews."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = linked_text(label, USUAL[key], key=key, longest=LIMITS.review_chars)
        st.button("Surprise me", key=f"{key}_surprise", on_click=_surprise, args=(key,))
    return typed_review(typed, LIMITS.review_chars)


def _surprise(key: str) -> None:
    st.session_state[key] = random.choice(load_reviews("builtin").texts)


def _show_padded(found: PaddedAnswers) -> None:
    said = found.sentence()
    shown = (found.masked.inputs, found.longer)
    for inputs in shown if found.of_review else shown[::-1]:
        show_inputs(inputs, {"id": inputs.ids, "mask": inputs.mask}, alt=said)
    st.caption(escape_markdown(said))
    _show_answers(found.variants if found.padding else found.variants[:1])


def _show_pair(found: PairAnswers) -> None:
    inputs, said = found.together.inputs, found.sentence()
    show_inputs(inputs, {"id": inputs.ids, "segment": inputs.segments}, alt=said)
    st.caption(escape_markdown(said))
    _show_answers(found.variants)


def _show_answers(variants: tuple[InputVariant, ...]) -> None:
    rows = [(*each.logits, each.p_positive) for each in variants]
    table = pd.DataFrame(
        rows,
        index=[each.name for each in variants],
        columns=["z NEGATIVE", "z POSITIVE", "P(positive)"],
    )
    st.table(table.map(written))
    show_check(compare_variants(variants))
