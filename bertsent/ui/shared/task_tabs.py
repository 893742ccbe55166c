"""The tabs of Probe on which models of further tasks are asked, and the way there from wherever a
text or a run stands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from bertsent.probing.registry import find_model, tasks_of
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.questions import (
    asks_for_feelings,
    asks_for_own,
    asks_for_steps,
    asks_how_alike,
    asks_of_aspects,
    asks_whether_same,
)
from bertsent.tasks.task import Task
from bertsent.ui.shared.links import NO_QUERY
from bertsent.ui.shared.model_picker import choose_step
from bertsent.ui.shared.review_bar import choose_review

PROBE_TAB = "probe"  # the key of Probe's tabs
_PAGE = "pages/3_Probe.py"
Asked = Callable[[Task], bool]


@dataclass(frozen=True)
class TaskTab:
    """A tab: its name, the models that are ``asked`` there, under which key the session and the
    link have which of them, and under which keys they have the texts; none where the review of the
    bar is asked.
    """

    name: str
    asked: Asked
    model: str
    texts: tuple[str, ...] = ()


ANSWER = "Answer"
PAIR_TEXTS = ("two_first", "two_second")
FIVE_STEPS = TaskTab("Five steps", asks_for_steps, "steps_model")
ASPECTS = TaskTab(
    "Aspects", asks_of_aspects, "aspects_model", ("aspect_sentence", "aspects", "aspects_asked")
)
FEELINGS = TaskTab("Feelings", asks_for_feelings, "feelings_model")
SIMILARITY = TaskTab("Two texts", asks_how_alike, "similarity_model", PAIR_TEXTS)
PARAPHRASE = TaskTab("Two texts", asks_whether_same, "paraphrase_model", PAIR_TEXTS)
OWN_TEXTS = ("own_first", "own_second")
OWN = TaskTab("Your labels", asks_for_own, "own_model", OWN_TEXTS)
TASK_TABS = (FIVE_STEPS, ASPECTS, FEELINGS, SIMILARITY, PARAPHRASE, OWN)


def tab_of(task: Task) -> TaskTab | None:
    """The tab on which a model of that task is asked; None for sentiment in two labels, which most
    tabs ask for, and for several tasks at once, whose parts have tabs.
    """
    return next((tab for tab in TASK_TABS if tab.asked(task)), None)


def open_in_probe(task: Task, model: str, text: str = "", second: str = "") -> None:
    """Leave for the tab of Probe that asks a model of that task.

    Args:
        task: what it answers; of several tasks at once, the one that is meant.
        model: its registry name, ``run/step-N`` among them; "" for the one that is chosen there.
        text: what to ask about, "" for what stands there.
        second: the second text, or the aspect, where the task reads one.
    """
    tab = tab_of(task)
    if text:
        _take_text(tab, task, text[: LIMITS.review_chars], second[: LIMITS.review_chars])
    if model:
        _take_model(model)
    st.session_state[PROBE_TAB] = tab.name if tab else ANSWER
    st.switch_page(_PAGE, query_params=NO_QUERY)


def probing_table(
    table: pd.DataFrame,
    key: str,
    task: Task,
    model: str,
    **layout: Any,  # as st.dataframe takes it
) -> bool:
    """Draw a table with a text a row; a row that is chosen stands below it whole, with a button
    that opens it in Probe.

    Args:
        table: has text, and second where the task reads two.
        key: begins the keys of the widgets.
        task: what the model answers.
        model: as ``open_in_probe`` takes it.
        layout: of the table.

    Returns:
        Whether a row is chosen.
    """
    rows = st.dataframe(
        table,
        hide_index=True,
        key=f"{key}_reviews",
        on_select="rerun",
        selection_mode="single-row",
        **layout,
    ).selection.rows
    if not rows or rows[0] >= len(table):
        return False
    offer_probe(table.iloc[rows[0]], key, task, model)
    return True


def offer_probe(row: pd.Series, key: str, task: Task, model: str) -> None:
    """The texts of a row, and the button that opens them in Probe."""
    text, second = (str(row.get(name, "")) for name in ("text", "second"))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.text("\n".join(filter(None, (text, second))), width="stretch")
        if st.button("Open in Probe", key=f"{key}_probe"):
            open_in_probe(task, model, text, second)


def _take_model(name: str) -> None:
    """Choose a model wherever one of its tasks is asked."""
    run, of_run, step = name.partition("/step-")
    tasks = tasks_of(find_model(run, folders=False))
    st.session_state.update({tab.model: run for tab in TASK_TABS if any(map(tab.asked, tasks))})
    if SENTIMENT in tasks:
        st.session_state["model"] = run
        if of_run:
            choose_step(run, int(step))


def _take_text(tab: TaskTab | None, task: Task, text: str, second: str) -> None:
    if tab is None or task.reads == "text":
        choose_review(text)
        return
    values = (text, second, text)  # the third: which sentence the aspects are of
    st.session_state.update(zip(tab.texts, values, strict=False))
