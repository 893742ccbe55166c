"""From letters to ids: each word of a review as it was typed, as it is read, and its tokens."""

import unicodedata
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from bertsent.figures.token_cards import Marked, TokenCard, WordCard, token_cards
from bertsent.probing.forward_pass.token_check import check_tokens
from bertsent.probing.loaded_model import LoadedModel
from bertsent.text.normalising import DROPPED, Letter
from bertsent.text.trace_sentences import trace_sentence
from bertsent.text.word_pieces import TextTrace
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.shared import download_menu, escape_markdown, linked_choice

STRETCH = 40  # words that are drawn at a time
NAMES = ("typed", "read as", "piece", "id", "position")
TOKENS = (
    "Word pieces of the model's vocabulary with their numbers in it. [CLS] begins every review, "
    "[SEP] ends it, ## continues a word, [UNK] is unknown."
)
_DOTTED = "\N{DOTTED CIRCLE}"  # carries an accent that stands alone


def show_letters(model: LoadedModel, trace: TextTrace) -> None:
    """Draw the words of the review with their tokens."""
    tokens = model.tokens(trace.text)
    check = check_tokens(model.tokenizer, trace, model.max_length)
    words = _word_cards(model, trace)
    st.markdown("**From letters to ids**", help=TOKENS)
    said = trace_sentence(trace, len(tokens))
    st.html(token_cards(NAMES, _stretch(words), alt=said))
    st.caption(escape_markdown(said))
    with st.container(horizontal=True, vertical_alignment="center"):
        show_check(check.all, check.reason)
        download_menu(
            "text_tokens",
            None,
            "tokens",
            tables={
                "Tokens": pd.DataFrame(
                    {
                        "position": range(len(tokens)),
                        "token": tokens.pieces,
                        "id": tokens.ids,
                        "word": tokens.words,
                    }
                )
            },
        )


def _word_cards(model: LoadedModel, trace: TextTrace) -> list[WordCard]:
    """[CLS], the words as far as the model reads them, [SEP]."""
    tokens, rules = model.tokens(trace.text), model.tokenizer.rules
    last = len(tokens) - 1
    cards, place = [_marker(tokens.pieces[0], tokens.ids[0], 0)], 1
    for word, split in zip(trace.words, trace.splits, strict=True):
        read = [
            TokenCard(piece, (str(number), str(at)), "unknown" if piece == rules.unknown else "")
            for at, (piece, number) in enumerate(
                zip(split.pieces, split.ids, strict=True), start=place
            )
            if at < last
        ]
        if not read:
            break
        typed = _typed(trace.letters[word.start : word.end])
        cards.append(WordCard(tuple(read), (typed, ((word.text, ""),))))
        place += len(split.pieces)
    return [*cards, _marker(tokens.pieces[last], tokens.ids[last], last)]


def _marker(piece: str, number: int, place: int) -> WordCard:
    empty: Marked = (("", ""),)
    return WordCard((TokenCard(piece, (str(number), str(place)), "marker"),), (empty, empty))


def _typed(letters: Sequence[Letter]) -> Marked:
    """The letters as typed, those that became something else marked with what was done."""
    return tuple((_seen(each), ", ".join(each.rules) * each.changed) for each in letters)


def _seen(letter: Letter) -> str:
    if DROPPED in letter.rules:
        return f"U+{ord(letter.sign):04X}"
    return f"{_DOTTED}{letter.sign}" if unicodedata.combining(letter.sign) else letter.sign


def _stretch(cards: Sequence[WordCard]) -> Sequence[WordCard]:
    """The words of the chosen stretch, [CLS] before the first of all and [SEP] behind the last."""
    first, *words, last = cards
    starts = range(0, len(words), STRETCH)
    if len(starts) <= 1:
        return cards
    names = {
        str(start): f"Words {start + 1} to {min(start + STRETCH, len(words))} of {len(words)}"
        for start in starts
    }
    start = int(linked_choice("Stretch", names, key="text_stretch", width=260))
    shown = words[start : start + STRETCH]
    return [*[first][start:], *shown, *([last] if start == starts[-1] else [])]
