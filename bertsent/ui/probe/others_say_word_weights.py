"""Why a bag-of-words classifier says what it says: the count vector, every weight, and Σ wx + b
worked out.
"""

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS, Reviews
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.bag_of_words import (
    BagOfWords,
    WordWeights,
    arithmetic,
    count_words,
    heaviest_word_sentence,
)
from bertsent.probing.baselines.course_tables import pattern_sentence, pattern_table
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.others_say_training import ClassifierGroup, answer_of
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown


def word_weights(group: ClassifierGroup, text: str) -> None:
    """Draw the way from words to an answer for one of the linear classifiers, and BERT's way beside
    it.
    """
    names = [name for name in BAGS_OF_WORDS if name in group.baselines]
    if not names:
        st.caption("The weights appear here once one of the bag-of-words classifiers is trained.")
        return
    chosen = st.segmented_control(
        "Of",
        names,
        default=names[0],
        required=True,
        key="duel_words",
        bind="query-params",
        persist_state="session",
    )
    classifier = group.baselines[chosen if chosen in names else names[0]]
    model = classifier.baseline
    assert isinstance(model, BagOfWords)
    found, p_bert = model.word_weights(text), answer_of(group.bert, text)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _count_vector(text, found)
        st.markdown("**2. Weighted and added up**")
        st.code(arithmetic(model, found), language=None, wrap_lines=True)
        reviews = group.setup.trainer.reviews
        word = found.rows["word"].iloc[0] if len(found.rows) else ""
        counted = _occurrences(classifier.key, word, model, reviews) if word else (0, 0)
        st.caption(
            escape_markdown(
                heaviest_word_sentence(found, counted, len(reviews), group.bert.name, p_bert)
            )
        )
    with right:
        _figure(classifier.name, found)
        st.markdown("**BERT's way**")
        st.caption(escape_markdown(bert_way(group.model, text, p_bert)))
    _patterns(group, classifier)
    with st.expander(f"The heaviest words of {classifier.name}"):
        st.caption(f"Of {len(model.words):,} it knows. A positive weight pushes towards POSITIVE.")
        st.dataframe(
            model.heaviest(),
            hide_index=True,
            height=300,
            column_config={"weight": st.column_config.NumberColumn(format="%+.3f")},
        )


def bert_way(model: LoadedModel, text: str, p_positive: float) -> str:
    """From the sentence to BERT's label, in the steps of row 001-06, with this model's own
    numbers.
    """
    pieces = model.tokens(text).pieces
    shown = " ".join(pieces[:16]) + (" …" if len(pieces) > 16 else "")
    label = LABELS[int(p_positive > 0.5)]
    return (
        f"{len(pieces)} tokens: {shown} → {model.layers} layers of {model.heads} heads, each token "
        "looking at all others in both directions"
        f" → one vector of {model.width} numbers ({model.pooling}) → {label} "
        f"{100 * max(p_positive, 1 - p_positive):.1f} %."
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
    shown = list(counted)[:200]
    table = pd.DataFrame([[counted[word] for word in shown]], columns=shown, index=["count"])
    st.dataframe(table, key="duel_counts")
    vector = ", ".join(str(counted[word]) for word in shown[:40])
    more = ", …" if len(shown) > 40 else ""
    unknown = ", ".join(sorted(set(found.unknown))[:12])
    missing = f" Not in its vocabulary: {unknown}." if unknown else ""
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
) -> tuple[int, int]:
    return _model.occurrences(word, _reviews)


def _figure(name: str, found: WordWeights) -> None:
    from bertsent.figures.baseline_charts import word_weight_bars

    figure = word_weight_bars(found.rows, found.bias, found.score)
    st.plotly_chart(
        figure,
        key="duel_evidence",
        config=UNSEEN_BAR,
        alt=f"Contributions of {len(found.rows)} words and the bias, summing to {found.score:+.3f}",
    )
    download_menu("duel_evidence", figure, "bertsent-word-weights")
    st.download_button(
        "Contributions as CSV",
        lambda: safe_csv(found.table.assign(method=name)),
        "bertsent-word-weights.csv",
        "text/csv",
        key="duel_words_csv",
        on_click="ignore",
    )


def _patterns(group: ClassifierGroup, classifier: Classifier) -> None:
    """What a bag of words and BERT say of the course's five sentences."""
    bert, name = group.bert.name, classifier.name
    table = pattern_table(
        name,
        lambda text: answer_of(classifier, text),
        bert,
        lambda text: answer_of(group.bert, text),
    )
    with st.expander("Three patterns that counting words misses: sarcasm, negation, intensity"):
        st.dataframe(table, hide_index=True, key="duel_patterns")
        st.caption(escape_markdown(pattern_sentence(table, name, bert)))
        st.download_button(
            "Patterns as CSV",
            safe_csv(table),
            "bertsent-patterns.csv",
            "text/csv",
            key="duel_patterns_csv",
            on_click="ignore",
        )
