"""A download from the Hugging Face Hub: what will come, how far it is, and a way to cancel it. A
process of its own does the work.
"""

import streamlit as st

from bertsent.data.hub import find_hub_download, start_hub_download
from bertsent.ui.shared.errors import escape_markdown

_SIZES = {"model": "about 0.1 to 1.4 GB", "dataset": "IMDb is about 20 MB"}


def hub_download(kind: str, name: str) -> None:
    """Offer the download, or show the one that is under way or over."""
    status = find_hub_download(kind, name).status()
    if status.state in ("running", "starting"):
        st.fragment(_follow, run_every=1.0)(kind, name)
        return
    if status.message:
        st.warning(escape_markdown(status.message))
    what = "model" if kind == "model" else "data set"
    st.caption(
        f"This {what} is not on this server yet. It will be downloaded once from the Hugging Face "
        f"Hub ({_SIZES[kind]})."
    )
    st.button(f"Fetch {name}", key=f"fetch-{kind}", on_click=_start, args=(kind, name))


def _start(kind: str, name: str) -> None:
    start_hub_download(kind, name)


def _follow(kind: str, name: str) -> None:
    job = find_hub_download(kind, name)
    status = job.status()
    if status.over:
        st.rerun()
    size = f" of {status.total_bytes / 1e6:,.0f} MB" if status.total_bytes else ""
    st.progress(
        min(status.fraction, 1.0),
        text=f"{escape_markdown(status.what or name)}: {status.done_bytes / 1e6:,.1f}{size}",
    )
    st.button("Cancel", key=f"cancel-{kind}", on_click=job.cancel)
