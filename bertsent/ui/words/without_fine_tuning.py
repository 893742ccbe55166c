"""Without fine-tuning: what the vectors of an encoder, and its guesses, are good for before
anything is trained on labels: similarity, features, clusters, word prediction.
"""

import streamlit as st

from bertsent.errors import BadInput
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.ui.shared import choose, escape_markdown, loaded_model, result, show_help
from bertsent.ui.shared.model_picker import choose_model, chosen_model
from bertsent.ui.shared.tabs import remember_parts
from bertsent.ui.words.cosines import show_cosines
from bertsent.ui.words.encoder import (
    ChosenEncoder,
    choose_encoder,
    choose_layer,
    controls_row,
    typed_sentences,
)
from bertsent.ui.words.without_clusters import show_clusters
from bertsent.ui.words.without_features import show_features
from bertsent.ui.words.without_words import show_word_prediction

PART = "without_part"
SIMILARITY, FEATURES, CLUSTERS, PREDICTION = (
    "Similarity",
    "Features",
    "Clusters",
    "Word prediction",
)
PARTS = (SIMILARITY, FEATURES, CLUSTERS, PREDICTION)
_USUAL = (
    "A slow film that I loved all the same.\nIt drags, and I adored it.\nIt drags, and I "
    "hated it.\nThe popcorn was too salty."
)


def show_without_fine_tuning() -> None:
    """One of four uses."""
    with controls_row():
        part = choose("Use", PARTS, PART, label_visibility="collapsed", width="content")
        remember_parts(PART, PARTS)
        if part == SIMILARITY:
            encoder = choose_encoder()
            layer = choose_layer(loaded_model(encoder.name).layers)
            pooling = choose(
                "Pooling",
                POOLINGS,
                "words_pooling",
                default="mean",
                label_visibility="collapsed",
                width="content",
            )
        else:
            choose_model(needs_sentiment=True)
    if part == SIMILARITY:
        _show_sentences(encoder, layer, pooling)
        return
    shows = {FEATURES: show_features, CLUSTERS: show_clusters, PREDICTION: show_word_prediction}
    shows[part](chosen_model())


def _show_sentences(encoder: ChosenEncoder, layer: int, pooling: Pooling) -> None:
    left, right = st.columns([2, 3], gap="medium")
    try:
        with left:
            texts = typed_sentences("sentences", _USUAL)
        with right, result("sentences"):
            show_cosines(
                encoder,
                texts,
                "sentence",
                lambda of: of.embed(texts, pooling=pooling, layer=layer),
            )
    except BadInput as error:
        right.info(escape_markdown(str(error)))
    show_help("words", "without_fine_tuning")
