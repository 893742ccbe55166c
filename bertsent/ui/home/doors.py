"""Three doors on the home page: the next step for whoever teaches, trains or has reviews of their
own.
"""

import streamlit as st

from bertsent.ui.fine_tune.opening import LESSON, NEW_RUN, TAB
from bertsent.ui.shared.frame import FINE_TUNE

DOORS = (
    (
        "Start a lesson",
        "Four stages from a pretrained model to one in use, a quiz, and how to read the curves.",
        LESSON,
    ),
    (
        "Fine-tune a model",
        "Watch it learn, and see at which step “Great, another boring movie” turns negative.",
        NEW_RUN,
    ),
    (
        "Bring your own reviews",
        "Upload labelled reviews, train on them, and take the model with you.",
        NEW_RUN,
    ),
)


def doors() -> None:
    """Draw the doors side by side."""
    with st.container(key="home_doors"):
        for place, (label, text, tab) in enumerate(DOORS):
            with st.container(key=f"home_door_{place}"):
                st.page_link(
                    FINE_TUNE.file,
                    label=label,
                    icon=":material/arrow_forward:",
                    icon_position="right",
                    query_params={TAB: tab},
                )
                st.caption(text)
