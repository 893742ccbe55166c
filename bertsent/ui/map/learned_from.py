"""Whether a model may have learned from the reviews of a map: said wherever an accuracy stands."""

from contextlib import suppress

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model
from bertsent.training.runs.run import find_run
from bertsent.ui.map.review_sample import ordinary_reviews
from bertsent.ui.shared import run_splits


def learned_from(name: str, reviews: Reviews) -> int | None:
    """How many of the reviews were among those that the model was trained on; None where that is
    not known.
    """
    if name == BACKBONE:
        return 0
    if name == BUILTIN:
        splits = _known_splits()  # of other reviews nothing is known
        found = [splits.get(text) for text in reviews.texts]
        return None if None in found else found.count("train")
    with suppress(BertsentError, OSError):
        if run := find_model(name, folders=False).run:
            texts = set(run_splits(find_run(run)).train.texts)
            return sum(text in texts for text in reviews.texts)
    return None


def learned_sentence(name: str, reviews: Reviews) -> str:
    """What the number means for an accuracy."""
    learned, count = learned_from(name, reviews), len(reviews)
    if learned is None:
        return "Whether the model has learned from these reviews is not known here."
    if not learned:
        return "It has learned from none of them."
    return (
        f"It has learned from {learned:,} of these {count:,}, so new reviews would be answered "
        "worse."
    )


@st.cache_resource(show_spinner=False)
def _known_splits() -> dict[str, str | None]:
    """The part that each built-in review belongs to, by its text; the model that ships was trained
    on ``train``, and the ordinary reviews were written after it.
    """
    built_in = load_reviews(BUILTIN, contrastive=True)
    return {
        **{example.text: "" for example in ordinary_reviews()},
        **{example.text: example.split for example in built_in},
    }
