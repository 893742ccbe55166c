"""What an encoder holds similar: reviews and a query, sentences side by side, one word in several
sentences, and the vector of one token.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.map_panels import layers_figure, similarity_figure
from bertsent.models.pooling import POOLINGS
from bertsent.settings import LIMITS
from bertsent.space.similarity import (
    cosine_similarities,
    search,
    similarity_by_layer,
    similarity_by_layer_sentence,
    similarity_sentence,
    word_vectors,
)
from bertsent.ui.map.map_settings import choose
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.meaning_fill_mask import show_filling
from bertsent.ui.map.meaning_token import show_tokens
from bertsent.ui.map.review_table import review_table
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.model_picker import loaded_model

FOUND, MOST = "meaning_found", 12
_USUAL = (
    "A slow film that I loved all the same.\nIt drags, and I adored it.\nIt drags, and I "
    "hated it.\nThe popcorn was too salty."
)
_BANK = (
    "He sat down on the river bank.\nThe bank of the river was muddy.\nShe opened a bank "
    "account.\nThe bank lent him the money."
)


def show_meaning(name: str, shown: ShownMap) -> None:
    """One of five small experiments with the vectors of the chosen model."""
    experiments = {
        "Search the reviews": _search,
        "Sentences side by side": _sentences,
        "One word, many sentences": _word,
        "Vector of a token": _token,
        "Fill in a word": _fill_mask,
    }
    chosen = choose("Experiment", {label: label for label in experiments}, "meaning")
    try:
        experiments[chosen](name, shown)
    except BadInput as error:
        st.caption(escape_markdown(str(error)))
    show_help("map", "meaning")


def _search(name: str, shown: ShownMap) -> None:
    st.session_state.setdefault("meaning_query", "the ending made me cry")
    query = st.text_input(
        "Look for",
        key="meaning_query",
        bind="query-params",
        persist_state="session",
        max_chars=LIMITS.review_chars,
    )
    if not (query or "").strip():
        raise BadInput("There is nothing to look for.", "Type a few words.")
    rows = search(loaded_model(name), shown.map, query)
    review_table(rows, FOUND, 160)
    sentence = (
        f"The {len(rows)} of {len(shown.reviews):,} reviews nearest to it under {shown.model}. "
        "Choose a row to read it beside the map."
    )
    st.caption(escape_markdown(sentence))
    download_menu("meaning_csv", None, "bertsent-search", tables={"Found": rows})


def _sentences(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        texts = _lines("meaning_sentences", _USUAL)
        pooling = st.segmented_control(
            "Pooling",
            list(POOLINGS),
            default=shown.map.options.pooling,
            required=True,
            key="meaning_pooling",
            bind="query-params",
        )
        layer = _layer(model.layers)
    vectors = model.embed(texts, pooling=pooling, layer=layer)
    with right:
        _matrix(cosine_similarities(vectors), texts, "sentences")


def _word(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.session_state.setdefault("meaning_word", "bank")
        word = st.text_input(
            "Word", key="meaning_word", bind="query-params", persist_state="session", max_chars=60
        )
        texts, word = _lines("meaning_word_sentences", _BANK), word or ""
        layer = _layer(model.layers)
    similarities = cosine_similarities(word_vectors(model, texts, word, layer))
    with right:
        _matrix(similarities, texts, "word")
        table = similarity_by_layer(model, texts, word)
        sentence = similarity_by_layer_sentence(table, word, layer)
        figure = layers_figure(table, word)
        st.plotly_chart(figure, key="meaning_layers_chart", config=UNSEEN_BAR, alt=sentence)
        st.caption(escape_markdown(sentence))
        download_menu("meaning_layers_chart", figure, "bertsent-word-by-layer")


def _token(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    show_tokens(model, _layer(model.layers))


def _fill_mask(name: str, shown: ShownMap) -> None:
    show_filling(name)


def _lines(key: str, usual: str) -> list[str]:
    st.session_state.setdefault(key, usual)
    written = st.text_area(
        "Sentences, one a line",
        key=key,
        persist_state="session",
        height=170,
        max_chars=LIMITS.review_chars,
    )
    texts = [line.strip() for line in (written or "").splitlines() if line.strip()][:MOST]
    if len(texts) < 2:
        raise BadInput("There is nothing to compare.", "Write at least two sentences.")
    return texts


def _layer(layers: int) -> int:
    last = f"{layers} (last)"
    names = [last, *(str(layer) for layer in range(layers - 1, 0, -1)), "0 (input)"]
    chosen = st.selectbox(
        "Layer", names, key="meaning_layer", bind="query-params", persist_state="session", width=140
    )
    return -1 if chosen == last else int(chosen.split()[0])


def _matrix(similarities: np.ndarray, texts: list[str], what: str) -> None:
    sentence, chart = similarity_sentence(similarities, texts), f"meaning_{what}_chart"
    figure = similarity_figure(similarities, texts)
    st.plotly_chart(figure, key=chart, config=UNSEEN_BAR, alt=sentence)
    st.caption(escape_markdown(sentence))
    numbers = [str(n) for n in range(1, len(texts) + 1)]
    table = pd.DataFrame(similarities, columns=numbers).assign(text=texts)
    download_menu(chart, figure, "bertsent-cosines", tables={"Cosines": table})
