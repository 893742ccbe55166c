"""Choosing reviews: built-in, an upload, the host's files, IMDb and other Hub data sets, or those
of an earlier run.
"""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS, Reviews, Splits
from bertsent.data.facts import ReviewFacts, review_facts
from bertsent.data.hub import dataset_path, hub_id
from bertsent.data.paired_splits import toy
from bertsent.data.sources import IMDB, host_files, load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.errors import BadInput
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION, shipped_scores, slice_of
from bertsent.training.runs.run import find_run
from bertsent.ui.fine_tune.new_run_upload import uploaded_reviews
from bertsent.ui.shared import BY_CONTENT, choose, escape_markdown, hub_download, run_splits

BUILT_IN, UPLOAD, HOST, HUB = "Built-in", "Upload", "On this server", "IMDb or Hub"
EARLIER, TOY = "Of an earlier run", "Toy"
KINDS = (BUILT_IN, UPLOAD, HOST, HUB)
NATURAL_SHARE = 0.001  # "each once": what the built-in set and the published recipe come with
_FIRST_ROWS = 5


@dataclass(frozen=True)
class ReviewsChoice:
    """The chosen reviews without the handcrafted contrastive ones, and the share of those that is
    usual for them.

    ``fixed`` are the splits of an earlier run, which are taken as they are.
    """

    kind: str
    reviews: Reviews
    usual_share: float = 0.0
    fixed: Splits | None = None

    def splits(self, share: float, seed: int) -> Splits:
        """Training and validation part, with this share of contrastive reviews in the former.

        Raises:
            BadInput: the reviews cannot be split.
        """
        if self.fixed is not None:
            return self.fixed
        reviews = load_reviews(self.reviews) if share > 0 else self.reviews
        return mix_contrastive(split(reviews, seed=seed), share)


@st.cache_resource(max_entries=8, show_spinner="Reading the reviews …")
def _read_source(source: str, changed: int, contrastive: bool) -> Reviews:
    return load_reviews(source, contrastive=contrastive)


def choose_kind(key: str, kinds: tuple[str, ...] = KINDS) -> str:
    """Draw the choice of where the reviews come from.

    Args:
        key: begins the keys of the widgets.
        kinds: which kinds of reviews are offered.
    """
    offered = (*kinds, EARLIER) if st.session_state.get(f"{key}-run") else kinds
    return choose("Reviews", offered, f"{key}-kind", label_visibility="collapsed", bind=None)


def choose_reviews(key: str, kind: str) -> ReviewsChoice | None:
    """Draw what there is to choose among reviews of that kind; None while something is still
    missing.

    Raises:
        BertsentError: the chosen file or data set cannot be used.
    """
    earlier = st.session_state.get(f"{key}-run")
    if kind == EARLIER and earlier:
        return _earlier(earlier)
    return {TOY: _toy, UPLOAD: _upload, HOST: _host, HUB: _hub}.get(kind, _built_in)(key)


def show_reviews(reviews: Reviews) -> None:
    """What a run will read: counts in words, and the first rows."""
    st.markdown(escape_markdown(_facts(reviews).sentence()))
    first = reviews.take(range(min(_FIRST_ROWS, len(reviews))))
    meant = [f"{n} {LABELS[n]}" if n is not None else "" for n in first.labels]
    st.dataframe(
        pd.DataFrame({"text": first.texts, "label": meant}),
        hide_index=True,
        key="first-rows",
        column_config={"text": st.column_config.TextColumn(width="large")},
        alt=f"The first {len(first)} reviews with their labels",
    )


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _facts(reviews: Reviews) -> ReviewFacts:
    return review_facts(reviews)


def _built_in(key: str) -> ReviewsChoice:
    table = shipped_scores()
    scored, shipped = None if table is None else slice_of(table, BUILTIN_VALIDATION, "all"), ""
    if scored is not None:
        shipped = (
            " The built-in model, which also learned from public reviews, gets "
            f"{100 * scored.accuracy:.0f} % of the validation part right."
        )
    st.caption(
        "Hard on purpose: single words mislead, and most reviews have a near copy with the other "
        f"label.{shipped}"
    )
    return ReviewsChoice(BUILT_IN, _read_source("builtin", 0, True), NATURAL_SHARE)


def _toy(key: str) -> ReviewsChoice:
    st.caption("71 short reviews, as many as in the published figures.")
    return ReviewsChoice(TOY, toy())


def _upload(key: str) -> ReviewsChoice | None:
    reviews = uploaded_reviews(key)
    return None if reviews is None else ReviewsChoice(UPLOAD, reviews)


def _host(key: str) -> ReviewsChoice | None:
    files = host_files()
    if not files:
        st.caption(
            "The host has provided no files. Put them into the data folder of BERTSENT_HOME, or "
            "name folders in BERTSENT_DATA."
        )
        return None
    path = files[st.selectbox("File", list(files), key=f"{key}-host")]
    return ReviewsChoice(HOST, _read_source(str(path), path.stat().st_mtime_ns, False))


def _hub(key: str) -> ReviewsChoice | None:
    name = hub_id(
        st.text_input("Hub id of a data set", value=IMDB[-1], key=f"{key}-hub", help="owner/name")
        or ""
    )
    if name in IMDB:
        st.caption(
            "The published recipe: 2,500 positive and 2,500 negative reviews drawn with seed 42, "
            "preceded by eight handcrafted ones."
        )
    if not dataset_path(name).is_file():
        hub_download("dataset", name)
        return None
    reviews = _read_source(name, dataset_path(name).stat().st_mtime_ns, False)
    if not len(reviews):
        raise BadInput(f"{name} has no rows.", "Choose another data set.")
    return ReviewsChoice(HUB, reviews, NATURAL_SHARE if name in IMDB else 0.0)


def _earlier(name: str) -> ReviewsChoice:
    run = find_run(name)
    data, splits = run.config.data, run_splits(run)
    st.caption(
        f"Training and validation reviews of {name}, as they are: {data.train_rows:,} and "
        f"{data.validation_rows:,}."
    )
    reviews = Reviews(data.source, (*splits.train, *splits.validation))
    return ReviewsChoice(EARLIER, reviews, data.contrastive_share, splits)
