"""From pretrained to fine-tuned: a finished comparison in, both models' vectors on one plane out,
with the movement of a review that was dropped in.
"""

import streamlit as st

from bertsent.figures.before_after_maps import shift_figure
from bertsent.space.before_after import BeforeAfter
from bertsent.space.embedding_shift import EmbeddingShift, embedding_shift, shift_sentence
from bertsent.ui.map.drop_in import PlacedReview
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help


def show_shift(
    shown: ShownMap, comparison: BeforeAfter, dropped: PlacedReview | None, palette: str
) -> None:
    """Draw the plane, and say how far training has moved the reviews."""
    if comparison.unchanged:
        return  # the sentence above says so
    st.markdown("**From pretrained to fine-tuned, on one plane**")
    found, points = _shift(shown.key, comparison), shown.map.points
    if found is None:
        st.caption("The vectors of the two models differ in width, so no plane can show both.")
        return
    arrow = found.arrow(*dropped.vectors) if dropped else None
    sentence = shift_sentence(found, arrow)
    figure = shift_figure(points, found, arrow=arrow, palette=palette)
    st.plotly_chart(figure, key="shift_chart", config={"displaylogo": False}, alt=sentence)
    st.caption(escape_markdown(sentence))
    tables = {"Movements": found.table(points)}
    download_menu("shift_chart", figure, "bertsent-shift", tables=tables, bar=True)
    show_help("map", "shift", title="How is this plane computed?")


@st.cache_resource(max_entries=8, show_spinner="Projecting both onto one plane …")
def _shift(key: str, _comparison: BeforeAfter) -> EmbeddingShift | None:
    return embedding_shift(_comparison.before.vectors, _comparison.after.vectors)
