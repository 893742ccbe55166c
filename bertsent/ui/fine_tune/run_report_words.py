"""The report of a run that learned masked words: how far down the true words stand among its
guesses, the texts that were hardest, and where the run leads on.
"""

import streamlit as st

from bertsent.models.head_origins import BEGINS
from bertsent.training.runs.history import History
from bertsent.training.runs.masked_report import MaskedReport, masked_report
from bertsent.training.runs.report import newest_scores
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.run_data import validation_reviews
from bertsent.ui.shared import (
    BY_CONTENT,
    download_menu,
    escape_markdown,
    result,
    show_help,
)

ROWS = 200  # texts of the list; the download has all
_COLUMNS = {
    "text": st.column_config.TextColumn(width="large"),
    "words": st.column_config.NumberColumn("drawn words", width="small"),
    "right": st.column_config.NumberColumn(width="small"),
    "loss": st.column_config.NumberColumn("mean loss", format="%.2f", width="small"),
}


def masked_words_view(run: Run, history: History, note: str) -> None:
    """Draw the newest evaluation, and ``note`` below it."""
    found = _report(run, history)
    begins = BEGINS.get(history.started.begins, "") if history.started else ""
    left, right = st.columns([2, 3], gap="medium")
    with left, result("report"):
        st.markdown(f"**Words drawn from the validation texts · step {found.step:,}**")
        st.code(found.text, language=None)
        st.caption(escape_markdown(" ".join(filter(None, (found.sentence(), begins, note)))))
        with st.container(horizontal=True, gap="small"):
            tables = {"Ranks": found.table, "Texts": found.answers}
            download_menu("words", None, f"{run.id}-words", tables=tables)
            show_help("fine_tune", "guesses")
    with right, result("mistakes"):
        st.markdown("**The hardest texts first**")
        shown = found.answers.head(ROWS)
        st.dataframe(
            shown,
            hide_index=True,
            height=min(320, 38 + 35 * len(shown)),
            key="hardest-texts",
            column_order=["text", "words", "right", "loss"],
            column_config=_COLUMNS,
            alt=f"{len(found.answers):,} texts by the mean loss of their drawn words",
        )


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _report(run: Run, history: History) -> MaskedReport:
    step, scores = newest_scores(run, history)
    return masked_report(validation_reviews(run), scores, step)
