"""Reading order: which words the vector of a word knows in each kind of network."""

import pandas as pd
import streamlit as st

from bertsent.figures.before_bert import reading_orders
from bertsent.probing.before_bert.reading_order import ORDERS, orders_sentence
from bertsent.ui.shared import result, show_figure, show_help

WORDS = ("the", "film", "was", "not", "bad")


def show_order() -> None:
    """Draw one square for each kind of network, and a table."""
    table = pd.DataFrame(
        [(o.name, o.models, o.steps, o.reads) for o in ORDERS],
        columns=[
            "network",
            "for example",
            "steps one after the other",
            "what a word's vector knows",
        ],
    )
    with result("orders"):
        show_figure(
            reading_orders(WORDS),
            "orders_chart",
            "bertsent-reading-orders",
            orders_sentence(len(WORDS)),
            tables={"Orders": table},
        )
        st.dataframe(table, hide_index=True, key="orders_table")
    show_help("words", "before_bert_order")
