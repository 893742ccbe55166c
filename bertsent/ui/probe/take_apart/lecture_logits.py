"""The worked examples of [CLS] → logits → probabilities."""

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.figures.before_after_bars import before_after_bars
from bertsent.figures.vector_strips import vector_strips
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.ui.shared import escape_markdown, show_figure
from bertsent.worked_examples.classifier_head import HEAD_ANSWER, HEAD_SIZE, own_head
from bertsent.worked_examples.mini_data_set import CLASSIFIERS, MINI_DATA_SET, answer_words
from bertsent.worked_examples.sentence_vectors import NAMES, SENTENCE_VECTORS
from bertsent.worked_examples.softmax import SOFTMAX
from bertsent.worked_examples.worked_example import Values

STRIP = 56  # pixels, of which a presented name takes most


def _vectors(model: LoadedModel, found: Values) -> None:
    vectors = dict(zip(NAMES[:3], found["vectors"], strict=False))
    show_figure(
        vector_strips(vectors, row=STRIP),
        "sentence_vectors_strips",
        "sentence-vectors",
        f"The vectors {', '.join(vectors)} of the sentence as strips of colour: purple is above "
        "0, orange below.",
        caption="",
        tables={"Vectors": pd.DataFrame(vectors)},
    )


def _own_head(model: LoadedModel, found: Values) -> None:
    st.caption(escape_markdown(f"The head of {model.name}, counted"))
    st.table(own_head(model), border="horizontal")


def _bars(model: LoadedModel, found: Values) -> None:
    negative, positive = found["probabilities"]
    show_figure(
        before_after_bars(float(negative), float(positive)),
        "softmax_bars",
        "before-and-after",
        f"Before fine-tuning 0.5 and 0.5, after it {negative:.2f} for NEGATIVE, the true label, "
        f"and {positive:.2f} for POSITIVE.",
        caption="",
        tables={"Numbers": pd.DataFrame({"label": LABELS, "p": found["probabilities"]})},
    )


def _answers(model: LoadedModel, found: Values) -> None:
    """What each classifier says of each sentence, the known ones first."""
    known = len(found["known"])
    columns = {
        name: [
            f"{answer_words(score, name)} {'✓' if right else '✗'}"
            for score, right in zip(scores, rights, strict=True)
        ]
        for name, scores, rights in zip(
            CLASSIFIERS, found["scores"].T, found["right"].T, strict=True
        )
    }
    place = ["known" if n < known else "new" for n in range(len(found["texts"]))]
    table = pd.DataFrame({"sentence": found["texts"], "": place, **columns})
    st.dataframe(table, hide_index=True, key="mini_data_set_answers", height="content")


LOGITS_CARDS = (
    Card(HEAD_SIZE, _own_head),
    Card(HEAD_ANSWER),
    Card(SOFTMAX, _bars),
    Card(SENTENCE_VECTORS, _vectors),
    Card(MINI_DATA_SET, _answers, wide=True),
)
