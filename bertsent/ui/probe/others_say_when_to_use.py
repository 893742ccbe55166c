"""When to use which (row 001-17), with what was measured here where the slide had none."""

import pandas as pd
import streamlit as st

from bertsent.probing.baselines.pipelines import BAG_OF_WORDS_PIPELINES
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown

BERT_WHEN = (
    "Context is critical (sarcasm, negation)",
    "You have thousands of labelled examples",
    "Accuracy matters more than speed",
    "GPU resources available",
    "Complex language understanding needed",
)
TRADITIONAL_WHEN = (
    "Simple patterns suffice (keyword matching)",
    "Limited data (hundreds of examples)",
    "Need millisecond response times",
    "CPU-only deployment",
    "Interpretability critical",
)


def when_to_use(milliseconds: dict[str, float], bert: str) -> None:
    """Draw the table of five by two and the four trade-offs with the milliseconds of this
    review.
    """
    table = pd.DataFrame(
        {"Use BERT when …": BERT_WHEN, "Use BOW or TF-IDF when …": TRADITIONAL_WHEN}
    )
    st.table(table.map(escape_markdown).set_index("Use BERT when …"))
    st.markdown("**Four trade-offs**")
    trade_offs = tradeoffs(milliseconds, bert)
    st.table(trade_offs.map(escape_markdown).set_index("trade-off"))
    st.caption(
        escape_markdown(
            "The table is the course's; its word for BERT's speed was seconds. The milliseconds "
            "are of the review above, on this machine."
        )
    )
    st.download_button(
        "Trade-offs as CSV",
        safe_csv(trade_offs),
        "bertsent-trade-offs.csv",
        "text/csv",
        key="duel_when_csv",
        on_click="ignore",
    )


def tradeoffs(milliseconds: dict[str, float], bert: str) -> pd.DataFrame:
    """Speed, data, accuracy and interpretability: what the course says, and what this lab
    measured.
    """
    linear = [
        f"{name} {milliseconds[name]:.1f} ms"
        for name in BAG_OF_WORDS_PIPELINES
        if name in milliseconds
    ]
    fastest = min(
        (milliseconds[name] for name in BAG_OF_WORDS_PIPELINES if name in milliseconds), default=0.0
    )
    times = f", {milliseconds[bert] / fastest:.0f} times the faster one" if fastest else ""
    speed = (
        f"{bert} {milliseconds[bert]:.1f} ms{times}; "
        f"{', '.join(linear) or 'the word counters are not trained yet'}"
    )
    rows = [
        ("Speed", "BERT in seconds, traditional in milliseconds", speed),
        (
            "Data",
            "BERT needs thousands of examples, traditional works with hundreds",
            "Fine-tune on fewer reviews and compare the runs",
        ),
        (
            "Accuracy",
            "BERT achieves substantially higher performance",
            "See Comparison, phenomenon by phenomenon",
        ),
        (
            "Interpretability",
            "Traditional is transparent, BERT requires attention analysis",
            "See Word weights, and the other views of Probe",
        ),
    ]
    return pd.DataFrame(rows, columns=["trade-off", "the course says", "measured or seen here"])
