"""What the encoder holds alike, with or without fine-tuning: search among the reviews, sentences
side by side, one word in many.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput
from bertsent.figures.similarities import layers_figure, similarity_figure
from bertsent.models.pooling import POOLINGS
from bertsent.settings import LIMITS
from bertsent.space.similarity import cosine_similarities, search, similarity_by_layer, word_vectors
from bertsent.ui.map.map_view import ShownMap, open_review
from bertsent.ui.map.meaning_fill_mask import show_filling
from bertsent.ui.map.meaning_token import show_tokens
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

_SEARCH, _SENTENCES, _WORD = (
    "Search the reviews",
    "Sentences side by side",
    "One word, many sentences",
)
_TOKEN, _FILLING = "Vector of a token", "Fill in a word"
FOUND, MOST = "meaning_found", 12
_USUAL = (
    "A slow film that I loved all the same.\nIt drags, and I adored it.\nIt drags, and I "
    "hated it.\nThe popcorn was too salty."
)
_BANK = (
    "He sat down on the river bank.\nThe bank of the river was muddy.\nShe opened a bank "
    "account.\nThe bank lent him the money."
)
_HOW = """
- **Cosine similarity**: the dot product of two vectors over the product of their lengths; 1 is the same direction.
- **Vectors**: sentences as the map's are pooled; a word by the mean of its pieces' hidden states at the chosen layer. Layer 0 is the sum of
  word, position and segment vectors: there one word differs from itself only by where it stands.
- **Search** ranks all reviews of the map by the cosine between their vectors and the query's.
- **Layer by layer**: the mean cosine of the word with itself over all pairs of sentences, beside the mean over all other pairs of words.
  Vectors of an encoder lie in a narrow cone (Ethayarajh 2019), so a cosine says something beside that yardstick only.
- **Fill in a word**: the softmax of the language-model head that came with the pretrained encoder (Devlin et al. 2019), where it did.
"""


def show_meaning(name: str, shown: ShownMap) -> None:
    """One of five small experiments with the vectors of the chosen model."""
    parts = [_SEARCH, _SENTENCES, _WORD, _TOKEN, _FILLING]
    part = st.segmented_control(
        "Experiment",
        parts,
        default=_SEARCH,
        required=True,
        key="meaning",
        bind="query-params",
        persist_state="session",
    )
    try:
        {_SENTENCES: _sentences, _WORD: _words, _TOKEN: _token, _FILLING: _filling}.get(
            part, _found
        )(name, shown)
    except BadInput as error:
        st.caption(escape_markdown(str(error)))
    with st.expander("How is this computed?", key="meaning_how"):
        st.markdown(_HOW)


def _found(name: str, shown: ShownMap) -> None:
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
    rows = search(loaded_model(name), shown.atlas, query)
    table = pd.DataFrame(
        {
            "cosine": rows["cosine"],
            "truth": rows["label"],
            "review": [shorten(text, 160) for text in rows["text"]],
        }
    )
    st.session_state["meaning_ids"] = rows["id"].tolist()
    st.dataframe(
        table,
        hide_index=True,
        key=FOUND,
        on_select=_picked,
        selection_mode="single-row",
        column_config={
            "cosine": st.column_config.NumberColumn(format="%.3f", width="small"),
            "truth": st.column_config.TextColumn(width="small"),
        },
    )
    said = f"The {len(rows)} of {len(shown.reviews):,} reviews nearest to it under {shown.learner}."
    st.caption(escape_markdown(f"{said} Choose a row to read it beside the map."))
    st.download_button(
        "Found as CSV",
        lambda: safe_csv(rows),
        "bertsent-search.csv",
        "text/csv",
        key="meaning_csv",
        on_click="ignore",
    )


def _picked() -> None:
    rows, ids = st.session_state[FOUND].selection.rows, st.session_state.get("meaning_ids", [])
    if rows and rows[0] < len(ids):
        open_review(ids[rows[0]])


def _sentences(name: str, shown: ShownMap) -> None:
    left, right = st.columns([2, 3], gap="medium")
    with left:
        texts = _lines("meaning_sentences", _USUAL)
        pooling = st.segmented_control(
            "Pooling",
            list(POOLINGS),
            default=shown.atlas.options.pooling,
            required=True,
            key="meaning_pooling",
            bind="query-params",
        )
        layer = _layer(loaded_model(name).layers)
    vectors = loaded_model(name).embed(texts, pooling=pooling, layer=layer)
    with right:
        _matrix(cosine_similarities(vectors), texts, "sentences")


def _words(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.session_state.setdefault("meaning_word", "bank")
        word = st.text_input(
            "Word", key="meaning_word", bind="query-params", persist_state="session", max_chars=60
        )
        texts = _lines("meaning_word_sentences", _BANK)
        layer = _layer(model.layers)
    alike = cosine_similarities(word_vectors(model, texts, word or "", layer))
    with right:
        _matrix(alike, texts, "word")
        table = similarity_by_layer(model, texts, word or "")
        first, here = table.iloc[0], table.iloc[layer]
        said = (
            f"At the input “{word}” is {first['same']:.2f} like itself on average, at this layer "
            f"{here['same']:.2f}: context made the rest."
            f" Any two other words are {here['others']:.2f} alike there."
        )
        figure = layers_figure(table, word or "")
        st.plotly_chart(figure, key="meaning_layers_chart", config=UNSEEN_BAR, alt=said)
        st.caption(escape_markdown(said))
        download_menu("meaning_layers_chart", figure, "bertsent-word-by-layer")


def _token(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    show_tokens(model, _layer(model.layers))


def _filling(name: str, shown: ShownMap) -> None:
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


def _matrix(alike: np.ndarray, texts: list[str], what: str) -> None:
    off = np.where(np.eye(len(texts), dtype=bool), -2, alike)
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    said = f"Most alike: “{shorten(texts[i], 50)}” and “{shorten(texts[j], 50)}” ({off[i, j]:.2f})."
    figure, chart = similarity_figure(alike, texts), f"meaning_{what}_chart"
    st.plotly_chart(figure, key=chart, config=UNSEEN_BAR, alt=said)
    st.caption(escape_markdown(said))
    download_menu(chart, figure, "bertsent-cosines")
    table = pd.DataFrame(alike, columns=[str(n) for n in range(1, len(texts) + 1)]).assign(
        text=texts
    )
    st.download_button(
        "Cosines as CSV",
        lambda: safe_csv(table),
        "bertsent-cosines.csv",
        "text/csv",
        key=f"meaning_{what}_csv",
        on_click="ignore",
    )
