"""Beside another text: padding and the attention mask in a batch, segments in a pair, and what
either does to the answer.
"""

import random

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import typed_review
from bertsent.data.sources import load_reviews
from bertsent.probing.forward_pass.input_variants import (
    PaddedAnswers,
    PairAnswers,
    compare_variants,
    padded_answers,
    pair_answers,
)
from bertsent.probing.forward_pass.token_check import check_pair
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS
from bertsent.ui.probe.take_apart.cards import show_inputs
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.shared import JobRequest, escape_markdown, outcome, result
from bertsent.ui.shared.links import linked_segments, linked_text
from bertsent.worked_examples.written_numbers import written

READS, LONGER, SECOND = "reads", "longer_review", "second_text"
WAYS = {
    "padded": "Put beside a longer review",
    "pair": "With a second text",
}
USUAL = {
    LONGER: "Blew my mind how bad it was. What a waste of two hours.",
    SECOND: "I want my money back.",
}
COST = 60  # as many tokens are answered while one is worked out in NumPy, three times over
ABOUT = (
    "Texts of one batch have to be equally long, so [PAD] stands behind the shorter ones, and the "
    "attention mask is 0 there: no token looks at padding. Two texts that are read together are "
    "parted by [SEP] and have segments 0 and 1, each with a vector that is added to its tokens."
)


def show_beside(model: LoadedModel, text: str) -> None:
    """Draw the review together with another text, in the way that is chosen, and the answers.

    Raises:
        BertsentError: the other text cannot be asked, or the model is not worked out here.
    """
    with result("text_beside"):
        st.markdown("**Beside another text**", help=ABOUT)
        way = linked_segments("How", WAYS, key=READS, label_visibility="collapsed")
        found = _padded(model, text) if way == "padded" else _paired(model, text)
    if found is not None:
        with result("text_answers"):
            _show_answers(found)


def _padded(model: LoadedModel, text: str) -> PaddedAnswers | None:
    beside = _other(LONGER, "The other review of the batch")
    found: PaddedAnswers | None = outcome(
        JobRequest(
            f"padded-{cache_key(model.key, model.max_length, text, beside)}",
            lambda progress: padded_answers(model, text, beside),
            "Answering with padding",
            "Answer with padding",
            COST * max(len(model.tokens(each)) for each in (text, beside)),
        )
    )
    if found is None:
        return None
    said = found.padding_sentence()
    shown = (found.masked.inputs, found.longer)
    for inputs in shown if found.of_review else shown[::-1]:
        show_inputs(inputs, {"id": inputs.ids, "mask": inputs.mask}, alt=said)
    st.caption(escape_markdown(said))
    return found


def _paired(model: LoadedModel, text: str) -> PairAnswers | None:
    second = _other(SECOND, "The second text")
    found: PairAnswers | None = outcome(
        JobRequest(
            f"pair-of-texts-{cache_key(model.key, model.max_length, text, second)}",
            lambda progress: pair_answers(model, text, second),
            "Answering with a second text",
            "Answer with a second text",
            COST * sum(len(model.tokens(each)) for each in (text, second)),
        )
    )
    if found is None:
        return None
    inputs, said = found.together.inputs, found.segment_sentence()
    show_inputs(inputs, {"id": inputs.ids, "segment": inputs.segments}, alt=said)
    st.caption(escape_markdown(said))
    show_check(check_pair(model, text, second, inputs))
    return found


def _other(key: str, label: str) -> str:
    """The other text: typed, or one of the built-in reviews."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = linked_text(label, USUAL[key], key=key, longest=LIMITS.review_chars)
        st.button("Surprise me", key=f"{key}_surprise", on_click=_surprise, args=(key,))
    return typed_review(typed, LIMITS.review_chars)


def _surprise(key: str) -> None:
    st.session_state[key] = random.choice(load_reviews("builtin").texts)


def _show_answers(found: PaddedAnswers | PairAnswers) -> None:
    variants = found.variants
    rows = [(*each.logits, each.p_positive) for each in variants]
    table = pd.DataFrame(
        rows,
        index=[each.name for each in variants],
        columns=["z NEGATIVE", "z POSITIVE", "P(positive)"],
    )
    st.markdown("**What it does to the answer**")
    st.table(table.map(written))
    st.caption(escape_markdown(found.sentence()))
    show_check(compare_variants(variants))
