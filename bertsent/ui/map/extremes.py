"""The ends of a model's opinions: most positive, most negative, sure and wrong, undecided, most
changed by its training.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.probing.registry import find_model, run_models
from bertsent.space.embedding import embed_reviews
from bertsent.space.extreme_reviews import confident_and_wrong, extremes, most_changed, undecided
from bertsent.training.runs.run import find_run
from bertsent.ui.map.extremes_list import show_list
from bertsent.ui.map.map_view import ShownMap, cache_folder
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.frame import FINE_TUNE
from bertsent.ui.shared.jobs import UNASKED_TOKENS, JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model

_ENDS, _DOUBTS, _CHANGED = (
    "Most positive and most negative",
    "Sure and wrong, undecided",
    "Most changed by training",
)
_COUNTS = (5, 10, 20)
_NO_HEAD = (
    "This model was not fine-tuned: it gives no probabilities, so no review is its most "
    "positive or most negative."
)
_NO_RUN = (
    "Which reviews a training changed can be told of a run, whose checkpoints are kept. "
    "Choose a run in the review bar."
)


def show_extremes(name: str, shown: ShownMap) -> None:
    """Two lists side by side, which ones is chosen above them."""
    scores = shown.atlas.points["p_positive"].to_numpy()
    if not np.isfinite(scores).all():
        st.caption(_NO_HEAD)
        st.page_link(FINE_TUNE.file, label="Fine-tune it")
        return
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        which = st.selectbox(
            "Lists",
            [_ENDS, _DOUBTS, _CHANGED],
            key="extremes_which",
            bind="query-params",
            persist_state="session",
            width=320,
        )
        n = st.selectbox(
            "How many",
            _COUNTS,
            key="extremes_n",
            bind="query-params",
            persist_state="session",
            width=110,
        )
    found = (
        _changed(name, shown, scores, n) if which == _CHANGED else _asked(which, shown, scores, n)
    )
    if found is None:
        return
    for column, (title, rows, key, empty) in zip(st.columns(2, gap="medium"), found, strict=True):
        with column:
            show_list(title, rows, key, empty)
    table = pd.concat([rows.assign(list=key) for _, rows, key, _ in found], ignore_index=True)
    st.caption(
        "In brackets P(positive): the softmax of the two logits. Open a line for the whole review. "
        "Equal scores go by id."
    )
    st.download_button(
        "Lists as CSV",
        lambda: safe_csv(table),
        "bertsent-extremes.csv",
        "text/csv",
        key="extremes_csv",
        on_click="ignore",
    )


_List = tuple[str, pd.DataFrame, str, str]  # title, rows, key, what to say when it is empty


def _asked(which: str, shown: ShownMap, scores: np.ndarray, n: int) -> list[_List]:
    if which == _ENDS:
        top, bottom = extremes(shown.reviews, scores, n)
        return [
            (f"▲ The {len(top)} most positive", top, "positive", ""),
            (f"▼ The {len(bottom)} most negative", bottom, "negative", ""),
        ]
    wrong, open_ones = (
        confident_and_wrong(shown.reviews, scores, n),
        undecided(shown.reviews, scores, n),
    )
    labelled = any(label is not None for label in shown.reviews.labels)
    none = (
        "It answers every labelled review rightly."
        if labelled
        else "No review has a label, so none is known to be wrong."
    )
    return [
        ("Sure and wrong, the surest first", wrong, "wrong", none),
        ("Undecided, nearest to one half", open_ones, "undecided", ""),
    ]


def _changed(name: str, shown: ShownMap, scores: np.ndarray, n: int) -> list[_List] | None:
    """Against an earlier checkpoint of the same run; None while that is being asked, or where there
    is none.
    """
    model = find_model(name, folders=False)
    earlier = (
        [m for m in reversed(run_models(find_run(model.run))) if m.step < model.step]
        if model.run
        else []
    )
    if not earlier:
        st.caption(
            _NO_RUN
            if not model.run
            else "This is the run's first checkpoint: choose a later one in the review bar."
        )
        return None
    since = st.selectbox(
        "Compared with",
        [m.name for m in earlier],
        key="extremes_since",
        format_func=_step_of,
        width=320,
    )
    before = loaded_model(since)
    options = shown.atlas.options

    def work(progress):  # noqa: ANN001, ANN202 - what ``jobs`` calls
        made = embed_reviews(
            before,
            shown.reviews,
            pooling=options.pooling,
            layer=options.layer,
            cache=cache_folder(),
            progress=progress,
        )
        return made.probabilities[:, 1]

    key = f"changed-{cache_key(before.key, before.max_length, shown.reviews.sha256, options.pooling, options.layer)}"
    first = outcome(
        JobRequest(
            key,
            work,
            f"Asking {len(shown.reviews):,} reviews of the earlier checkpoint",
            "Compare",
            UNASKED_TOKENS,
        )
    )
    if first is None:
        return None
    moved = most_changed(shown.reviews, first, scores, len(scores))
    up, down = moved[moved["change"] > 0].head(n), moved[moved["change"] < 0].head(n)
    return [
        ("▲ Moved up farthest", up, "up", "None moved up."),
        ("▼ Moved down farthest", down, "down", "None moved down."),
    ]


def _step_of(name: str) -> str:
    step = int(name.rpartition("-")[2])
    return "step 0, the pretrained encoder under a random head" if step == 0 else f"step {step:,}"
