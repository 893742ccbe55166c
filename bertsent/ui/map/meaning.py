"""What an encoder holds similar: reviews and a query, sentences side by side, one word in several
sentences; the vector of one token, and what it would put in the place of [MASK].
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.map_panels import layers_figure, similarity_figure, vector_figure
from bertsent.models.pooling import POOLINGS
from bertsent.probing.fill_mask import MASK, fill_mask, folder_with_language_model_head
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import before_training
from bertsent.settings import LIMITS
from bertsent.space.similarity import (
    cosine_similarities,
    similarity_by_layer,
    similarity_by_layer_sentence,
    similarity_sentence,
    token_vectors,
    tuning_sentence,
    word_vectors,
)
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared import (
    LINKED,
    choose,
    download_menu,
    escape_markdown,
    loaded_model,
    number_columns,
    select,
    show_figure,
    show_help,
)

MOST, BEFORE, AFTER, _BY = 12, "before", "after", "meaning_by"
_USUAL = (
    "A slow film that I loved all the same.\nIt drags, and I adored it.\nIt drags, and I "
    "hated it.\nThe popcorn was too salty."
)
_FIRST = 6  # numbers of a vector that are written out
_BANK = (
    "He sat down on the river bank.\nThe bank of the river was muddy.\nShe opened a bank "
    "account.\nThe bank lent him the money."
)


def show_meaning(name: str, shown: ShownMap) -> None:
    """One of four small experiments with the vectors of the chosen model."""
    experiments = {
        "One word, many sentences": _word,
        "Sentences side by side": _sentences,
        "Vector of a token": _token,
        "Fill in a word": _fill_mask,
    }
    try:
        experiments[choose("Experiment", list(experiments), "meaning")](name, shown)
    except BadInput as error:
        st.caption(escape_markdown(str(error)))
    show_help("map", "meaning")


def _sentences(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        texts = _lines("meaning_sentences", _USUAL)
        pooling = choose(
            "Pooling",
            POOLINGS,
            "meaning_pooling",
            default=shown.map.options.pooling,
            persist_state=None,
        )
        layer = _layer(model.layers)
    with right:
        _matrix(name, texts, "sentences", lambda of: of.embed(texts, pooling=pooling, layer=layer))


def _word(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        word = _text("Word", "meaning_word", "bank", 60)
        texts = _lines("meaning_word_sentences", _BANK)
        layer = _layer(model.layers)
    with right:
        _matrix(name, texts, "word", lambda of: word_vectors(of, texts, word, layer))
        table = similarity_by_layer(loaded_model(_encoder(name)), texts, word)
        show_figure(
            layers_figure(table, word),
            "meaning_layers_chart",
            "bertsent-word-by-layer",
            similarity_by_layer_sentence(table, word, layer),
        )


def _token(name: str, shown: ShownMap) -> None:
    model = loaded_model(name)
    layer, text = _layer(model.layers), _text("Text", "meaning_text", "I love Paris")
    if not text.strip():
        raise BadInput("There is no text.", "Type a few words.")
    pieces, vectors = token_vectors(model, text, layer)
    if st.session_state.get("meaning_token") not in range(len(pieces)):
        st.session_state.pop("meaning_token", None)
    chosen = st.pills(
        "Click a token",
        range(len(pieces)),
        default=min(1, len(pieces) - 1),  # the first word
        required=True,
        key="meaning_token",
        format_func=lambda place: escape_markdown(f"{place} {pieces[place]}"),
    )
    vector = vectors[chosen]
    sentence = (
        f"Token {chosen}, “{pieces[chosen]}”: {len(vector)} numbers, beginning "
        f"{', '.join(f'{v:.3f}' for v in vector[:_FIRST])} …; "
        f"length {np.linalg.norm(vector):.2f}."
    ).replace("-", "−")
    table = pd.DataFrame(vectors, columns=[f"h{i}" for i in range(vectors.shape[1])])
    table.insert(0, "token", pieces)
    show_figure(
        vector_figure(vector),
        "meaning_vector_chart",
        "bertsent-vector",
        sentence,
        tables={"Vectors of all tokens": table},
    )


def _fill_mask(name: str, shown: ShownMap) -> None:
    folder = folder_with_language_model_head(name)
    if folder is None:
        st.caption(
            "Filling in a masked word needs the language-model head that a BERT is pretrained "
            "with. The encoder of this model came without one. Fine-tune a backbone that has one, "
            "such as bert-base-uncased, and choose that run here."
        )
        return
    text = _text(f"A sentence with {MASK}", "meaning_mask", f"The film was {MASK}.")
    with st.spinner("Asking the pretrained model …"):
        found = pd.DataFrame(fill_mask(folder, text), columns=["word", "probability"])
    st.dataframe(found, hide_index=True, column_config=number_columns({"probability": "percent"}))
    best = found.iloc[0]
    st.caption(
        escape_markdown(
            f"As it was pretrained, before any fine-tuning: likeliest is “{best['word']}” "
            f"({100 * best['probability']:.1f} %)."
        )
    )
    download_menu("meaning_mask_csv", None, "bertsent-mask", tables={"Words": found})


def _text(label: str, key: str, usual: str, most: int = LIMITS.review_chars) -> str:
    st.session_state.setdefault(key, usual)
    return st.text_input(label, key=key, max_chars=most, **LINKED) or ""


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
    """A layer, -1 for the last."""
    numbered = {layer: str(layer) for layer in range(layers - 1, 0, -1)}
    return select(
        "Layer", {-1: f"{layers} (last)", **numbered, 0: "0 (input)"}, "meaning_layer", width=140
    )


def _encoder(name: str) -> str:
    """The encoder that was chosen: at first the one before fine-tuning, which knows what words
    mean.
    """
    before = before_training(name)
    if before is None or before == name or st.session_state.get(_BY) == AFTER:
        return name
    return before


def _matrix(
    name: str, texts: list[str], what: str, vectors_of: Callable[[LoadedModel], np.ndarray]
) -> None:
    """Every text against every other under one encoder, and what fine-tuning did to that."""
    before = before_training(name)
    both = before is not None and before != name
    if both:
        choose("Encoder", {BEFORE: "Before fine-tuning", AFTER: "After"}, _BY)
    similarities = cosine_similarities(vectors_of(loaded_model(_encoder(name))))
    sentence = similarity_sentence(similarities, texts)
    if both and before is not None:
        first, last = (cosine_similarities(vectors_of(loaded_model(m))) for m in (before, name))
        sentence += f" {tuning_sentence(first, last)}"
    numbers = [str(n) for n in range(1, len(texts) + 1)]
    table = pd.DataFrame(similarities, columns=numbers).assign(text=texts)
    show_figure(
        similarity_figure(similarities, texts),
        f"meaning_{what}_chart",
        "bertsent-cosines",
        sentence,
        tables={"Cosines": table},
    )
