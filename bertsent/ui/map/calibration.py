"""Can its confidence be believed: reliability, calibration error, a temperature to try, and how
much one answer wavers.
"""

import numpy as np
import streamlit as st

from bertsent.data.cleaning import shorten, typed_review
from bertsent.errors import BadInput
from bertsent.figures.map_panels import reliability_figure, spread_figure
from bertsent.probing.calibration import (
    BINS,
    at_temperature,
    expected_calibration_error,
    reliability,
)
from bertsent.settings import LIMITS
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import INLINE_TOKENS, JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import PUZZLE

_HOW = r"""
- **Reliability diagram**: reviews with about the same confidence are put together (15 bins); a dot shows how sure the model was of
  them and how many it got right. **Expected calibration error**: the mean gap, each bin counted by its reviews (Guo et al. 2017).
- **Temperature**: the logits are divided by $T$ before the softmax. $T = 1$ changes nothing, a larger one makes the model less sure;
  no answer changes its side. It is tried here only, the model keeps its own.
- **Monte Carlo dropout** (Gal and Ghahramani 2016): hidden values are dropped at random while the same review is answered 50 times.
  At rate 0 all answers are the same. The spread depends on the rate, so compare reviews at one rate.
"""


def show_calibration(name: str, shown: ShownMap) -> None:
    """Draw the diagram for the reviews of the map, and the spread of the answer to the specimen."""
    points = shown.atlas.points
    judged = points[points["label"].ne("") & points["p_positive"].notna()]
    if not points["p_positive"].notna().any():
        st.caption(
            "This model was not fine-tuned: it gives no probabilities, so there is no confidence "
            "to check."
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        if len(judged):
            _reliability(
                judged["p_positive"].to_numpy(),
                (judged["label"] == "POSITIVE").to_numpy().astype(int),
            )
        else:
            st.caption(
                "No review of this set has a label, so nobody knows how often the model is right."
            )
    with right:
        _spread(name)
    with st.expander("How is this computed?", key="calibration_how"):
        st.markdown(_HOW)


def _reliability(p_positive: np.ndarray, labels: np.ndarray) -> None:
    st.markdown("**As sure as it is right?**")
    temperature = st.slider(
        "Temperature",
        0.5,
        3.0,
        1.0,
        0.05,
        key="calibration_t",
        bind="query-params",
        persist_state="session",
        help="1 leaves the answers as they are.",
    )
    cooled = at_temperature(p_positive, temperature)
    table, error = (
        reliability(cooled, labels, BINS),
        expected_calibration_error(cooled, labels, BINS),
    )
    sure, right = np.maximum(cooled, 1 - cooled).mean(), ((cooled > 0.5) == labels).mean()
    mood = "too sure" if sure > right else "not sure enough" if sure < right else "as sure as right"
    said = (
        f"On {len(labels):,} reviews it is {100 * sure:.1f} % sure and {100 * right:.1f} % right: "
        f"{mood}. "
        f"Expected calibration error {error:.3f}"
        f"{'' if temperature == 1 else f' at T = {temperature:g} ({expected_calibration_error(p_positive, labels, BINS):.3f} as it is)'}."
    )
    figure = reliability_figure(table)
    st.plotly_chart(figure, key="calibration_chart", config=UNSEEN_BAR, alt=said)
    st.caption(said)
    download_menu("calibration_chart", figure, "bertsent-reliability")
    st.download_button(
        "Bins as CSV",
        lambda: safe_csv(table),
        "bertsent-reliability.csv",
        "text/csv",
        key="calibration_csv",
        on_click="ignore",
    )


def _spread(name: str) -> None:
    st.markdown("**How much does one answer waver?**")
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

    def work(_progress):  # noqa: ANN001, ANN202 - what ``outcome`` calls
        from bertsent.probing.monte_carlo_dropout import dropout_spread

        return dropout_spread(model, text, rate=rate)

    tokens = 50 * len(model.tokens(text))
    found = outcome(
        JobRequest(
            f"spread-{model.key}-{model.max_length}-{rate}-{text}",
            work,
            "Answering 50 times",
            "Answer 50 times",
            max(tokens, INLINE_TOKENS),
        )
    )
    if found is None:
        return
    said = (
        f"“{shorten(text, 60)}”: P(positive) {100 * found.without:.1f} %, with dropout "
        f"{100 * found.mean:.1f} ± {100 * found.sd:.1f} %; "
        f"the other answer under {100 * found.other_side:.0f} % of the masks."
    )
    figure = spread_figure(found.p_positive, found.without)
    st.plotly_chart(figure, key="spread_chart", config=UNSEEN_BAR, alt=said)
    st.caption(escape_markdown(said))
    download_menu("spread_chart", figure, "bertsent-spread")
