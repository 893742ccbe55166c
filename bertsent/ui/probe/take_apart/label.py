"""Which label is true: chosen once for loss and back, kept for the review, and in the link unless
it is the usual one.
"""

import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.probing.loaded_model import Prediction
from bertsent.probing.true_label import known_label, label_sentence
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.links import set_in_link

LABEL = "true_label"  # of the link, and of the session
_OF = "true_label_of"  # the review that it was chosen for
HELP = (
    "Training compares the answer with the true label. Of the examples and the built-in reviews it "
    "is known; of any other review you have to say it."
)


def choose_label(part: str, text: str, answer: Prediction) -> int:
    """Draw the choice in that part, and where the label comes from; 0 or 1."""
    answered = int(answer.p_positive > 0.5)
    known = known_label(text)
    usual = LABELS[answered if known is None else known]
    if st.session_state.get(_OF) != text:
        linked = "" if _OF in st.session_state else st.query_params.get(LABEL, "")
        st.session_state[LABEL] = linked if linked in LABELS else ""
        st.session_state[_OF] = text
    chosen, widget = st.session_state[LABEL] or usual, f"{part}_{LABEL}"
    st.session_state[widget] = chosen
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Which label is true?", width="content", help=HELP)
        st.segmented_control(
            "Which label is true?",
            LABELS,
            required=True,
            key=widget,
            on_change=_keep,
            args=(widget, usual),
            label_visibility="collapsed",
        )
        st.caption(escape_markdown(label_sentence(text, LABELS.index(chosen), answered)))
    set_in_link(LABEL, None if chosen == usual else chosen)
    return LABELS.index(chosen)


def _keep(widget: str, usual: str) -> None:
    chosen = st.session_state[widget]
    st.session_state[LABEL] = "" if chosen == usual else chosen
