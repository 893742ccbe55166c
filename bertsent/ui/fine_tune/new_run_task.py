"""What a new run shall learn: the choice of a task, which an uploaded file makes by its columns and
a visitor corrects.
"""

import streamlit as st

from bertsent.data.asked_columns import OWN, OWN_LABELS, key_of
from bertsent.tasks.catalogue import SENTIMENT, TASKS
from bertsent.tasks.masked_words import MASKED_WORDS
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.tasks.task import Task
from bertsent.ui.shared import linked_choice

LEARN = "learn"
CHOICES = {task.name: task.title for task in (*TASKS.values(), THREE_TASKS, MASKED_WORDS)} | OWN


def choose_task() -> str:
    """Draw the choice; gives back its name, which the link carries as well."""
    return linked_choice("What shall it learn?", CHOICES, key=LEARN, width=300)


def set_task(key: str) -> None:
    """Choose that task when the page is drawn next."""
    st.session_state[LEARN] = key if key in CHOICES else SENTIMENT.name


def take_suggestion(file: str, task: Task | None) -> None:
    """Choose what a new file says it is for, once; the page is drawn anew where that is another
    task than the chosen one.

    Two labels of other names stay what was chosen: they may well mean positive and negative.
    """
    seen = f"{LEARN}-of-{file}"
    if task is None or seen in st.session_state:
        return
    st.session_state[seen] = True
    key = key_of(task)
    if st.session_state.get(LEARN) == THREE_TASKS.name:
        return  # each of its files is asked for by name
    if key == OWN_LABELS and task.outputs == 2:
        return
    if key != st.session_state.get(LEARN):
        set_task(key)
        st.rerun()
