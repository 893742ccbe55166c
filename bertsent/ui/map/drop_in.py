"""Drop a review in: the specimen that all pages share, placed on a finished map, or on the four
maps of before and after.
"""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.space.before_after import BeforeAfter, with_max_length
from bertsent.space.projection_map import METHODS
from bertsent.ui.map.chosen_review import SIGNS, neighbours
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared.errors import show_errors
from bertsent.ui.shared.review_bar import current_review


@dataclass(frozen=True)
class PlacedReview:
    """A typed review: its vector (H,), its place on the map, and P(positive), None where the model
    gives none.
    """

    vector: np.ndarray
    place: tuple[float, ...]
    p_positive: float | None


@dataclass(frozen=True)
class PlacedTwice:
    """A typed review under the backbone and under the fine-tuned model: its vectors (H,) and its
    place in each panel.
    """

    before: np.ndarray
    after: np.ndarray
    places: dict[str, tuple[float, ...]]
    p_positive: float | None


def drop_in(learner, shown: ShownMap) -> tuple[float, ...] | None:  # noqa: ANN001 - a LoadedModel; torch is loaded on use
    """Offer to place a review; gives back where it lies, None where there is none."""
    if not _wanted():
        return None
    with show_errors():
        text = current_review()
        found = _placed(learner, shown, text)
        sign = "cross" if len(found.place) == 3 else "star"
        st.caption(_words(f"The {sign} on the map", found.p_positive))
        st.markdown("**Nearest to your review**")
        neighbours(shown.atlas, found.vector, key="beside")
        return found.place
    return None


def drop_in_both(before, after, shown: ShownMap, comparison: BeforeAfter) -> PlacedTwice | None:  # noqa: ANN001
    """Offer to place a review on all four maps; gives back where it lies, None where there is
    none.
    """
    if not _wanted():
        return None
    with show_errors():
        text = current_review()
        found = _placed_both(before, after, shown, comparison, text)
        st.caption(_words("The star on each map", found.p_positive))
        for title, maps, vector in (
            ("before", comparison.before, found.before),
            ("after", comparison.after, found.after),
        ):
            st.markdown(f"**Nearest to your review {title}**")
            neighbours(maps.pca, vector, key=f"beside_{title}")
        return found
    return None


def _wanted() -> bool:
    return st.toggle(
        "Drop a review in",
        key="map_drop",
        bind="query-params",
        persist_state="session",
        help="It becomes the star on the map.",
    )


def _placed(learner, shown: ShownMap, text: str) -> PlacedReview:  # noqa: ANN001
    """Asked once a text and map."""
    key, found = st.session_state.get("map_dropped", (None, None))
    if key != (shown.key, text):
        options = shown.atlas.options
        vectors, chances = learner.embed_and_answer(
            [text], pooling=options.pooling, layer=options.layer
        )
        found = PlacedReview(
            vectors[0],
            _place(shown.atlas, vectors),
            None if chances is None else float(chances[0, 1]),
        )
        st.session_state["map_dropped"] = (shown.key, text), found
    return found


def _placed_both(before, after, shown: ShownMap, comparison: BeforeAfter, text: str) -> PlacedTwice:  # noqa: ANN001
    """Asked once a text and comparison."""
    key, found = st.session_state.get("map_dropped_both", (None, None))
    if key != (shown.key, text):
        how = {"pooling": shown.atlas.options.pooling, "layer": shown.atlas.options.layer}
        first = with_max_length(before, after.max_length).embed([text], **how)
        second, chances = after.embed_and_answer([text], **how)
        places = {
            f"{when}: {title}": _place(getattr(maps, method), vectors)
            for when, maps, vectors in (
                ("Before", comparison.before, first),
                ("After", comparison.after, second),
            )
            for method, title in METHODS.items()
        }
        found = PlacedTwice(
            first[0], second[0], places, None if chances is None else float(chances[0, 1])
        )
        st.session_state["map_dropped_both"] = (shown.key, text), found
    return found


def _place(atlas, vectors: np.ndarray) -> tuple[float, ...]:  # noqa: ANN001 - an Atlas
    return tuple(float(value) for value in atlas.place(vectors)[0])


def _words(where: str, p_positive: float | None) -> str:
    if p_positive is None:
        return f"{where}. This model gives no answer: it was not fine-tuned."
    label = LABELS[int(p_positive > 0.5)]
    return f"{where}: {SIGNS[label]} {label} {100 * max(p_positive, 1 - p_positive):.1f} %."
