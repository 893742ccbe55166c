"""The three patterns that counting words misses (rows 001-03 and 001-04), answered live: sarcasm,
negation, intensity.
"""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown

PATTERNS = (
    (
        "sarcasm",
        "Great, another boring movie",
        "NEGATIVE",
        "“great” counts as praise wherever it stands",
    ),
    (
        "sarcasm",
        "Great, another boring superhero movie",
        "NEGATIVE",
        "“great” counts as praise wherever it stands",
    ),
    (
        "negation",
        "This is not a bad film",
        "POSITIVE",
        "“not” and “bad” are added up, not read together",
    ),
    (
        "intensity",
        "Absolutely incredible",
        "POSITIVE, strong",
        "a count does not know how strong a word is",
    ),
    (
        "intensity",
        "Somewhat good",
        "POSITIVE, weak",
        "“somewhat” weakens nothing when it is one more count",
    ),
)


def patterns(
    counter: str, count: Callable[[str], float], bert: str, ask: Callable[[str], float]
) -> None:
    """Draw what a word counter and BERT say of the course's five sentences; both functions give
    P(positive).
    """
    table = pattern_table(counter, count, bert, ask)
    with st.expander("Three patterns that counted words miss: sarcasm, negation, intensity"):
        st.dataframe(table, hide_index=True, key="duel_patterns")
        st.caption(escape_markdown(score(table, counter, bert)))
        st.download_button(
            "Patterns as CSV",
            safe_csv(table),
            "bertsent-patterns.csv",
            "text/csv",
            key="duel_patterns_csv",
            on_click="ignore",
        )


def pattern_table(
    counter: str, count: Callable[[str], float], bert: str, ask: Callable[[str], float]
) -> pd.DataFrame:
    """One row a sentence: text, pattern, actual, what both say, and why counting is not enough."""
    rows = [
        (text, pattern, actual, _says(count(text)), _says(ask(text)), why)
        for pattern, text, actual, why in PATTERNS
    ]
    return pd.DataFrame(
        rows,
        columns=[
            "text",
            "pattern",
            "actual",
            f"{counter} says",
            f"{bert} says",
            "why counting is not enough",
        ],
    )


def score(table: pd.DataFrame, counter: str, bert: str) -> str:
    """How many of the sentences each gets right, as they answer now."""
    right = {
        name: sum(
            said.split()[0] == actual.split(",")[0]
            for said, actual in zip(table[f"{name} says"], table["actual"], strict=True)
        )
        for name in (counter, bert)
    }
    return (
        " and ".join(f"{name} is right on {n} of {len(table)}" for name, n in right.items())
        + ". These are live answers, not the slide's."
    )


def _says(p: float) -> str:
    return f"{LABELS[int(p > 0.5)]} {100 * max(p, 1 - p):.1f} %"
