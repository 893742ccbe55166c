"""Which reviews a map shows: ordinary ones, the built-in hard ones, a run's own, the host's, or a
file of one's own; a seeded sample where there are many.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.hub import dataset_path, downloaded_ids
from bertsent.data.sources import host_files, load_reviews
from bertsent.data.tables import read_bytes
from bertsent.settings import ASSETS
from bertsent.training.runs.run import Run, list_runs
from bertsent.ui.shared import BY_CONTENT, LINKED, linked_choice, upload

MOST, USUAL, SEED = 50_000, 1_000, 42
USUAL_BUILT_IN = 400  # drawn at once, without asking
_COUNTS = (  # what the slider offers
    *(50, 100, 200, 300, 400, 500, 750, 1_000),
    *(1_500, 2_000, 3_000, 5_000, 10_000, 20_000),
)
ORDINARY, BUILT_IN, BUILT_IN_TEST, UPLOAD = "ordinary", "builtin", "builtin-test", "upload"
ORDINARY_FILE = ASSETS / "reviews" / "ordinary.csv"
SET = "map_set"
TRAIN, VALIDATION = "train", "validation"
_FILE, _HUB = "file ", "hub "


@dataclass(frozen=True)
class Pool:
    """Reviews to choose from: at most ``MOST`` of the ``total`` that there are."""

    reviews: Reviews
    total: int


def choose_set(model: str | None) -> str:
    """Draw the choice of reviews; gives back its name.

    Args:
        model: the registry name of the model; a run brings its own training and validation reviews.
    """
    return linked_choice(
        "Reviews", _sources(model), key=SET, label_visibility="collapsed", width=172
    )


def pool_of(kind: str, model: str | None) -> Pool | None:
    """The reviews of that name; for a file of one's own, its uploader is drawn, and it is None
    while the file is missing.

    Raises:
        BertsentError: the reviews cannot be read.
    """
    return _upload() if kind == UPLOAD else _pool(kind, _run_of(model))


def choose_sample(kind: str, pool: Pool) -> Reviews:
    """Draw the choice of how many of them."""
    usual = USUAL_BUILT_IN if kind in (ORDINARY, BUILT_IN, BUILT_IN_TEST) else USUAL
    count = choose_count("How many reviews", len(pool.reviews), _COUNTS, usual, key="map_count")
    return draw(pool.reviews, count)


def sample_sentence(count: int, total: int) -> str:
    """Which of them are drawn; empty where all are."""
    if count >= total:
        return ""
    return f"{count:,} of {total:,} reviews, drawn at random with seed {SEED}."


def other_act() -> None:
    """From the ordinary reviews to the hard ones, and back."""
    st.session_state[SET] = ORDINARY if st.session_state.get(SET) != ORDINARY else BUILT_IN_TEST


@st.cache_resource(show_spinner=False)
def ordinary_reviews() -> Reviews:
    """Reviews that say what they mean; no model that ships has seen them."""
    return load_reviews(ORDINARY_FILE, contrastive=False)


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
    found = {
        ORDINARY: "Ordinary reviews",
        BUILT_IN_TEST: "Hard one-liners",
        BUILT_IN: "All built-in reviews",
    }
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
    if source == ORDINARY:
        return _bounded(ordinary_reviews())
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
