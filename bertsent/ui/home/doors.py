"""Three doors on the home page: the next step for whoever teaches, trains or has reviews of their
own.
"""

import streamlit as st

from bertsent.ui.fine_tune.opening import NEW_RUN, TAB
from bertsent.ui.shared.frame import FINE_TUNE, LESSONS

DOORS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "Start a lesson",
        "An hour of steps and questions: each opens a page, asks first, and shows then.",
        LESSONS.file,
        {},
    ),
    (
        "Fine-tune a model",
        "Watch it learn, and see at which step “Great, another boring movie” turns negative.",
        FINE_TUNE.file,
        {TAB: NEW_RUN},
    ),
    (
        "Bring your own reviews",
        "Upload labelled reviews, train on them, and take the model with you.",
        FINE_TUNE.file,
        {TAB: NEW_RUN},
    ),
)


def doors() -> None:
    """Draw the doors side by side."""
    with st.container(key="home_doors"):
        for place, (label, text, file, choices) in enumerate(DOORS):
            with st.container(key=f"home_door_{place}"):
                st.page_link(
                    file,
                    label=label,
                    icon=":material/arrow_forward:",
                    icon_position="right",
                    query_params=choices,
                )
                st.caption(text)
