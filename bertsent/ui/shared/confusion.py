"""The confusion matrix wherever one stands: a click on a cell, or the picker beside it, brings the
reviews of that cell, and each of them can be opened in Probe.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import LABELS
from bertsent.figures.confusion import CELL, HEIGHT, PREDICTED, TRUE, confusion_chart
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task
from bertsent.training.runs.report import EvaluationReport
from bertsent.ui.shared.charts import altair_chart
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.links import choose, select
from bertsent.ui.shared.task_tabs import probing_table

ROWS = 500  # reviews of a cell that are shown; the download has all of them
STEP = 26  # pixels that each label after the third adds to the height
NARROW = 205  # pixels of a matrix above its reviews
WRONG = "wrong"
_COLUMNS = {
    "text": st.column_config.TextColumn("review", width="large"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%", width="small"),
    "probability": st.column_config.NumberColumn("sure", format="%.1f %%", width="small"),
    "true": st.column_config.TextColumn(width="small"),
    "predicted": st.column_config.TextColumn(width="small"),
}
_WIDE = {"text": st.column_config.TextColumn("review", width=500)}  # takes what there is
_TWO = {"aspect": ("review", "aspect"), "two texts": ("text", "second text")}  # what a task reads


def confusion_view(
    found: EvaluationReport,
    key: str,
    file: str,
    *,
    model: str = "",
    task: Task = SENTIMENT,
    title: str = "",
    narrow: bool = False,
    place: DeltaGenerator | None = None,
) -> None:
    """Draw the matrix, and beside it the wrong answers or the reviews of the chosen cell.

    Args:
        found: the answers to labelled reviews.
        key: begins the keys of the widgets; unique on the page.
        file: how downloads are called, without an ending.
        model: the registry name of the model that answered, a run's ``run/step-N`` among them,
            which Probe is opened with.
        task: what it answers.
        title: what stands in front of the sentence, where a page has several matrices.
        narrow: whether there is no room beside the matrix, so that the reviews stand below it.
        place: where the matrix goes if something else stands beside it; the reviews stand here.
    """
    words = found.confusion_sentence()
    if place is not None:
        left, right = place, st.container(gap="xsmall")
    elif narrow:
        left, right = st.container(gap="xsmall"), st.container(gap="xsmall")
    else:
        left, right = st.columns([2, 3], gap="medium")
    picker = f"{key}_cell"
    with right:
        st.session_state.setdefault(picker, WRONG)  # a click on the chart sets it as well
        cells = _cells(found.labels)
        chosen = _chosen(found, picker)
        labels = chosen not in cells
        wide = place is not None
        _reviews(_of_cell(found, chosen), key, (task, model), labels=labels, wide=wide)
    with left:
        wrong = [cell for cell in cells.values() if cell[0] != cell[1]]
        framed = [cells[chosen]] if chosen in cells else wrong if len(cells) == 4 else []
        tall = (NARROW if narrow else HEIGHT) + STEP * max(0, len(found.labels) - 3)
        chart = confusion_chart(found.matrix, framed, height=tall, labels=found.labels)
        altair_chart(
            chart,
            key=f"{key}_matrix",
            on_select=_taker(f"{key}_matrix", picker, cells),
            selection_mode=CELL,
            alt=f"Confusion matrix. {title}{words}",
        )
        st.caption(escape_markdown(f"{title}{words} Click a cell for its reviews."))
    with right if narrow else left:
        counts = pd.DataFrame(found.matrix, columns=found.labels).assign(true=found.labels)
        tables = {"Counts": counts, "Answers": found.answers}
        drawn = partial(confusion_chart, found.matrix, labels=found.labels, height=tall)
        download_menu(key, lambda: [drawn()], file, tables=tables)


def _cells(labels: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A name for each cell: "NP" for negative taken for positive, "0-2" where labels are others."""
    two = tuple(labels) == LABELS
    return {
        f"{true[0]}{predicted[0]}" if two else f"{row}-{column}": (true, predicted)
        for row, true in enumerate(labels)
        for column, predicted in enumerate(labels)
    }


def _chosen(found: EvaluationReport, picker: str) -> str:
    """The picker of cells: beside each other where there are few, else a list of those that hold
    reviews, the fullest first.
    """
    look: dict[str, Any] = {"label_visibility": "collapsed", "bind": None}
    if found.labels == LABELS:
        return choose("Reviews", _labels(found), picker, **look, default=None)
    cells, counts = _cells(found.labels), found.matrix.ravel().tolist()
    fullest = sorted(zip(cells, counts, strict=True), key=lambda pair: -pair[1])
    named = {WRONG: f"Wrong {found.matrix.sum() - found.matrix.trace():,}"} | {
        name: f"{_arrow(*cells[name])} {count:,}"
        for name, count in fullest
        if count or st.session_state[picker] == name
    }
    kept = st.session_state[picker]  # set again, it is drawn with the count of this report
    st.session_state[picker] = kept if kept in named else WRONG
    return select("Reviews", named, picker, width=400, **look)


def _arrow(true: str, predicted: str) -> str:
    return f"{true}, right" if true == predicted else f"{true} → {predicted}"


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


def _of_cell(found: EvaluationReport, chosen: str) -> pd.DataFrame:
    answers, cells = found.answers, _cells(found.labels)
    if chosen not in cells:
        kept = answers["true"] != answers["predicted"]
    else:
        true, predicted = cells[chosen]
        kept = (answers["true"] == true) & (answers["predicted"] == predicted)
    return answers[kept].reset_index(drop=True)


def _taker(chart: str, picker: str, cells: Mapping[str, tuple[str, str]]) -> Callable[[], None]:
    """What a click on a cell does: it moves the picker, before the page runs again."""

    def take() -> None:
        picked = st.session_state[chart].selection.get(CELL) or [{}]
        cell = (picked[0].get(TRUE), picked[0].get(PREDICTED))
        for name, labels in cells.items():
            if cell == labels:
                st.session_state[picker] = name

    return take


def _reviews(
    table: pd.DataFrame, key: str, asked: tuple[Task, str], *, labels: bool, wide: bool
) -> None:
    if table.empty:
        st.caption("No review.")
        return
    shown = table.head(ROWS)
    sure = "p_positive" if "p_positive" in table else "probability"
    chosen = probing_table(
        shown.assign(**{sure: 100 * shown[sure]}),
        key,
        *asked,
        height=min(240, 38 + 35 * len(shown)),
        column_order=[
            *("text", *(("second",) if _has(table, "second") else ()), sure),
            *(("true", "predicted") if labels else ()),
            *(("phenomenon",) if table["phenomenon"].any() else ()),
        ],
        column_config={**_COLUMNS, **(_WIDE if wide else {}), **_two_columns(asked[0], wide=wide)},
    )
    if not chosen:
        more = f" The first {ROWS} are shown." if len(table) > ROWS else ""
        st.caption(f"The most confident answers first. Select a row to read it whole.{more}")


def _two_columns(task: Task, *, wide: bool) -> dict[str, Any]:
    """Those of a task that reads two texts, narrow enough to leave room for the labels; where there
    is room, a sentence has more of it than its aspect.
    """
    if task.reads not in _TWO:
        return {}
    first, second = _TWO[task.reads]
    longer = wide and task.reads == "aspect"
    return {
        "text": st.column_config.TextColumn(first, width=500 if longer else "medium"),
        "second": st.column_config.TextColumn(second, width="medium"),
    }


def _has(table: pd.DataFrame, column: str) -> bool:
    return column in table and bool(table[column].any())
