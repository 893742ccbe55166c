"""Same word, other sentences: one word, its vector in each of several sentences, and whether these
tell its meanings apart, layer by layer.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.similarity import layers_figure
from bertsent.figures.vector_strips import Strip, vector_strips
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS
from bertsent.space.similarity import word_vectors
from bertsent.space.word_meanings import (
    PRESETS,
    ClearestLayer,
    Sentences,
    check_word,
    clearest_layer,
    meanings_by_layer,
    meanings_sentence,
    read_sentences,
    repeated_sentence,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    escape_markdown,
    loaded_model,
    result,
    select,
    show_figure,
    show_help,
)
from bertsent.ui.shared.links import linked_text
from bertsent.ui.words.cosines import show_cosines
from bertsent.ui.words.encoder import ChosenEncoder, choose_encoder, controls_row

WORD, SENTENCES, LAYER, EXAMPLES = "word", "word_sentences", "word_layer", "word_examples"
CLEAREST = -2
_LONGEST = 60


def show_same_word() -> None:
    """A word and sentences on the left, the cosines of its vectors on the right."""
    with controls_row():
        encoder = choose_encoder()
        model = loaded_model(encoder.name)
        clearest = _clearest(model)
        layer = _choose_layer(model.layers, clearest)
        st.menu_button("Examples", list(PRESETS), key=EXAMPLES, on_click=_take, type="tertiary")
    left, right = st.columns([2, 3], gap="medium")
    try:
        with left:
            word = linked_text("Word", "bank", key=WORD, longest=_LONGEST).strip()
            typed = linked_text(
                "Sentences, one a line; an empty line before another meaning",
                PRESETS["bank"],
                key=SENTENCES,
                longest=LIMITS.review_chars,
                lines=6,
            )
            st.caption(escape_markdown(clearest.sentence()))
        sentences = read_sentences(typed)
        check_word(sentences.texts, word)
        with right, result("same_word"):
            _draw(encoder, sentences, word, layer)
        with result("same_word_vectors"):
            _draw_vectors(model, sentences, word, layer)
    except BadInput as error:
        right.info(escape_markdown(str(error)))
    show_help("words", "same_word")


@st.cache_data(
    max_entries=32,
    show_spinner="Measuring the layers …",
    hash_funcs=BY_CONTENT,
)
def _clearest(model: LoadedModel) -> ClearestLayer:
    return clearest_layer(model)


def _choose_layer(layers: int, clearest: ClearestLayer) -> int:
    """A layer from 0, the input, to the last; at first the one that was measured to be the
    clearest.
    """
    numbered = {layer: f"layer {layer}" for layer in range(layers - 1, 0, -1)}
    named = {
        CLEAREST: "clearest layer",
        layers: f"layer {layers} (last)",
        **numbered,
        0: "layer 0 (input)",
    }
    chosen = select("Layer", named, LAYER, label_visibility="collapsed", width=150)
    return clearest.layer if chosen == CLEAREST else chosen


def _take() -> None:
    chosen = st.session_state[EXAMPLES]
    st.session_state[WORD], st.session_state[SENTENCES] = chosen, PRESETS[chosen]


def _draw(encoder: ChosenEncoder, sentences: Sentences, word: str, layer: int) -> None:
    texts = list(sentences.texts)
    table = meanings_by_layer(loaded_model(encoder.name), sentences, word)
    finding = f"Layer {layer}: {meanings_sentence(table, word, layer)}"
    st.markdown(f"**{escape_markdown(finding)}**")
    if twice := repeated_sentence(texts, word):
        st.caption(escape_markdown(twice))
    show_cosines(encoder, texts, "word", lambda of: word_vectors(of, texts, word, layer))
    show_figure(
        layers_figure(table, word),
        "word_layers_chart",
        "bertsent-word-by-layer",
        finding,
        caption="",
        tables={"Cosines by layer": table},
    )


def _draw_vectors(model: LoadedModel, sentences: Sentences, word: str, layer: int) -> None:
    """The vectors themselves, a strip a sentence."""
    vectors = word_vectors(model, sentences.texts, word, layer)
    strips = [
        Strip(f"sentence {number}", vector, group="word")
        for number, vector in enumerate(vectors, start=1)
    ]
    apart = vectors.std(axis=0)
    most = int(apart.argmax())
    numbers = ", ".join(f"{value:.2f}" for value in vectors[:, most]).replace("-", "\u2212")
    table = pd.DataFrame(vectors, columns=[f"h{i}" for i in range(vectors.shape[1])])
    table.insert(0, "sentence", list(sentences.texts))
    same = np.allclose(vectors, vectors[0], atol=1e-6)
    show_figure(
        vector_strips(strips, columns=True),
        "word_vectors_chart",
        "bertsent-word-vectors",
        f"At layer {layer} all sentences give the word the same vector."
        if same
        else f"The vectors differ most in number {most + 1} of {vectors.shape[1]}: {numbers}.",
        tables={"Vectors": table},
    )
