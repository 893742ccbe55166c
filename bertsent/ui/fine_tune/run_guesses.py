"""What a run of masked words puts into the gaps of its sentinels: the leading guesses of one
sentence over the steps, and those of all sentences in words, at first and now.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.altair_panels import ChartSpec, chart_spec
from bertsent.figures.guess_curves import guess_curves
from bertsent.training.curves.guesses import drawn_guesses, guess_sentence, guess_table
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.ui.shared import (
    BY_CONTENT,
    download_menu,
    draw,
    escape_markdown,
    result,
    select,
    show_help,
)

HEIGHT = 118  # pixels: as the curves above
_WIDE = {"sentence": st.column_config.TextColumn(width="medium")}


def run_guesses(run: Run, history: History, sentinels: tuple[str, ...], total: int) -> None:
    """Draw them as they stand; the axes are there before the first guess.

    Args:
        run: whose.
        history: as it stands.
        sentinels: those that are followed now.
        total: steps of the whole run.
    """
    if not sentinels:
        return
    guesses = history.guess_frame()
    guesses = guesses[guesses["text"].isin(sentinels)]
    with result("guesses"):
        left, right = st.columns(2, gap="medium")
        with left:
            text = _choose(run, sentinels)
            said = guess_sentence(guesses, text) or "The first guesses come with the first step."
            draw(
                _chart(run, history, text, total),
                key=f"guesses-{run.id}",
                alt=f"Probability of the leading guesses over the steps. {said}",
            )
            st.caption(escape_markdown(said))
        with right:
            table = guess_table(guesses)
            if len(table):
                _in_words(run, table)
            _downloads(run, guesses, text, total)


def _choose(run: Run, sentinels: tuple[str, ...]) -> str:
    if len(sentinels) == 1:
        return sentinels[0]
    texts = {each: each for each in sentinels}
    name = f"guesses-of-{run.id}"
    return select("Sentinel", texts, name, bind=None, label_visibility="collapsed")


def _downloads(run: Run, guesses: pd.DataFrame, text: str, total: int) -> None:
    with st.container(horizontal=True, gap="small"):
        download_menu(
            "guesses",
            lambda: [guess_curves(drawn_guesses(guesses, text), total_steps=total)],
            f"{run.id}-guesses",
            tables={"Guesses": guesses},
            finding=guess_sentence(guesses, text),
        )
        show_help("fine_tune", "guesses")


def _in_words(run: Run, table: pd.DataFrame) -> None:
    columns = _WIDE | {
        "before": st.column_config.TextColumn(f"at step {table['first'].min():,}"),
        "now": st.column_config.TextColumn(f"at step {table['last'].max():,}"),
    }
    st.dataframe(
        table,
        hide_index=True,
        key=f"guesses-table-{run.id}",
        column_order=["sentence", "now", "before"],
        column_config=columns,
        height="content",
        alt=f"The guesses for the gaps of {len(table)} sentences, at first and now",
    )


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _chart(run: Run, history: History, text: str, total: int) -> ChartSpec:
    rows = drawn_guesses(history.guess_frame(), text)
    return chart_spec(guess_curves(rows, total_steps=total, height=HEIGHT))
