"""History: five models in one picture, what the source got wrong, and what BERT's name says."""

from dataclasses import astuple

import pandas as pd
import streamlit as st

from bertsent.figures.before_bert import history_figure
from bertsent.probing.before_bert.history import LANES, MILESTONES, SLIPS, history_sentence
from bertsent.ui.shared import result, show_figure
from bertsent.ui.shared.help_texts import help_text
from bertsent.ui.words.slips import show_slip


def show_history() -> None:
    """Draw the picture, its table, the two slips and three short texts."""
    table = pd.DataFrame(
        [astuple(each) for each in MILESTONES],
        columns=["model", "date", "reads", "network", "learns without labels", "used", "paper"],
    )
    table["reads"] = table["reads"].map(dict(LANES))
    with result("history"):
        show_figure(
            history_figure(),
            "history_chart",
            "bertsent-history",
            history_sentence(),
            tables={"Models": table},
        )
        for number in SLIPS:
            show_slip(number)
    st.dataframe(table, hide_index=True, key="history_table")
    with result("bert_name"):
        for name in ("before_bert_name", "before_bert_steps", "before_bert_heads"):
            st.markdown(help_text("words", name))
