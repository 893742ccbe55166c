"""Can its confidence be believed: reliability, calibration error, a temperature to try, and how
much one answer varies under dropout.
"""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.errors import BadInput
from bertsent.figures.map_panels import reliability_figure, spread_figure
from bertsent.probing.calibration import at_temperature, calibration_sentence, reliability
from bertsent.progress import Progress
from bertsent.settings import LIMITS
from bertsent.space.embedding import model_key
from bertsent.statistics import majority_class_sentence
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.jobs import INLINE_TOKENS, JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import PUZZLE

if TYPE_CHECKING:
    from bertsent.probing.monte_carlo_dropout import DropoutSpread


def show_calibration(name: str, shown: ShownMap) -> None:
    """Draw the diagram for the reviews of the map, and the spread of the answer to one review."""
    points = shown.map.points
    known = points[points["label"].ne("") & points["p_positive"].notna()]
    if not points["p_positive"].notna().any():
        st.caption(
            "This model was not fine-tuned: it gives no probabilities, so there is no confidence "
            "to check."
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        if len(known):
            labels = known["label"].eq("POSITIVE").to_numpy().astype(int)
            _reliability(known["p_positive"].to_numpy(), labels)
        else:
            st.caption(
                "No review of this set has a label, so it is not known how often the model is "
                "right."
            )
    with right:
        _spread(name)
    show_help("map", "calibration")


def _reliability(p_positive: np.ndarray, labels: np.ndarray) -> None:
    st.markdown("**Is it right as often as it is sure?**")
    temperature = st.slider(
        "Temperature",
        0.5,
        3.0,
        1.0,
        0.05,
        key="calibration_t",
        bind="query-params",
        persist_state="session",
        help="1 changes nothing.",
    )
    table = reliability(at_temperature(p_positive, temperature), labels)
    sentence = calibration_sentence(p_positive, labels, temperature)
    figure = reliability_figure(table)
    st.plotly_chart(figure, key="calibration_chart", config=UNSEEN_BAR, alt=sentence)
    st.caption(f"{sentence} {majority_class_sentence(labels.tolist())}")
    download_menu("calibration_chart", figure, "bertsent-reliability", tables={"Bins": table})


def _spread(name: str) -> None:
    st.markdown("**How much does one answer vary?**")
    st.session_state.setdefault("wavering_text", st.session_state.get("text") or PUZZLE)
    st.text_input("Review", key="wavering_text", max_chars=LIMITS.review_chars)
    rate = st.slider(
        "Dropout rate",
        0.0,
        0.5,
        0.1,
        0.05,
        key="calibration_rate",
        bind="query-params",
        persist_state="session",
    )
    try:
        text = typed_review(st.session_state["wavering_text"] or "", LIMITS.review_chars)
    except BadInput as error:
        st.caption(escape_markdown(str(error)))
        return
    model = loaded_model(name)

    def work(_progress: Progress) -> "tuple[DropoutSpread, str]":
        from bertsent.probing.monte_carlo_dropout import dropout_sentence, dropout_spread

        found = dropout_spread(model, text, rate=rate)
        return found, dropout_sentence(found, text)

    request = JobRequest(
        f"spread-{model_key(model)}-{rate}-{text}",
        work,
        "Answering 50 times",
        "Answer 50 times",
        max(50 * len(model.tokens(text)), INLINE_TOKENS),
    )
    made = outcome(request)
    if made is None:
        return
    found, sentence = made
    figure = spread_figure(found.p_positive, found.without)
    st.plotly_chart(figure, key="spread_chart", config=UNSEEN_BAR, alt=sentence)
    st.caption(escape_markdown(sentence))
    download_menu("spread_chart", figure, "bertsent-spread")
