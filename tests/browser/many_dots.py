"""A page with nothing but the map of 50,000 reviews, drawn as the Map page draws it: what a browser
test looks at.
"""

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.space.embedding import Embeddings
from bertsent.space.projection_map import MapOptions, ProjectionMap
from bertsent.ui.map.choices import open_review_id, selected_ids
from bertsent.ui.map.drawn_map import draw_map, mark_map
from bertsent.ui.map.map_settings import MapSettings
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.selection import selected_rows
from tests.benchmarks.maps import many_points

DOTS = 50_000


@st.cache_resource(show_spinner=False)
def many(count: int) -> ShownMap:
    nowhere = Embeddings(np.zeros((1, 1), np.float32), None, "")  # drawing asks no vectors
    return ShownMap(
        f"dots-{count}",
        "",
        ProjectionMap(many_points(count), None, None, "", MapOptions(), nowhere),
        Reviews("", ()),
        "nobody",
    )


def main() -> None:
    st.set_page_config(page_title="Many dots", layout="wide")
    st.title("Many dots")
    shown = many(int(st.query_params.get("dots", DOTS)))
    draw_map(shown, MapSettings(MapOptions(), "label", "default"), fresh=True, alt="Many dots")
    points = shown.map.points
    mark_map(shown, np.flatnonzero(selected_rows(points)), None)
    st.caption(f"open {open_review_id(points)}, {len(selected_ids())} selected")


if __name__ == "__main__":
    main()
