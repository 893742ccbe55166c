"""The ends of a model's opinions: most positive, most negative, sure and wrong, undecided, most
changed by its training.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.probing.registry import find_model, run_models
from bertsent.space.embedding import embed_reviews, embeddings_key
from bertsent.space.extreme_reviews import (
    confident_and_wrong,
    extremes,
    most_changed,
    undecided,
)
from bertsent.training.runs.run import find_run
from bertsent.ui.map.map_view import ShownMap, cache_folder
from bertsent.ui.map.review_table import review_list
from bertsent.ui.shared import (
    JobRequest,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
    select,
)
from bertsent.ui.shared.frame import FINE_TUNE

_NO_HEAD = (
    "This model was not fine-tuned: it gives no probabilities, so no review is its most positive "
    "or most negative."
)
_OTHER = (
    "The lists are ordered by P(positive), and this model answers another question ({task}), so no "
    "review is its most positive or most negative."
)
_NO_RUN = (
    "Only a run keeps the checkpoints that show which reviews training changed. Choose a run in "
    "the review bar."
)
_FIRST = "This is the run's first checkpoint: choose a later one in the review bar."
_List = tuple[str, pd.DataFrame, str, str]  # title, rows, key, what to say when it is empty


def show_extremes(name: str, shown: ShownMap) -> None:
    """Two lists side by side; which ones is chosen above them."""
    scores = shown.map.points["p_positive"].to_numpy()
    if not np.isfinite(scores).all():
        _no_lists(name)
        return
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        lists = {
            "Most positive and most negative": _ends,
            "Sure and wrong, undecided": _doubts,
            "Most changed by training": _changed,
        }
        which = select("Lists", list(lists), "extremes_which", width=320)
        n = select("How many", (5, 10, 20), "extremes_n", width=110)
    found = lists[which](name, shown, scores, n)
    if found is None:
        return
    for column, parts in zip(st.columns(2, gap="medium"), found, strict=True):
        with column:
            review_list(*parts)
    table = pd.concat([rows.assign(list=key) for _, rows, key, _ in found], ignore_index=True)
    st.caption(
        "P(positive), the softmax of the two logits, is in brackets. Open a line to read the "
        "whole review. Ties are ordered by id."
    )
    download_menu("extremes_csv", None, "bertsent-extremes", tables={"Lists": table})


def _no_lists(name: str) -> None:
    """Why there are none, and where to go: to fine-tune a model that has learned nothing yet, or to
    what a run of another task answered.
    """
    model = loaded_model(name)
    if "answer" not in model.gives:
        st.caption(_NO_HEAD)
        st.page_link(FINE_TUNE.file, label="Fine-tune it")
        return
    st.caption(escape_markdown(_OTHER.format(task=model.task.title)))
    if run := find_model(name, folders=False).run:
        st.page_link(FINE_TUNE.file, label="What it answers wrongly", query_params={"run": run})


def _ends(name: str, shown: ShownMap, scores: np.ndarray, n: int) -> list[_List]:
    top, bottom = extremes(shown.reviews, scores, n)
    return [
        (f"▲ The {len(top)} most positive", top, "positive", ""),
        (f"▼ The {len(bottom)} most negative", bottom, "negative", ""),
    ]


def _doubts(name: str, shown: ShownMap, scores: np.ndarray, n: int) -> list[_List]:
    wrong = confident_and_wrong(shown.reviews, scores, n)
    none = (
        "No review has a label, so none is known to be wrong."
        if all(label is None for label in shown.reviews.labels)
        else "It answers every labelled review correctly."
    )
    return [
        ("Sure and wrong, the surest first", wrong, "wrong", none),
        ("Undecided, nearest to 50 %", undecided(shown.reviews, scores, n), "undecided", ""),
    ]


def _changed(name: str, shown: ShownMap, scores: np.ndarray, n: int) -> list[_List] | None:
    """Against an earlier checkpoint of the same run; None while that is being asked, or where there
    is none.
    """
    model = find_model(name, folders=False)
    kept = reversed(run_models(find_run(model.run))) if model.run else ()
    earlier = [each.name for each in kept if (each.step or 0) < (model.step or 0)]
    if not earlier:
        st.caption(_FIRST if model.run else _NO_RUN)
        return None
    since = st.selectbox(
        "Compared with", earlier, key="extremes_since", format_func=_step_of, width=320
    )
    before, reviews, cache = loaded_model(since), shown.reviews, cache_folder()
    pooling, layer = shown.map.options.pooling, shown.map.options.layer
    first = outcome(
        JobRequest(
            f"changed-{cache_key(embeddings_key(before, reviews, pooling, layer))}",
            lambda progress: (
                embed_reviews(
                    before, reviews, pooling=pooling, layer=layer, cache=cache, progress=progress
                ).p_positive
            ),
            f"Asking {len(reviews):,} reviews of the earlier checkpoint",
            "Compare",
        )
    )
    if first is None:
        return None
    moved = most_changed(reviews, first, scores, len(scores))
    up, down = moved[moved["change"] > 0].head(n), moved[moved["change"] < 0].head(n)
    return [
        ("▲ P(positive) rose most", up, "up", "None rose."),
        ("▼ P(positive) fell most", down, "down", "None fell."),
    ]


def _step_of(name: str) -> str:
    step = int(name.rpartition("-")[2])
    return "step 0, the pretrained encoder under a random head" if step == 0 else f"step {step:,}"
