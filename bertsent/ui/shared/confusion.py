"""The confusion matrix wherever one stands: a click on a cell, or the picker beside it, brings the
reviews of that cell, and each of them can be opened in Probe.
"""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.figures.confusion import CELL, HEIGHT, PREDICTED, TRUE, confusion_chart
from bertsent.training.runs.report import EvaluationReport
from bertsent.ui.shared.charts import altair_chart
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.links import NO_QUERY, choose
from bertsent.ui.shared.model_picker import choose_step
from bertsent.ui.shared.review_bar import choose_review

ROWS = 500  # reviews of a cell that are shown; the download has all of them
NARROW = 205  # pixels of a matrix above its reviews
WRONG = "wrong"
_CELLS = {
    f"{true[0]}{predicted[0]}": (true, predicted) for true in LABELS for predicted in LABELS
}  # "NP": negative, taken for positive
_PROBE = "pages/3_Probe.py"
_COLUMNS = {
    "text": st.column_config.TextColumn("review", width="large"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%", width="small"),
    "true": st.column_config.TextColumn(width="small"),
    "predicted": st.column_config.TextColumn(width="small"),
}


def confusion_view(
    found: EvaluationReport,
    key: str,
    file: str,
    *,
    model: str = "",
    title: str = "",
    narrow: bool = False,
) -> None:
    """Draw the matrix, and beside it the wrong answers or the reviews of the chosen cell.

    Args:
        found: the answers to labelled reviews.
        key: begins the keys of the widgets; unique on the page.
        file: how downloads are called, without an ending.
        model: the registry name of the model that answered, a run's ``run/step-N`` among them,
            which Probe is opened with.
        title: what stands in front of the sentence, where a page has several matrices.
        narrow: whether there is no room beside the matrix, so that the reviews stand below it.
    """
    words = found.confusion_sentence()
    if narrow:
        left, right = st.container(gap="xsmall"), st.container(gap="xsmall")
    else:
        left, right = st.columns([2, 3], gap="medium")
    picker = f"{key}_cell"
    with right:
        st.session_state.setdefault(picker, WRONG)  # a click on the chart sets it as well
        look = {"label_visibility": "collapsed", "bind": None, "default": None}
        chosen: str = choose("Reviews", _labels(found), picker, **look)
        labels = chosen not in _CELLS
        _reviews(_of_cell(found.answers, chosen), key, model, labels=labels)
    with left:
        framed = [_CELLS[chosen]] if chosen in _CELLS else [_CELLS["NP"], _CELLS["PN"]]
        chart = confusion_chart(found.matrix, framed, height=NARROW if narrow else HEIGHT)
        altair_chart(
            chart,
            key=f"{key}_matrix",
            on_select=_taker(f"{key}_matrix", picker),
            selection_mode=CELL,
            alt=f"Confusion matrix. {title}{words}",
        )
        st.caption(escape_markdown(f"{title}{words} Click a cell for its reviews."))
    with right if narrow else left:
        counts = pd.DataFrame(found.matrix, columns=LABELS).assign(true=LABELS)
        tables = {"Counts": counts, "Answers": found.answers}
        download_menu(key, lambda: [confusion_chart(found.matrix)], file, tables=tables)


def _labels(found: EvaluationReport) -> dict[str, str]:
    counts = {
        f"{true[0]}{predicted[0]}": found.matrix[i][j]
        for i, true in enumerate(LABELS)
        for j, predicted in enumerate(LABELS)
    }
    return {
        WRONG: f"Wrong {counts['NP'] + counts['PN']:,}",
        "NP": f"NEG → POS {counts['NP']:,}",
        "PN": f"POS → NEG {counts['PN']:,}",
        "NN": f"NEG right {counts['NN']:,}",
        "PP": f"POS right {counts['PP']:,}",
    }


def _of_cell(answers: pd.DataFrame, chosen: str) -> pd.DataFrame:
    if chosen not in _CELLS:
        kept = answers["true"] != answers["predicted"]
    else:
        true, predicted = _CELLS[chosen]
        kept = (answers["true"] == true) & (answers["predicted"] == predicted)
    return answers[kept].reset_index(drop=True)


def _taker(chart: str, picker: str) -> Callable[[], None]:
    """What a click on a cell does: it moves the picker, before the page runs again."""

    def take() -> None:
        picked = st.session_state[chart].selection.get(CELL) or [{}]
        cell = (picked[0].get(TRUE), picked[0].get(PREDICTED))
        for name, labels in _CELLS.items():
            if cell == labels:
                st.session_state[picker] = name

    return take


def _reviews(table: pd.DataFrame, key: str, model: str, *, labels: bool) -> None:
    if table.empty:
        st.caption("No review.")
        return
    shown = table.head(ROWS)
    rows = st.dataframe(
        shown.assign(p_positive=100 * shown["p_positive"]),
        hide_index=True,
        height=min(240, 38 + 35 * len(shown)),
        key=f"{key}_reviews",
        column_order=[
            *("text", "p_positive"),
            *(("true", "predicted") if labels else ()),
            *(("phenomenon",) if table["phenomenon"].any() else ()),
        ],
        column_config=_COLUMNS,
        on_select="rerun",
        selection_mode="single-row",
    ).selection.rows
    if not rows or rows[0] >= len(shown):
        more = f" The first {ROWS} are shown." if len(table) > ROWS else ""
        st.caption(f"The most confident answers first. Select a row to read it whole.{more}")
        return
    text = str(shown["text"].iloc[rows[0]])
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.text(text, width="stretch")
        if st.button("Open in Probe", key=f"{key}_probe"):
            choose_review(text)
            if model:
                _choose_model(model)
            st.session_state["probe"] = "Answer"
            st.switch_page(_PROBE, query_params=NO_QUERY)


def _choose_model(name: str) -> None:
    run, of_run, step = name.partition("/step-")
    st.session_state["model"] = run
    if of_run:
        choose_step(run, int(step))
