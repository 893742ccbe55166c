"""Choosing reviews: built-in, a file of one's own, the host's files, IMDb and other Hub sets."""

from dataclasses import dataclass

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.hub import downloaded_ids, hub_id
from bertsent.data.sources import host_files, load_reviews
from bertsent.data.tables import read_bytes
from bertsent.errors import BadInput
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION, shipped_scores, slice_of
from bertsent.ui.shared.hub_download import hub_download

BUILT_IN, UPLOAD, HOST, HUB = "Built-in", "Upload", "On this server", "IMDb or Hub"
NATURAL_SHARE = 0.001  # "each once": what the built-in set and the published recipe come with


@dataclass(frozen=True)
class Choice:
    """The chosen reviews, without and with the handcrafted contrastive rows, and what share of
    those is usual for them.
    """

    plain: Reviews
    usual_share: float

    def reviews(self, share: float) -> Reviews:
        return load_reviews(self.plain) if share > 0 else self.plain


@st.cache_data(max_entries=4, show_spinner="Reading the reviews …")
def _read_upload(data: bytes, name: str, drop_incomplete: bool) -> Reviews:
    return read_bytes(data, name, drop_incomplete=drop_incomplete)


@st.cache_data(max_entries=8, show_spinner="Reading the reviews …")
def _read_source(source: str, version: float, contrastive: bool, drop_incomplete: bool) -> Reviews:
    return load_reviews(source, contrastive=contrastive, drop_incomplete=drop_incomplete)


def choose_reviews() -> Choice | None:
    """Draw the choice; None while something is still missing.

    Raises:
        BertsentError: the chosen file or set cannot be used.
    """
    kind = st.segmented_control(
        "Reviews",
        (BUILT_IN, UPLOAD, HOST, HUB),
        default=BUILT_IN,
        key="reviews-kind",
        persist_state="session",
    )
    if kind == UPLOAD:
        return _upload()
    if kind == HOST:
        return _host()
    if kind == HUB:
        return _hub()
    st.caption(
        "Hard on purpose: single words mislead, and most reviews have a near twin with the other "
        f"label.{_shipped_has()}"
    )
    return Choice(_read_source("builtin", 0.0, True, False), NATURAL_SHARE)


def _shipped_has() -> str:
    """What to measure oneself against: the accuracy of the model that ships."""
    table = shipped_scores()
    if table is None:
        return ""
    found = slice_of(table, BUILTIN_VALIDATION, "all")
    return (
        " The model that ships, which also learned from public reviews, gets "
        f"{100 * found.accuracy:.0f} % of the validation part right."
    )


def _upload() -> Choice | None:
    file = st.file_uploader(
        "A file with a text and a label column",
        type=["csv", "tsv", "jsonl", "parquet"],
        key="reviews-upload",
        help="Labels: 0 or negative, 1 or positive. CSV, TSV, JSON lines or Parquet, up to 50 MB "
        "and 100,000 rows.",
    )
    drop = st.checkbox("Leave out rows without a text or a label", key="reviews-drop")
    if file is None:
        st.caption("Your file stays on this server, inside the run that learns from it.")
        return None
    return Choice(_read_upload(file.getvalue(), file.name, drop), 0.0)


def _host() -> Choice | None:
    files = host_files()
    if not files:
        st.caption(
            "The host has offered no files. Put them into the data folder of BERTSENT_HOME, or "
            "name folders in BERTSENT_DATA."
        )
        return None
    name = st.selectbox("File", list(files), key="reviews-host")
    return Choice(_read_source(str(files[name]), files[name].stat().st_mtime, False, False), 0.0)


def _hub() -> Choice | None:
    wanted = st.text_input(
        "Hub id of a data set", value="stanfordnlp/imdb", key="reviews-hub", help="owner/name"
    )
    name = hub_id(wanted or "")
    recipe = name in ("imdb", "stanfordnlp/imdb")
    if recipe:
        st.caption(
            "The published recipe: 2,500 positive and 2,500 negative reviews drawn with seed 42, "
            "eight handcrafted ones in front."
        )
    if (name if "/" in name else "stanfordnlp/imdb") not in downloaded_ids("dataset"):
        hub_download("dataset", name)
        return None
    plain = _read_source(name, 0.0, False, False)
    if not len(plain):
        raise BadInput(f"{name} has no rows.", "Choose another set.")
    return Choice(plain, NATURAL_SHARE if recipe else 0.0)
