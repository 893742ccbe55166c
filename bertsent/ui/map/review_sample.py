"""Which reviews a map shows: built-in, a run's own, the host's, or a file of one's own; a seeded
sample where there are many.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.hub import dataset_path, downloaded_ids
from bertsent.data.sources import host_files, load_reviews
from bertsent.data.tables import read_bytes
from bertsent.training.runs.run import Run, list_runs
from bertsent.ui.shared import BY_CONTENT, LINKED, linked_choice, upload

MOST, USUAL, SEED = 50_000, 1_000, 42
USUAL_BUILT_IN = 400  # drawn at once, without asking
_COUNTS = (  # what the slider offers
    *(50, 100, 200, 300, 400, 500, 750, 1_000),
    *(1_500, 2_000, 3_000, 5_000, 10_000, 20_000),
)
BUILT_IN, BUILT_IN_TEST, UPLOAD = "builtin", "builtin-test", "upload"
TRAIN, VALIDATION = "train", "validation"
_FILE, _HUB = "file ", "hub "


@dataclass(frozen=True)
class Pool:
    """Reviews to choose from: at most ``MOST`` of the ``total`` that there are."""

    reviews: Reviews
    total: int


def choose_sample(model: str | None) -> Reviews | None:
    """Draw the choice of reviews and how many of them; None while a file is still missing.

    Args:
        model: the registry name of the model; a run brings its own training and validation reviews.

    Raises:
        BertsentError: the chosen reviews cannot be read.
    """
    sources = _sources(model)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        kind = linked_choice("Reviews", sources, key="map_set")
    pool = _upload() if kind == UPLOAD else _pool(kind, _run_of(model))
    if pool is None:
        return None
    with right:
        count = choose_count(
            "How many",
            len(pool.reviews),
            _COUNTS,
            USUAL_BUILT_IN if kind in (BUILT_IN, BUILT_IN_TEST) else USUAL,
            key="map_count",
        )
    if count < pool.total:
        st.caption(f"{count:,} of {pool.total:,} reviews, drawn at random with seed {SEED}.")
    return draw(pool.reviews, count)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def draw(reviews: Reviews, count: int) -> Reviews:
    """A sample of ``count`` reviews in their own order, the same at every visit; all of them where
    there are no more.
    """
    if count >= len(reviews):
        return reviews
    return reviews.take(
        sorted(np.random.default_rng(SEED).permutation(len(reviews))[:count].tolist())
    )


def _sources(model: str | None) -> dict[str, str]:
    found = {BUILT_IN_TEST: "Built-in reviews, the test part", BUILT_IN: "Built-in reviews, all"}
    if run := _run_of(model):
        found |= {
            VALIDATION: f"Validation reviews of {run.id}",
            TRAIN: f"Training reviews of {run.id}",
        }
    found |= {f"{_FILE}{name}": name for name in host_files()}
    found |= {f"{_HUB}{name}": name for name in downloaded_ids("dataset")}
    return found | {UPLOAD: "A file of yours"}


def _run_of(model: str | None) -> Run | None:
    """The run behind ``run-id`` or ``run-id/step-N``."""
    wanted = (model or "").partition("/")[0]
    return next((run for run in list_runs() if run.id == wanted), None)


def _pool(kind: str, run: Run | None) -> Pool:
    if kind in (VALIDATION, TRAIN) and run is not None:
        return _part(run, kind)
    if kind.startswith(_FILE):
        path = host_files()[kind.removeprefix(_FILE)]
        return _source(str(path), path.stat().st_mtime)
    if kind.startswith(_HUB):
        name = kind.removeprefix(_HUB)
        return _source(name, dataset_path(name).stat().st_mtime)
    return _source(kind, 0.0)


@st.cache_resource(max_entries=6, show_spinner="Reading the reviews …", hash_funcs=BY_CONTENT)
def _part(run: Run, part: str) -> Pool:
    splits = run.splits()
    return _bounded(splits.train if part == TRAIN else splits.validation)


@st.cache_resource(max_entries=4, show_spinner="Reading the reviews …")
def _source(source: str, version: float) -> Pool:
    if source == BUILT_IN_TEST:  # no model that ships or was trained here has seen these
        whole = load_reviews(BUILT_IN)
        return _bounded(whole.where([e.split == "test" for e in whole]))
    return _bounded(load_reviews(source, contrastive=source == BUILT_IN, need_labels=False))


def _bounded(reviews: Reviews) -> Pool:
    return Pool(draw(reviews, MOST), len(reviews))


def _upload() -> Pool | None:
    pool = upload(
        "A file with a text column",
        _read,
        key="map_file",
        incomplete="a text",
        help="A label column is optional. CSV, TSV, JSON lines or Parquet, up to 50 MB and "
        "100,000 rows.",
    )
    if pool is None:
        st.caption("Your file stays on this server and nobody else sees it.")
    return pool


def _read(data: bytes, name: str, *, drop_incomplete: bool) -> Pool:
    return _bounded(read_bytes(data, name, drop_incomplete=drop_incomplete, need_labels=False))


def choose_count(label: str, available: int, counts: Sequence[int], usual: int, *, key: str) -> int:
    """A slider over round numbers up to all that there are."""
    offered = [*(count for count in counts if count < available), available]
    if len(offered) == 1:
        return available
    if st.session_state.get(key) not in offered:
        st.session_state.pop(key, None)
    return st.select_slider(
        label,
        offered,
        max(count for count in offered if count <= usual),
        format_func="{:,}".format,
        key=key,
        **LINKED,
    )
