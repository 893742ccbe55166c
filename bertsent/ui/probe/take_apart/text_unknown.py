"""What an unknown sign becomes: words of the review and a few others that show how a vocabulary
ends.
"""

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.text.trace_sentences import unknown_reason, unknown_sentence
from bertsent.text.word_pieces import TextTrace, WordPieceRules
from bertsent.ui.shared import escape_markdown

OWN = 4  # unknown words of the review that are shown
EXAMPLES = ("🎬", "good🎬", "good 🎬", "naïve", "好", "colour²", "x" * 101)
ABOUT = (
    "A word is unknown where letters are left for which no entry fits, in any length. The whole "
    "word becomes one token then, the same for all unknown words."
)


def show_unknown(rules: WordPieceRules, trace: TextTrace) -> None:
    """Draw what becomes of signs that the vocabulary does not hold."""
    st.markdown("**What an unknown sign becomes**", help=ABOUT)
    own = [split.word for split in trace.splits if split.stuck is not None]
    typed = list(dict.fromkeys([*own[:OWN], *EXAMPLES]))
    traces = [rules.trace(text) for text in typed]
    table = pd.DataFrame(
        {
            "pieces": [escape_markdown(" ".join(each.pieces)) for each in traces],
            "ids": [", ".join(map(str, each.ids)) for each in traces],
            "why": [escape_markdown(_reasons(rules, each)) for each in traces],
        },
        index=pd.Index([escape_markdown(shorten(text, 24)) for text in typed], name="typed"),
    )
    st.table(table)
    st.caption(escape_markdown(unknown_sentence(rules, trace)))


def _reasons(rules: WordPieceRules, trace: TextTrace) -> str:
    return "; ".join(filter(None, (unknown_reason(split, rules) for split in trace.splits)))
