"""What stands beside the map as soon as something is chosen on it: one review, the star, a
selection, or what a search found.
"""

import numpy as np
import streamlit as st

from bertsent.ui.map.choices import (
    open_review,
    open_review_id,
    query,
    star_is_open,
)
from bertsent.ui.map.chosen_review import chosen_review
from bertsent.ui.map.drop_in import PlacedReview, show_star
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.search import find_reviews
from bertsent.ui.map.selection import selected_rows, show_selection


def is_chosen(shown: ShownMap, placed: PlacedReview | None) -> bool:
    """Whether anything is."""
    points = shown.map.points
    return bool(
        open_review_id(points)
        or (star_is_open() and placed)
        or selected_rows(points).any()
        or query()
    )


def show_beside(name: str, shown: ShownMap, placed: PlacedReview | None) -> np.ndarray:
    """Draw it; gives back the rows to mark on the map."""
    points = shown.map.points
    rows = np.flatnonzero(selected_rows(points))
    if open_review_id(points):
        close_button(f"Back to the {len(rows):,} selected" if len(rows) else "Close")
        chosen_review(shown)
    elif star_is_open() and placed is not None:
        close_button()
        show_star(shown, placed)
    elif len(rows):
        show_selection(name, shown)
    elif query():
        found = find_reviews(name, shown)
        if found is not None:
            rows = np.flatnonzero(points["id"].isin(found["id"]))
    return rows


def close_button(label: str = "Close") -> None:
    """The button that takes the open review, or the star, away."""
    st.button(label, key="beside_back", type="tertiary", on_click=open_review, args=(None,))
