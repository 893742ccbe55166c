"""Why a bag-of-words classifier says what it says: the count vector, every weight, and Σ wx + b
worked out.
"""

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS, Reviews
from bertsent.figures.classification import word_weight_bars
from bertsent.probing.baselines.bag_of_words import (
    BagOfWords,
    WordWeights,
    arithmetic,
    count_words,
    heaviest_word_sentence,
)
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.others_say_training import ClassifierGroup, answer_of
from bertsent.ui.shared import choose, escape_markdown, number_columns, show_figure


def word_weights(group: ClassifierGroup, text: str) -> None:
    """Draw the way from words to an answer for one of the linear classifiers, and BERT's way beside
    it.
    """
    names = [name for name in BAGS_OF_WORDS if name in group.baselines]
    if not names:
        st.caption("The weights appear here once one of the bag-of-words classifiers is trained.")
        return
    classifier = group.baselines[choose("Of", names, "duel_words")]
    model = classifier.baseline
    assert isinstance(model, BagOfWords)
    found, p_bert = model.word_weights(text), answer_of(group.bert, text)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _count_vector(text, found)
        st.markdown("**2. Weighted and added up**")
        st.code(arithmetic(model, found), language=None, wrap_lines=True)
        reviews = group.learned
        word = found.rows["word"].iloc[0] if len(found.rows) else ""
        counted = _occurrences(classifier.key, word, model, reviews) if word and reviews else None
        st.caption(escape_markdown(heaviest_word_sentence(found, counted, group.bert.name, p_bert)))
    with right:
        show_figure(
            word_weight_bars(found.rows, found.bias, found.score),
            "duel_evidence",
            "bertsent-word-weights",
            f"Contributions of {len(found.rows)} words and the bias, summing to {found.score:+.3f}",
            caption="",
            tables={"Contributions": lambda: found.table.assign(method=classifier.name)},
        )
        st.markdown("**BERT's way**")
        st.caption(escape_markdown(bert_way(group.model, text, p_bert)))
    with st.expander(f"The heaviest words of {classifier.name}"):
        st.caption(f"Of {len(model.words):,} it knows. A positive weight pushes towards POSITIVE.")
        st.dataframe(
            model.heaviest(),
            hide_index=True,
            height=300,
            column_config=number_columns({"weight": "%+.3f"}),
        )


def bert_way(model: LoadedModel, text: str, p_positive: float) -> str:
    """From the sentence to BERT's label, in the steps of row 001-06, with this model's own
    numbers.
    """
    pieces = model.tokens(text).pieces
    shown = " ".join(pieces[:16]) + (" …" if len(pieces) > 16 else "")
    return (
        f"{len(pieces)} tokens: {shown} → {model.layers} layers of {model.heads} heads, each token "
        "looking at all others in both directions"
        f" → one vector of {model.width} numbers ({model.pooling}) → "
        f"{LABELS[int(p_positive > 0.5)]} {100 * max(p_positive, 1 - p_positive):.1f} %."
    )


def _count_vector(text: str, found: WordWeights) -> None:
    st.markdown(
        "**1. The review as numbers**",
        help="Letter case, punctuation and words of one letter are dropped: scikit-learn's "
        "CountVectorizer.",
    )
    counted = count_words(text)
    if not counted:
        st.caption("No word of two or more letters: every count is 0, and the bias alone decides.")
        return
    shown, unknown = list(counted)[:200], sorted(set(found.unknown))[:12]
    st.dataframe(
        pd.DataFrame([[counted[word] for word in shown]], columns=shown, index=["count"]),
        key="duel_counts",
    )
    vector = ", ".join(str(counted[word]) for word in shown[:40])
    more = ", …" if len(shown) > 40 else ""
    missing = f" Not in its vocabulary: {', '.join(unknown)}." if unknown else ""
    st.caption(
        escape_markdown(
            f"[{vector}{more}], and 0 for every other word it knows. The order of the words is "
            f"lost.{missing}"
        )
    )


@st.cache_data(max_entries=1_000, show_spinner=False)
def _occurrences(
    key: str,  # noqa: ARG001 - of the classifier
    word: str,
    _model: BagOfWords,
    _reviews: Reviews,
) -> tuple[int, int, int]:
    return (*_model.occurrences(word, _reviews), len(_reviews))
