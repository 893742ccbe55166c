"""WordPiece on one word: every trial until its pieces are found."""

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.figures.word_piece_trials import trial_blocks
from bertsent.text.trace_sentences import split_sentence
from bertsent.text.word_pieces import SplitWord, TextTrace, WordPieceRules
from bertsent.ui.shared import download_menu, escape_markdown, linked_name
from bertsent.ui.shared.links import set_in_link

WORD, BOX = "split_word", "split_word-box"
LONGEST = 200  # characters of a word that somebody types
EXAMPLE = "unhappiness"  # where no word of the review is split
ABOUT = (
    "A word of the review, or any that you type. The longest stretch from its beginning that is in "
    "the vocabulary becomes the first piece, then the longest from there on; what continues a word "
    "is spelled with a prefix."
)


def choose_word(rules: WordPieceRules, trace: TextTrace) -> SplitWord:
    """The word that is taken apart: chosen or typed, at first the one with most pieces."""
    st.markdown("**WordPiece: the longest match first**", help=ABOUT)
    words = {split.word: split for split in trace.splits}
    usual = max(words.values(), key=_length, default=rules.split(EXAMPLE))
    if len(usual.pieces) == 1:
        usual = rules.split(EXAMPLE)
    typed = rules.trace(linked_name(WORD)[:LONGEST]).splits
    chosen = typed[0] if typed else usual
    words = {**words, usual.word: usual, chosen.word: chosen}
    st.session_state[BOX] = chosen.word
    st.selectbox(
        "Word",
        list(words),
        format_func=lambda word: _label(words[word]) if word in words else word,
        key=BOX,
        accept_new_options=True,
        on_change=_keep,
        help=ABOUT,
        width=340,
    )
    set_in_link(WORD, None if chosen.word == usual.word else chosen.word)
    return chosen


def show_word(rules: WordPieceRules, split: SplitWord) -> None:
    """Draw the trials of a word."""
    said = split_sentence(split, rules)
    if split.trials:
        st.html(trial_blocks(split, alt=said))
    st.caption(escape_markdown(said))
    trials = pd.DataFrame(split.trials, columns=["from letter", "to letter", "tried", "id"])
    trials["from letter"] += 1
    download_menu("text_trials", None, "trials", tables={"Trials": trials.astype({"id": "Int64"})})


def _length(split: SplitWord) -> tuple[int, int]:
    return len(split.pieces), len(split.trials)


def _label(split: SplitWord) -> str:
    count = "1 piece" if len(split.pieces) == 1 else f"{len(split.pieces)} pieces"
    return f"{shorten(split.word, 30)} · {count if split.stuck is None else split.pieces[0]}"


def _keep() -> None:
    st.session_state[WORD] = st.session_state[BOX] or ""
