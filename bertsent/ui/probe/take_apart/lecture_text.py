"""The worked examples of text → pieces → ids."""

import streamlit as st

from bertsent.figures.token_cards import TokenCard, WordCard, token_cards
from bertsent.figures.word_piece_trials import trial_blocks
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.cards import style_cards
from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.worked_examples.tokens import PAD, PARIS, UNHAPPINESS
from bertsent.worked_examples.worked_example import Values


def _tokens(model: LoadedModel, found: Values) -> None:
    style_cards()
    rows = zip(found["padded"], found["ids"], found["mask"].tolist(), strict=True)
    cards = [
        WordCard((TokenCard(piece, (number, str(mask)), "padding" if piece == PAD else ""),))
        for piece, number, mask in rows
    ]
    st.html(token_cards(("token", "id", "mask"), cards, alt="Tokens with ids and mask"))


def _trials(model: LoadedModel, found: Values) -> None:
    style_cards()
    split = found["split"]
    st.html(trial_blocks(split, alt=f"{len(split.trials)} trials"))


TEXT_CARDS = (Card(PARIS, _tokens, wide=True), Card(UNHAPPINESS, _trials))
