"""The review of the bar, placed as a star on a finished map, or on the four maps of before and
after.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.errors import BertsentError
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.before_after import BeforeAfter, with_max_length
from bertsent.space.projection_map import METHODS, ProjectionMap
from bertsent.ui.map.chosen_review import neighbours
from bertsent.ui.map.map_settings import STAR_MOST
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import SIGNS
from bertsent.ui.shared import current_review


@dataclass(frozen=True)
class PlacedReview:
    """A review under one model, or under the backbone and the fine-tuned model."""

    text: str
    vectors: tuple[np.ndarray, ...]  # (H,) each
    places: dict[str, tuple[float, ...]]  # by map
    p_positive: float | None  # None: the model gives none

    @property
    def place(self) -> tuple[float, ...]:
        """Where it lies on the only map."""
        return self.places[""]


def placed_review(model: LoadedModel, shown: ShownMap) -> PlacedReview | None:
    """The review of the bar on this map; None where there is none, or too much to do at once."""

    def place(text: str) -> PlacedReview:
        vectors, p_positive = _embedded(model, shown, text)
        return PlacedReview(text, (vectors[0],), {"": _place(shown.map, vectors)}, p_positive)

    return _placed(shown, place)


def placed_in_both(
    before: LoadedModel, after: LoadedModel, shown: ShownMap, comparison: BeforeAfter
) -> PlacedReview | None:
    """The review of the bar on all four maps."""
    both = {"Before": comparison.before, "After": comparison.after}

    def place(text: str) -> PlacedReview:
        first, _ = _embedded(with_max_length(before, after.max_length), shown, text)
        second, p_positive = _embedded(after, shown, text)
        places = {
            f"{when}: {title}": _place(getattr(maps, method), vectors)
            for (when, maps), vectors in zip(both.items(), (first, second), strict=True)
            for method, title in METHODS.items()
        }
        return PlacedReview(text, (first[0], second[0]), places, p_positive)

    return _placed(shown, place)


def show_star(shown: ShownMap, placed: PlacedReview) -> None:
    """The star: what the model answers to it, and the reviews nearest to it."""
    st.markdown("**Your review**")
    st.text(placed.text)
    if placed.p_positive is not None:
        label = LABELS[int(placed.p_positive > 0.5)]
        sure = max(placed.p_positive, 1 - placed.p_positive)
        st.caption(f"{SIGNS[label]} {label} {100 * sure:.1f} %")
    st.markdown("**Nearest to it**")
    neighbours(shown.map, placed.vectors[0], key="around")


def _placed(shown: ShownMap, place: Callable[[str], PlacedReview]) -> PlacedReview | None:
    """Placed once for each text and map."""
    if len(shown.map.points) > STAR_MOST:
        return None
    with suppress(BertsentError):  # the bar says what is wrong with its review
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
