"""The doors on the home page: the next step for whoever learns, teaches, trains or has reviews of
their own.
"""

import streamlit as st

from bertsent.ui.fine_tune.opening import NEW_RUN, TAB
from bertsent.ui.shared.frame import CLASS, FINE_TUNE, LESSONS

DOORS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "Start a lesson",
        "Six hours of steps: each opens a page, asks first, then shows.",
        LESSONS.file,
        {},
    ),
    (
        "Bring a class",
        "Phones join by a code, vote before the models answer, and try to fool them.",
        CLASS.file,
        {},
    ),
    (
        "Fine-tune a model",
        "Watch it learn, and see when “Great, another boring movie” turns negative.",
        FINE_TUNE.file,
        {TAB: NEW_RUN},
    ),
    (
        "Bring your own reviews",
        "Upload labelled reviews, train on them, take the model with you.",
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
