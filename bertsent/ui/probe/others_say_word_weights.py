"""Why a word counter says what it says: the count vector, every weight, and Σ wx + b worked out."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS, Reviews
from bertsent.probing.baselines.bag_of_words import BagOfWords, WordWeights, count_words
from bertsent.probing.baselines.patterns import patterns
from bertsent.probing.baselines.pipelines import BAG_OF_WORDS_PIPELINES
from bertsent.probing.baselines.trainer import TrainedBaseline
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown

_TERMS = 6  # that are written out


def word_weights(
    ready: dict[str, TrainedBaseline],
    learned: Reviews,
    text: str,
    bert: str,
    model,
    ask: Callable[..., float],
) -> None:  # noqa: ANN001
    """Draw the way from words to an answer for one of the linear classifiers, and BERT's way beside
    it.

    Args:
        learned: what the classifiers learned from.
        model: the chosen BERT, a LoadedModel.
        ask: (key, text, answer) to P(positive), remembered.
    """
    names = [name for name in BAG_OF_WORDS_PIPELINES if name in ready]
    if not names:
        st.caption(
            "The weights of the words will be here when one of the word counters is trained."
        )
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
    trained = ready[chosen if chosen in names else names[0]]
    adder: BagOfWords = trained.contestant

    def bert_says(of: str) -> float:
        return ask(model.key, of, lambda texts: model.probabilities(texts)[:, 1])

    counted, found = count_words(text), adder.evidence(text)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _vector(counted, set(found.unknown))
        st.markdown("**2. Weighted and added up**")
        st.code(arithmetic(adder, found), language=None, wrap_lines=True)
        st.caption(
            escape_markdown(_meaning(found, bert, bert_says(text)) + _met(trained, found, learned))
        )
    with right:
        _figure(adder, found)
        st.markdown("**BERT's way**")
        st.caption(escape_markdown(bert_way(model, text, bert_says(text))))
    patterns(adder.name, lambda of: ask(trained.key, of, adder.p_positive), bert, bert_says)
    with st.expander(f"The heaviest words of {adder.name}"):
        st.caption(f"Of {len(adder.words):,} it knows. A positive weight speaks for POSITIVE.")
        st.dataframe(
            adder.heaviest(),
            hide_index=True,
            height=300,
            column_config={"weight": st.column_config.NumberColumn(format="%+.3f")},
        )


def bert_way(model, text: str, p_positive: float) -> str:  # noqa: ANN001
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


def _vector(counted: dict[str, int], unknown: set[str]) -> None:
    st.markdown(
        "**1. The review as numbers**",
        help="Capital letters, marks and words of one letter are dropped: scikit-learn's "
        "CountVectorizer.",
    )
    if not counted:
        st.caption("No word of two letters: every count is 0, and the bias alone decides.")
        return
    shown = list(counted)[:200]
    table = pd.DataFrame([[counted[word] for word in shown]], columns=shown, index=["count"])
    st.dataframe(table, key="duel_counts")
    vector = ", ".join(str(counted[word]) for word in shown[:40]) + (
        ", …" if len(shown) > 40 else ""
    )
    missing = f" It has never met: {', '.join(sorted(unknown)[:12])}." if unknown else ""
    st.caption(
        escape_markdown(
            f"[{vector}], and 0 for every other word it knows. Where the words stood is "
            f"gone.{missing}"
        )
    )


def arithmetic(model: BagOfWords, found: WordWeights) -> str:
    """Σ wx + b with the real numbers, the heaviest words first, and how the score became
    P(positive).
    """
    rows = found.rows.head(_TERMS)
    lines = [f"{r.weight:+.3f} × {r.x:.3g}  {r.word}" for r in rows.itertuples()]
    rest = found.rows["contribution"].iloc[_TERMS:]
    if len(rest):
        lines.append(f"{rest.sum():+.3f}      {len(rest)} more")
    lines += [f"{found.bias:+.3f}      bias b", f"= {found.score:+.3f}  score"]
    sign = "+" if model.offset >= 0 else "-"
    platt = f"{model.slope:.3f} · {found.score:.3f} {sign} {abs(model.offset):.3f}"
    sigmoid = f"σ({platt if (model.slope, model.offset) != (1, 0) else f'{found.score:.3f}'})"
    return "\n".join([*lines, f"P(positive) = {sigmoid} = {100 * found.p_positive:.1f} %"]).replace(
        "-", "−"
    )


def _meaning(found: WordWeights, bert: str, p_bert: float) -> str:
    rows = found.rows
    if not len(rows):
        return "It knows no word of this review."
    top = rows.iloc[0]
    side = "POSITIVE" if top["contribution"] > 0 else "NEGATIVE"
    agrees = "agrees" if (p_bert > 0.5) == (found.p_positive > 0.5) else "says the opposite"
    return (
        f"The heaviest is “{top['word']}”, which speaks for {side} with "
        f"{abs(top['contribution']):.3f}. {bert} {agrees}."
    )


def _met(trained: TrainedBaseline, found: WordWeights, learned: Reviews) -> str:
    """Where the weight of the heaviest word comes from."""
    if not len(found.rows):
        return ""
    word = found.rows["word"].iloc[0]
    count, positive = _occurrences(trained.key, word, trained.contestant, learned)
    return (
        f" It stands in {count:,} of the {len(learned):,} reviews that it learned from, "
        f"{positive:,} of them positive."
    )


@st.cache_data(max_entries=1_000, show_spinner=False)
def _occurrences(key: str, word: str, _model: BagOfWords, _learned: Reviews) -> tuple[int, int]:
    return _model.occurrences(word, _learned)


def _figure(model: BagOfWords, found: WordWeights) -> None:
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
        lambda: evidence_csv(model, found),
        "bertsent-word-weights.csv",
        "text/csv",
        key="duel_words_csv",
        on_click="ignore",
    )


def evidence_csv(model: BagOfWords, found: WordWeights) -> bytes:
    """Every word with count, x, weight and contribution, then the bias and the score."""
    ends = pd.DataFrame({"word": ["(bias)", "(score)"], "contribution": [found.bias, found.score]})
    return safe_csv(pd.concat([found.rows, ends], ignore_index=True).assign(method=model.name))
