"""How words, tokens and trials look, for whoever draws them as HTML, and rows of tokens that are
not too long.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from bertsent.figures.token_cards import Kind, TokenCard, WordCard, token_cards
from bertsent.probing.forward_pass.model_inputs import ModelInputs

SHOWN = 36  # tokens of a row that are drawn; of more, the first and the last
_STYLE = Path(__file__).with_suffix(".css")


def style_cards() -> None:
    """Put the style sheet on the page, once for all cards on it."""
    st.html(_STYLE)


def show_inputs(inputs: ModelInputs, rows: dict[str, Sequence[object]], *, alt: str) -> None:
    """Draw the tokens of one text: below each piece its number in every row, by their names."""
    numbers = zip(*rows.values(), strict=True)
    cards = [
        WordCard((TokenCard(piece, tuple(map(str, below)), _kind(piece, segment)),))
        for piece, segment, below in zip(inputs.pieces, inputs.segments, numbers, strict=True)
    ]
    if len(cards) > SHOWN:
        left_out = (f"{len(cards) - SHOWN} more", *[""] * (len(rows) - 1))
        between = WordCard((TokenCard("…", left_out, "padding"),))
        cards = [*cards[: SHOWN // 2], between, *cards[-SHOWN // 2 :]]
    st.html(token_cards(("piece", *rows), cards, alt=alt))


def _kind(piece: str, segment: int) -> Kind:
    if piece == "[PAD]":
        return "padding"
    if segment:
        return "second"
    return "marker" if piece in ("[CLS]", "[SEP]") else ""
