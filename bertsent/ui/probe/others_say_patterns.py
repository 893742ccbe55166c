"""Three patterns that counting words misses, sarcasm, negation and intensity: what each classifier
says of the course's sentences, and its reasons.
"""

import pandas as pd
import streamlit as st

from bertsent.probing.answer import plain_answer
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.course_tables import pattern_sentence, pattern_table
from bertsent.ui.shared import BY_CONTENT, downloads_and_help, escape_markdown, result

_MARKS = {True: "✓", False: "✗"}


def patterns(classifiers: list[Classifier], trained_on: str) -> None:
    """Draw one row a sentence and one column a classifier, right or wrong, with its strongest
    words.
    """
    table = pattern_answers(classifiers)
    with result("patterns"):
        st.markdown("**Three patterns that counting words misses**")
        st.table(readable_patterns(table), border="horizontal")
        st.caption(escape_markdown(pattern_sentence(table)))
        downloads_and_help(
            "duel_patterns",
            None,
            f"bertsent-patterns-{trained_on}",
            ("probe", "others_say_patterns"),
            tables={"Patterns": table},
        )


def readable_patterns(table: pd.DataFrame) -> pd.DataFrame:
    """The answers as Markdown: a row a sentence, a column a classifier."""
    cells = table.apply(
        lambda row: (
            f"{_MARKS[row['right']]} {plain_answer(row['p_positive'])}  \n"
            f"*{escape_markdown(row['reasons'])}*"
        ),
        axis=1,
    )
    sentences = "**" + table["pattern"] + "**: " + table["text"] + "  \nis " + table["actual"]
    wide = table.assign(cell=cells, sentence=sentences).pivot(
        index="sentence", columns="classifier", values="cell"
    )
    wide = wide.loc[sentences.unique(), table["classifier"].unique()]
    return wide.rename(columns=escape_markdown).rename_axis(index="", columns=None)


@st.cache_data(max_entries=100, show_spinner=False, hash_funcs=BY_CONTENT)
def pattern_answers(classifiers: list[Classifier]) -> pd.DataFrame:
    """``pattern_table``, remembered for everybody."""
    return pattern_table(classifiers)
