"""Can its confidence be believed: reliability, calibration error, a temperature to try, and how
much one answer varies under dropout.
"""

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.errors import BadInput
from bertsent.figures.map_panels import reliability_figure, spread_figure
from bertsent.probing.calibration import at_temperature, calibration_sentence, reliability
from bertsent.probing.monte_carlo_dropout import (
    DropoutSpread,
    dropout_sentence,
    dropout_spread,
)
from bertsent.progress import Progress
from bertsent.settings import LIMITS
from bertsent.space.embedding import model_key
from bertsent.statistics import majority_class_sentence
from bertsent.ui.map.learned_from import learned_sentence
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared import (
    INLINE_TOKENS,
    LINKED,
    PUZZLE,
    JobRequest,
    escape_markdown,
    loaded_model,
    outcome,
    show_figure,
    show_help,
)


def show_calibration(name: str, shown: ShownMap) -> None:
    """Draw the diagram for the reviews of the map, and the spread of the answer to one review."""
    points = shown.map.points
    if points["p_positive"].isna().all():
        st.caption(
            "This model was not fine-tuned for two labels: it gives no probabilities of them, so "
            "there is no confidence to check."
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        known = points[points["label"].ne("") & points["p_positive"].notna()]
        _reliability(known, learned_sentence(name, shown.reviews))
    with right:
        _spread(name)
    show_help("map", "calibration")


def _reliability(known: pd.DataFrame, learned: str) -> None:
    if known.empty:
        st.caption(
            "No review of this set has a label, so it is not known how often the model is right."
        )
        return
    p_positive, labels = known["p_positive"].to_numpy(), known["label"].eq("POSITIVE").astype(int)
    st.markdown("**Is it right as often as it is sure?**")
    temperature = st.slider(
        "Temperature",
        0.5,
        3.0,
        1.0,
        0.05,
        key="calibration_t",
        help="1 changes nothing.",
        **LINKED,
    )
    table = reliability(at_temperature(p_positive, temperature), labels.to_numpy())
    sentence = calibration_sentence(p_positive, labels.to_numpy(), temperature)
    show_figure(
        reliability_figure(table),
        "calibration_chart",
        "bertsent-reliability",
        sentence,
        caption=f"{sentence} {majority_class_sentence(labels.tolist())} {learned}",
        tables={"Bins": table},
    )


def _spread(name: str) -> None:
    st.markdown("**How much does one answer vary?**")
    st.session_state.setdefault("wavering_text", st.session_state.get("text") or PUZZLE)
    st.text_input("Review", key="wavering_text", max_chars=LIMITS.review_chars)
    rate = st.slider("Dropout rate", 0.0, 0.5, 0.1, 0.05, key="calibration_rate", **LINKED)
    try:
        text = typed_review(st.session_state["wavering_text"] or "", LIMITS.review_chars)
    except BadInput as error:
        st.caption(escape_markdown(str(error)))
        return
    model = loaded_model(name)

    def work(_progress: Progress) -> tuple[DropoutSpread, str]:
        found = dropout_spread(model, text, rate=rate)
        return found, dropout_sentence(found, text)

    made = outcome(
        JobRequest(
            f"spread-{model_key(model)}-{rate}-{text}",
            work,
            "Answering 50 times",
            "Answer 50 times",
            max(50 * len(model.tokens(text)), INLINE_TOKENS),
        )
    )
    if made is not None:
        found, sentence = made
        show_figure(
            spread_figure(found.p_positive, found.without),
            "spread_chart",
            "bertsent-spread",
            sentence,
        )
