"""An honest boundary: a classifier in the picture, judged on reviews it never saw, beside the same
one at full width.
"""

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.map_panels import boundary_figure
from bertsent.space.decision_boundary import (
    KINDS,
    DecisionBoundary,
    NeighbourhoodFidelity,
    decision_boundary,
    neighbourhood_fidelity,
)
from bertsent.space.projection_map import METHODS
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.downloads import download_menu, safe_csv
from bertsent.ui.shared.jobs import UNASKED_TOKENS, JobRequest, outcome

_HOW = r"""
- **In the picture**: the classifier sees the two coordinates only, standardised; **at full width** it sees the vectors that the picture was
  made of. Both are judged by the same stratified folds (seed 42): every review by a classifier that never saw it. ± is the standard
  deviation over the folds. The picture was made of all reviews together, so each had a say in where it lies.
- **SVM**: a support vector machine with a radial kernel and scikit-learn's defaults; the paper's "more than 89 %" in
  two dimensions is of that kind and names no folds. **Logistic regression** draws a straight line.
- **Trustworthiness** (Venna and Kaski 2001) falls when dots lie near each other that are far apart in truth; **neighbours kept** is the
  share of the ten nearest by the vectors that are among the ten nearest in the picture.
- The coloured regions belong to the classifier fitted on all reviews (on 5,000 of more), the line is where it changes its mind.
"""


def show_boundary(name: str, shown: ShownMap) -> None:
    """Draw the regions and say what they are worth."""
    points = shown.atlas.points
    if "z" in points:
        st.caption("A boundary is drawn in two dimensions: choose 2-D above.")
        return
    chosen = st.segmented_control(
        "Classifier",
        list(KINDS),
        default="svm",
        required=True,
        format_func=KINDS.get,
        key="boundary_kind",
        bind="query-params",
        persist_state="session",
    )
    kind = chosen if chosen in KINDS else "svm"
    places, vectors, labels = (
        points[["x", "y"]].to_numpy(),
        shown.atlas.embeddings.vectors,
        shown.reviews.labels,
    )

    def work(progress) -> tuple[DecisionBoundary, NeighbourhoodFidelity | None]:  # noqa: ANN001 - what ``jobs`` calls
        progress(0.05)
        found = decision_boundary(places, vectors, labels, kind)
        progress(0.8)
        return found, neighbourhood_fidelity(places, vectors)

    made = outcome(
        JobRequest(
            f"boundary-{cache_key(shown.key, kind)}",
            work,
            "Cross-validating",
            "Draw the boundary",
            UNASKED_TOKENS,
        )
    )
    if made is None:
        return
    found, faithful = made
    left, right = st.columns([3, 2], gap="medium")
    with left:
        said = _sentence(found, shown)
        figure = boundary_figure(points, found)
        st.plotly_chart(figure, key="boundary_chart", config={"displaylogo": False}, alt=said)
        download_menu("boundary_chart", figure, "bertsent-boundary", bar=True)
    with right:
        st.markdown(said)
        rows = _rows(found, faithful)
        st.table(pd.Series(rows, name="value"))
        st.download_button(
            "Numbers as CSV",
            lambda: safe_csv(pd.DataFrame(rows.items(), columns=["what", "value"])),
            "bertsent-boundary.csv",
            "text/csv",
            key="boundary_csv",
            on_click="ignore",
        )
    with st.expander("How is this computed?", key="boundary_how"):
        st.markdown(_HOW)


def _sentence(found: DecisionBoundary, shown: ShownMap) -> str:
    lost = 100 * (found.full_accuracy - found.accuracy)
    beside = (
        f"{abs(lost):.1f} points {'more' if lost > 0 else 'less'}"
        if abs(lost) >= 0.05
        else "as much"
    )
    picture, accuracy = (
        METHODS[shown.atlas.options.method],
        f"{100 * found.accuracy:.1f} ± {100 * found.sd:.1f} %",
    )
    return (
        f"In this {picture} picture {KINDS[found.kind]} is right for {accuracy} of "
        f"{found.reviews:,} labelled reviews that it did "
        f"not see; on the full vectors {beside}. Always saying the commoner label would be right "
        f"for {100 * found.chance:.1f} %."
    )


def _rows(found: DecisionBoundary, faithful: NeighbourhoodFidelity | None) -> dict[str, str]:
    rows = {
        f"in the picture, {found.folds} "
        "folds": f"{100 * found.accuracy:.1f} ± {100 * found.sd:.1f} %",
        "at full width, same "
        "folds": f"{100 * found.full_accuracy:.1f} ± {100 * found.full_sd:.1f} %",
        "commoner label": f"{100 * found.chance:.1f} %",
    }
    if faithful is not None:
        rows["trustworthiness of the picture"] = f"{faithful.trustworthiness:.3f}"
        rows[f"neighbours kept (of {faithful.neighbours})"] = f"{100 * faithful.preservation:.1f} %"
        rows["compared on"] = f"{faithful.reviews:,} reviews"
    return rows
