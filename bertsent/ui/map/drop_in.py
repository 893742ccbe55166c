"""Drop a review in: the review of the bar, placed on a finished map, or on the four maps of before
and after.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.before_after import BeforeAfter, with_max_length
from bertsent.space.projection_map import METHODS, ProjectionMap
from bertsent.ui.map.chosen_review import neighbours
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import SIGNS
from bertsent.ui.shared import LINKED, current_review, show_errors


@dataclass(frozen=True)
class PlacedReview:
    """A review under one model, or under the backbone and the fine-tuned model."""

    vectors: tuple[np.ndarray, ...]  # (H,) each
    places: dict[str, tuple[float, ...]]  # by map
    p_positive: float | None  # None: the model gives none


def drop_in(model: LoadedModel, shown: ShownMap) -> tuple[float, ...] | None:
    """Offer to place the review; gives back where it lies, None where there is none."""

    def placed(text: str) -> PlacedReview:
        vectors, p_positive = _embedded(model, shown, text)
        return PlacedReview((vectors[0],), {"": _place(shown.map, vectors)}, p_positive)

    found = _offered(shown, placed)
    if found is None:
        return None
    place = found.places[""]
    st.caption(
        _sentence(f"The {'cross' if len(place) == 3 else 'star'} on the map", found.p_positive)
    )
    st.markdown("**Nearest to your review**")
    neighbours(shown.map, found.vectors[0], key="beside")
    return place


def drop_in_both(
    before: LoadedModel, after: LoadedModel, shown: ShownMap, comparison: BeforeAfter
) -> PlacedReview | None:
    """Offer to place the review on all four maps; None where there is none."""
    both = {"Before": comparison.before, "After": comparison.after}

    def placed(text: str) -> PlacedReview:
        first, _ = _embedded(with_max_length(before, after.max_length), shown, text)
        second, p_positive = _embedded(after, shown, text)
        places = {
            f"{when}: {title}": _place(getattr(maps, method), vectors)
            for (when, maps), vectors in zip(both.items(), (first, second), strict=True)
            for method, title in METHODS.items()
        }
        return PlacedReview((first[0], second[0]), places, p_positive)

    found = _offered(shown, placed)
    if found is not None:
        st.caption(_sentence("The star on each map", found.p_positive))
        for (when, maps), vector in zip(both.items(), found.vectors, strict=True):
            st.markdown(f"**Nearest to your review {when.lower()}**")
            neighbours(maps.pca, vector, key=f"beside_{when.lower()}")
    return found


def _offered(shown: ShownMap, place: Callable[[str], PlacedReview]) -> PlacedReview | None:
    """The review of the bar, placed once for each text and map; None where nobody wants it."""
    about = "The review of the bar becomes the star on the map."
    if not st.toggle("Drop a review in", key="map_drop", help=about, **LINKED):
        return None
    with show_errors():
        text = current_review()
        kept, found = st.session_state.get("map_dropped", (None, None))
        if kept != (shown.key, text):
            found = place(text)
            st.session_state["map_dropped"] = (shown.key, text), found
        return found
    return None


def _embedded(model: LoadedModel, shown: ShownMap, text: str) -> tuple[np.ndarray, float | None]:
    """Its vector (1, H) and P(positive), None where the model gives none."""
    options = shown.map.options
    vectors, shares = model.embed_and_answer([text], pooling=options.pooling, layer=options.layer)
    return vectors, None if shares is None else float(shares[0, 1])


def _place(projection: ProjectionMap, vectors: np.ndarray) -> tuple[float, ...]:
    return tuple(projection.place(vectors)[0].tolist())


def _sentence(where: str, p_positive: float | None) -> str:
    if p_positive is None:
        return f"{where}. This model gives no answer: it was not fine-tuned."
    label = LABELS[int(p_positive > 0.5)]
    return f"{where}: {SIGNS[label]} {label} {100 * max(p_positive, 1 - p_positive):.1f} %."
