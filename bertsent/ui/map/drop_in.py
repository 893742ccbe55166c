"""Drop a review in: the review of the bar, placed on a finished map, or on the four maps of before
and after.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.space.before_after import BeforeAfter, with_max_length
from bertsent.space.projection_map import METHODS, ProjectionMap
from bertsent.ui.map.chosen_review import neighbours
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import SIGNS
from bertsent.ui.shared.errors import show_errors
from bertsent.ui.shared.review_bar import current_review

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class PlacedReview:
    """A review under one model, or under the backbone and the fine-tuned model."""

    vectors: tuple[np.ndarray, ...]  # (H,) each
    places: dict[str, tuple[float, ...]]  # by map
    p_positive: float | None  # None: the model gives none


def drop_in(model: "LoadedModel", shown: ShownMap) -> tuple[float, ...] | None:
    """Offer to place the review; gives back where it lies, None where there is none."""
    if not _wanted():
        return None
    with show_errors():
        text, options = current_review(), shown.map.options
        key, found = st.session_state.get("map_dropped", (None, None))
        if key != (shown.key, text):  # once for each text and map
            vectors, shares = model.embed_and_answer(
                [text], pooling=options.pooling, layer=options.layer
            )
            places = {"": _place(shown.map, vectors)}
            found = PlacedReview((vectors[0],), places, _p_positive(shares))
            st.session_state["map_dropped"] = (shown.key, text), found
        place = found.places[""]
        sign = "cross" if len(place) == 3 else "star"
        st.caption(_sentence(f"The {sign} on the map", found.p_positive))
        st.markdown("**Nearest to your review**")
        neighbours(shown.map, found.vectors[0], key="beside")
        return place
    return None


def drop_in_both(
    before: "LoadedModel", after: "LoadedModel", shown: ShownMap, comparison: BeforeAfter
) -> PlacedReview | None:
    """Offer to place the review on all four maps; None where there is none."""
    if not _wanted():
        return None
    with show_errors():
        text, options = current_review(), shown.map.options
        both = {"Before": comparison.before, "After": comparison.after}
        key, found = st.session_state.get("map_dropped_both", (None, None))
        if key != (shown.key, text):  # once for each text and comparison
            first = with_max_length(before, after.max_length).embed(
                [text], pooling=options.pooling, layer=options.layer
            )
            second, shares = after.embed_and_answer(
                [text], pooling=options.pooling, layer=options.layer
            )
            places = {
                f"{when}: {title}": _place(getattr(maps, method), vectors)
                for (when, maps), vectors in zip(both.items(), (first, second), strict=True)
                for method, title in METHODS.items()
            }
            found = PlacedReview((first[0], second[0]), places, _p_positive(shares))
            st.session_state["map_dropped_both"] = (shown.key, text), found
        st.caption(_sentence("The star on each map", found.p_positive))
        for (when, maps), vector in zip(both.items(), found.vectors, strict=True):
            st.markdown(f"**Nearest to your review {when.lower()}**")
            neighbours(maps.pca, vector, key=f"beside_{when.lower()}")
        return found
    return None


def _wanted() -> bool:
    return st.toggle(
        "Drop a review in",
        key="map_drop",
        bind="query-params",
        persist_state="session",
        help="The review of the bar becomes the star on the map.",
    )


def _p_positive(shares: np.ndarray | None) -> float | None:
    return None if shares is None else float(shares[0, 1])


def _place(projection: ProjectionMap, vectors: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in projection.place(vectors)[0])


def _sentence(where: str, p_positive: float | None) -> str:
    if p_positive is None:
        return f"{where}. This model gives no answer: it was not fine-tuned."
    label = LABELS[int(p_positive > 0.5)]
    return f"{where}: {SIGNS[label]} {label} {max(p_positive, 1 - p_positive):.1%}."
