"""What a visitor has chosen on the map: one review, many, the star, or what a search found. It
lives in the session; one review lives in the link as well.
"""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from bertsent.ui.shared.links import set_in_link

OPENED, SELECTED, STAR, QUERY = "map_selected", "map_lasso", "map_star", "meaning_query"
LINK = "map_review"


def take_linked_review() -> None:
    """Open the review that the link names, unless the session has one open."""
    linked = st.query_params.get(LINK)
    if linked and OPENED not in st.session_state:
        st.session_state[OPENED] = linked


def open_review_id(points: pd.DataFrame) -> str | None:
    """The id of the review that was opened last, if it is on this map."""
    opened = st.session_state.get(OPENED)
    return opened if opened is not None and (points["id"] == opened).any() else None


def open_review(review_id: str | None) -> None:
    """Open a review, which is ringed on the map, or none."""
    st.session_state[OPENED] = review_id
    st.session_state[STAR] = False
    set_in_link(LINK, review_id)


def open_star() -> None:
    """Read what lies around the review of the bar."""
    open_review(None)
    st.session_state[STAR] = True


def star_is_open() -> bool:
    """Whether the star was clicked last."""
    return bool(st.session_state.get(STAR))


def selected_ids() -> tuple[str, ...]:
    """The ids of the reviews that a box or a lasso held last."""
    return st.session_state.get(SELECTED, ())


def select_reviews(ids: Iterable[str]) -> None:
    """Select these reviews, to be read together beside the map; none takes the selection back."""
    open_review(None)
    st.session_state[SELECTED] = tuple(ids)


def query() -> str:
    """What the visitor searches for, empty for nothing."""
    return " ".join(str(st.session_state.get(QUERY) or "").split())


def clear_query() -> None:
    """Close the search."""
    st.session_state[QUERY] = ""


def clear_selection() -> None:
    """Take the selection back."""
    select_reviews(())
