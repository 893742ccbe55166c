"""A page with nothing but the map of 50,000 reviews, drawn as the Map page draws it: what a browser
test looks at.
"""

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.space.embedding import Embeddings
from bertsent.space.projection_map import MapOptions, ProjectionMap
from bertsent.ui.map.map_settings import ONE, MapSettings
from bertsent.ui.map.map_view import ShownMap, draw_map
from tests.benchmarks.maps import many_points

DOTS = 50_000


@st.cache_resource(show_spinner=False)
def many() -> ShownMap:
    nowhere = Embeddings(np.zeros((1, 1), np.float32), None, "")  # drawing asks no vectors
    return ShownMap(
        "many-dots",
        "",
        ProjectionMap(many_points(DOTS), None, None, "", MapOptions(), nowhere),
        Reviews("", ()),
        "nobody",
    )


if __name__ == "__main__":
    st.set_page_config(page_title="Many dots", layout="wide")
    st.title("Many dots")
    draw_map(many(), MapSettings(ONE, MapOptions(), "label", "default"), fresh=True)
