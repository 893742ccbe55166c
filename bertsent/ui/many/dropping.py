"""Drop a review in: the specimen that all pages share, placed on a finished map."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.ui.ask.specimen import specimen
from bertsent.ui.frame import told
from bertsent.ui.many.atlas import Shown
from bertsent.ui.many.readings import SIGNS, neighbours


@dataclass(frozen=True)
class Dropped:
    """A typed review: its vector (H,), its place on the map, and P(positive), None where the model gives none."""

    vector: np.ndarray
    place: tuple[float, ...]
    p_positive: float | None


def drop_in(learner, shown: Shown) -> tuple[float, ...] | None:  # noqa: ANN001 - a Learner; torch is loaded on use
    """Offer to place a review; gives back where it lies, None where there is none."""
    if not st.toggle("Drop a review in", key="map_drop", persist_state="session", help="It becomes the star on the map."):
        return None
    with told():
        text = specimen()
        found = _placed(learner, shown, text)
        st.caption(_words(found))
        st.markdown("**Nearest to your review**")
        neighbours(shown.atlas, found.vector, key="beside")
        return found.place
    return None


def _placed(learner, shown: Shown, text: str) -> Dropped:  # noqa: ANN001
    """Asked once a text and map."""
    key, found = st.session_state.get("map_dropped", (None, None))
    if key != (shown.key, text):
        options = shown.atlas.options
        vectors, chances = learner.embed_and_answer([text], pooling=options.pooling, layer=options.layer)
        place = tuple(float(value) for value in shown.atlas.place(vectors)[0])
        found = Dropped(vectors[0], place, None if chances is None else float(chances[0, 1]))
        st.session_state["map_dropped"] = (shown.key, text), found
    return found


def _words(found: Dropped) -> str:
    if found.p_positive is None:
        return "The star on the map. This model gives no answer: it was not fine-tuned."
    label = LABELS[int(found.p_positive > 0.5)]
    return f"The star on the map: {SIGNS[label]} {label} {100 * max(found.p_positive, 1 - found.p_positive):.1f} %."
