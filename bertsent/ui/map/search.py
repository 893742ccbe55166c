"""Search by meaning: a few words in, the reviews that are nearest to them out, beside the map.

The untouched encoder searches by default, because it knows topics; fine-tuning keeps what tells
praise from blame and drops much of the rest, which is said with what both find.
"""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.models.pooling import Pooling
from bertsent.probing.registry import before_training
from bertsent.space.embedding import embed_reviews, embeddings_key, is_embedded
from bertsent.space.similarity import search, search_sentence
from bertsent.ui.map.choices import QUERY, clear_query, query
from bertsent.ui.map.map_view import FEW, ShownMap, cache_folder
from bertsent.ui.map.review_table import review_lines
from bertsent.ui.shared import (
    INLINE_TOKENS,
    LINKED,
    JobRequest,
    choose,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
)
from bertsent.ui.shared.jobs import UNASKED_TOKENS

POOLING: Pooling = "mean"  # where the untouched encoder's cosines mean most
PRETRAINED, TUNED = "pretrained", "tuned"
FOUND = 10


@dataclass(frozen=True)
class Found:
    """What a search found, under the untouched encoder, where there is one, and under the model."""

    pretrained: pd.DataFrame | None
    tuned: pd.DataFrame

    @property
    def sentence(self) -> str:
        """What fine-tuning did to it."""
        return "" if self.pretrained is None else search_sentence(self.pretrained, self.tuned)


def choose_query() -> None:
    """Draw the search box."""
    st.text_input(
        "Search",
        key=QUERY,
        max_chars=200,
        placeholder="Search meaning",
        label_visibility="collapsed",
        width=140,
        **LINKED,
    )


def find_reviews(name: str, shown: ShownMap) -> pd.DataFrame | None:
    """Draw what the search found; gives it back, None while it is being looked for."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**“{escape_markdown(query()[:40])}”**")
        st.button("Close", key="search_close", on_click=clear_query, type="tertiary")
    found = _found(name, shown)
    if found is None:
        return None
    rows = found.tuned
    if found.pretrained is not None:
        sides = {PRETRAINED: "Before fine-tuning", TUNED: "After"}
        if choose("Searched by", sides, "search_by", label_visibility="collapsed") == PRETRAINED:
            rows = found.pretrained
        st.caption(escape_markdown(found.sentence))
    review_lines(rows, "found", "cosine")
    download_menu("search_csv", None, "bertsent-search", tables={"Found": rows})
    return rows


def _found(name: str, shown: ShownMap) -> Found | None:
    before, reviews, points = before_training(name), shown.reviews, shown.map.points
    model, options, words = loaded_model(name), shown.map.options, query()
    own = search(
        model,
        shown.map.embeddings.vectors,
        points,
        words,
        pooling=options.pooling,
        layer=options.layer,
        n=FOUND,
    )
    if before is None or before == name:
        return Found(None, own)
    encoder, folder = loaded_model(before), cache_folder()
    known = is_embedded(encoder, reviews, pooling=POOLING, layer=-1, cache=folder)
    vectors = outcome(
        JobRequest(
            f"search-{cache_key(embeddings_key(encoder, reviews, POOLING, -1))}",
            lambda progress: (
                embed_reviews(
                    encoder, reviews, pooling=POOLING, layer=-1, cache=folder, progress=progress
                ).vectors
            ),
            f"Reading {len(reviews):,} reviews with the pretrained encoder",
            "Search",
            INLINE_TOKENS if known or len(reviews) <= FEW else UNASKED_TOKENS,
        )
    )
    if vectors is None:
        return None
    return Found(search(encoder, vectors, points, words, pooling=POOLING, n=FOUND), own)
