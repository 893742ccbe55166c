"""What is masked: a sentence as BERT reads it in pretraining, which words were drawn and what
became of each, and the shares over many draws.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.masking_shares import masking_shares
from bertsent.settings import LIMITS
from bertsent.text.masking import CorruptedToken, Fate, corrupt, count_fates
from bertsent.text.masking_counts import draw_sentence, share_sentence, share_table
from bertsent.ui.shared import escape_markdown, loaded_model, result, show_figure, show_help
from bertsent.ui.shared.links import linked_number, linked_text
from bertsent.ui.words.encoder import controls_row
from bertsent.ui.words.slips import show_slip

DRAWS, MOST_TOKENS = 10_000, 64  # of each text
HIGHEST = 9_999
_ENCODER, _SEED = "backbone", "masked_draw"
_USUAL = (
    "The friendly dog plays in the park, and the man who sat on the bench all morning forgot "
    "what he had come for."
)
_BADGES = {Fate.MASKED: "orange", Fate.REPLACED: "violet", Fate.KEPT: "blue"}


def show_what_is_masked() -> None:
    """A typed sentence, one draw of its words, and the counts of many."""
    with controls_row():
        seed = linked_number("Draw", 1, HIGHEST, 7, key=_SEED, width=110)
        st.button("Draw again", icon=":material/casino:", on_click=_draw_again, key="masked_again")
    text = linked_text("A sentence", _USUAL, key="masked_text", longest=LIMITS.review_chars)
    tokenizer = loaded_model(_ENCODER).tokenizer
    try:
        tokens = corrupt(text, tokenizer, seed=seed, max_length=MOST_TOKENS)
    except BadInput as error:
        st.info(escape_markdown(str(error)))
        return
    with result("what_is_masked"):
        _show_draw(tokens)
    with result("what_is_masked_often"):
        counts = count_fates(text, tokenizer, draws=DRAWS, seed=seed, max_length=MOST_TOKENS)
        table = share_table(counts)
        show_figure(
            masking_shares(table),
            "masking_shares_chart",
            "bertsent-masking",
            share_sentence(counts, DRAWS),
            tables={"Shares": table, "This draw": _table(tokens)},
        )
    show_slip("E-11")
    show_help("words", "what_is_masked")


def _show_draw(tokens: Sequence[CorruptedToken]) -> None:
    st.markdown(" ".join(map(_written, tokens)))
    st.caption(escape_markdown(draw_sentence(tokens)))
    drawn = [token for token in tokens if token.fate in _BADGES]
    if drawn:
        narrow = st.column_config.TextColumn(width="small")
        st.dataframe(
            _table(drawn),
            hide_index=True,
            column_config=dict.fromkeys(("word piece", "BERT reads", "fate"), narrow),
        )


def _written(token: CorruptedToken) -> str:
    """What BERT reads, and where it was drawn, what stood there."""
    read, piece = escape_markdown(token.read), escape_markdown(token.piece)
    if token.fate not in _BADGES:
        return read
    said = f"{piece} (kept)" if token.fate is Fate.KEPT else f"{piece} → {read}"
    return f":{_BADGES[token.fate]}-badge[{said}]"


def _table(tokens: Sequence[CorruptedToken]) -> pd.DataFrame:
    rows = [(token.piece, token.read, str(token.fate), token.why) for token in tokens]
    return pd.DataFrame(rows, columns=["word piece", "BERT reads", "fate", "why"])


def _draw_again() -> None:
    st.session_state[_SEED] = int(st.session_state.get(_SEED, 0)) % HIGHEST + 1
