"""From pretrained to fine-tuned: a finished comparison in, both models' vectors on one plane out,
with the way of a typed review.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.figures.before_after_maps import shift_figure
from bertsent.space.before_after import BeforeAfter
from bertsent.space.embedding_shift import EmbeddingShift, ShiftArrow, embedding_shift
from bertsent.ui.map.drop_in import PlacedTwice
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.downloads import download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown

_HOW = r"""
- **One plane for both**: the two principal components of the vectors of both models together, $2n$ vectors of the same reviews. It
  belongs to neither model alone. Fine-tuning begins with the backbone's weights, so a direction means the same in both.
- **Arrows** run from a place under the backbone to the place after fine-tuning: the thick ones join the averages of the reviews of one
  label, the amber one is your review. Their length on the plane is a part of the way: $\|h_{\text{after}} - h_{\text{before}}\|_2$
  counts all dimensions.
- Places on the four maps above cannot be joined by an arrow: each of those maps has directions of its own.
"""


def show_shift(
    shown: ShownMap, comparison: BeforeAfter, dropped: PlacedTwice | None, palette: str
) -> None:
    """Draw the plane, and say how far training has moved the reviews."""
    if comparison.unchanged:
        return  # said above
    st.markdown("**From pretrained to fine-tuned, on one plane**")
    found = _shift(shown.key, comparison)
    if found is None:
        st.caption("The vectors of the two models differ in width, so no plane can show both.")
        return
    arrow = found.arrow(dropped.before, dropped.after) if dropped else None
    said = sentence(found, arrow)
    figure = shift_figure(shown.atlas.points, found, arrow=arrow, palette=palette)
    st.plotly_chart(figure, key="shift_chart", config={"displaylogo": False}, alt=said)
    st.caption(escape_markdown(said))
    download_menu("shift_chart", figure, "bertsent-shift", bar=True)
    with st.expander("How is this computed?", key="shift_how"):
        st.markdown(_HOW)
    st.download_button(
        "Ways as CSV",
        lambda: safe_csv(table(shown.atlas.points, found)),
        "bertsent-shift.csv",
        "text/csv",
        key="shift_csv",
        on_click="ignore",
    )


def sentence(found: EmbeddingShift, arrow: ShiftArrow | None) -> str:
    """How far the reviews have moved, and how far the typed one."""
    basis = (
        f"PCA of both models' vectors of {found.fitted_on:,} reviews together; its two axes keep "
        f"{100 * found.plane.explained.sum():.0f} %"
        f" of their variance. The middle review moved by {np.median(found.moved):.2f}."
    )
    if arrow is None:
        return f"{basis} Drop a review in to see its own way."
    return (
        f"{basis} Yours moved by {arrow.length:.2f}, further than {100 * arrow.further_than:.0f} % "
        "of them; the amber arrow shows"
        f" {100 * arrow.seen:.0f} % of that length."
    )


def table(points: pd.DataFrame, found: EmbeddingShift) -> pd.DataFrame:
    """One row a review: both places on the plane, and how far it moved in its full width."""
    places = {
        f"{when}_{axis}": where[:, i]
        for when, where in (("before", found.before), ("after", found.after))
        for i, axis in enumerate("xy")
    }
    return points[["id", "text", "label", "prediction", "p_positive"]].assign(
        **places, moved=found.moved
    )


@st.cache_resource(max_entries=8, show_spinner="Laying both on one plane …")
def _shift(key: str, _comparison: BeforeAfter) -> EmbeddingShift | None:
    return embedding_shift(_comparison.before.vectors, _comparison.after.vectors)
