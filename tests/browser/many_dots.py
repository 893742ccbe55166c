"""A page with nothing but the map of 50,000 reviews, drawn as the Map page draws it: what a browser
test looks at.
"""

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.space.atlas import Atlas, MapOptions
from bertsent.space.embedding import Embeddings
from bertsent.ui.many.atlas import Shown, draw_map
from bertsent.ui.many.controls import ONE, Wish
from tests.benchmarks.maps import many_points

DOTS = 50_000


@st.cache_resource(show_spinner=False)
def many() -> Shown:
    nowhere = Embeddings(np.zeros((1, 1), np.float32), None, "")  # drawing asks no vectors
    return Shown(
        "many-dots",
        "",
        Atlas(many_points(DOTS), None, None, "", MapOptions(), nowhere),
        Reviews("", ()),
        "nobody",
    )


if __name__ == "__main__":
    st.set_page_config(page_title="Many dots", layout="wide")
    st.title("Many dots")
    draw_map(many(), Wish(ONE, MapOptions(), "label", "default"), fresh=True)
