"""Three doors on the home page: one obvious next step for each of the three people this lab is
for.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.probing.registry import runs_with_checkpoints, shipped


def doors() -> None:
    """Draw the doors; what they say depends on whether a model can answer yet."""
    can_answer = shipped() or bool(runs_with_checkpoints())
    teach, probe, own = st.columns(3, gap="medium")
    _door(
        teach,
        "Teach",
        "Fine-tune live in front of the class, and watch when “Great, another boring movie” turns "
        "negative.",
        "pages/2_Fine-tune.py",
        "Start a run",
    )
    if can_answer:
        _door(
            probe,
            "Probe",
            "Type something sarcastic and see what the model makes of it, and where its heads "
            "look.",
            "pages/3_Probe.py",
            "Ask about a review",
        )
    else:
        text = (
            "The built-in model is missing from assets/models. Until you have fine-tuned one, "
            "look at the attention heads of the pretrained BERT."
        )
        _door(probe, "Probe", text, "pages/4_Attention.py", "See its attention heads")
    _door(
        own,
        "Bring your own",
        "Upload labelled reviews, evaluate the model, and download it as a Hugging Face folder.",
        "pages/2_Fine-tune.py",
        "Upload reviews",
    )


def _door(column: DeltaGenerator, title: str, text: str, page: str, label: str) -> None:
    with column.container(border=True, height="stretch"):
        st.subheader(title, anchor=False)
        st.write(text)
        st.page_link(page, label=label, icon=":material/arrow_forward:")
