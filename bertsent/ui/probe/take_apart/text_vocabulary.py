"""Where in the vocabulary the pieces of a word stand: the entries before and behind them."""

import pandas as pd
import streamlit as st

from bertsent.figures.token_cards import TokenCard, WordCard, token_cards
from bertsent.text.vocabulary import KINDS, entry_kind, neighbours, vocabulary_counts
from bertsent.text.word_pieces import SplitWord, WordPieceRules
from bertsent.ui.shared import download_menu, escape_markdown

REACH, MOST = 3, 6  # entries on either side, and pieces that are shown
ABOUT = (
    "An id is nothing but a place in a list, and the vocabulary is that list. What stands beside a "
    "piece there says nothing about its meaning: that is learned, in the vector of each id."
)


def show_vocabulary(rules: WordPieceRules, split: SplitWord) -> None:
    """Draw the neighbours by id of each piece of a word."""
    st.markdown("**Where its pieces stand in the vocabulary**", help=ABOUT)
    pieces = dict(zip(split.pieces, split.ids, strict=True))
    for piece, number in list(pieces.items())[:MOST]:
        cards = [
            WordCard((TokenCard(entry, (f"{each}",), "chosen" if each == number else ""),))
            for each, entry in neighbours(rules, number, REACH)
        ]
        st.html(token_cards(("entry", "id"), cards, alt=f"The entries around {piece}"))
    st.caption(escape_markdown(_sentence(rules, split)))
    tables = {"Vocabulary": lambda: _table(rules)}
    download_menu("text_vocabulary", None, "vocabulary", tables=tables)


def _sentence(rules: WordPieceRules, split: SplitWord) -> str:
    piece, number = split.pieces[-1], split.ids[-1]
    counts = vocabulary_counts(rules)
    whole, continuing, _, unused, _ = (f"{counts[kind]:,}" for kind in KINDS)
    return (
        f"“{piece}” is number {number:,} of {len(rules.vocabulary):,}, counted from 0. The list "
        f"has {whole} whole words and beginnings of words, {continuing} pieces that continue a "
        f"word, and {unused} unused places."
    )


def _table(rules: WordPieceRules) -> pd.DataFrame:
    rows = sorted(rules.pieces.items())
    kinds = [entry_kind(rules, piece) for _, piece in rows]
    return pd.DataFrame(rows, columns=["id", "entry"]).assign(kind=kinds)
