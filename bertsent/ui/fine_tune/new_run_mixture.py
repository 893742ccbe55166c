"""Three tasks at once in the form of a new run: a set for each, and what their losses count."""

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.task_sets import small_set
from bertsent.tasks.mixed import THREE_TASKS, WEIGHTED, MixedTask
from bertsent.ui.fine_tune.new_run_task_columns import reviews_of_other_task
from bertsent.ui.fine_tune.uploaded_file import UploadedFile
from bertsent.ui.shared import upload

ABOUT_SMALL = (
    "Sentiment in five steps, and pairs that are asked both whether they say the same and how "
    "alike they are. Written for this project; small, so expect little."
)
WEIGHTS = {"equal": "A third each", "weighted": "Half for sentiment, a quarter each"}
COLUMNS = {
    "five-steps": "text and label (0 to 4)",
    "paraphrase": "text1, text2 and label (0 or 1)",
    "similarity": "text1, text2 and score (0 to 5)",
}


def three_sets(key: str, *, own: bool) -> tuple[Reviews, ...] | None:
    """The rows of each task: those that ship, or of a visitor's ``own`` files; None while one is
    missing.

    Args:
        key: begins the keys of the widgets.
        own: whether files are asked for.

    Raises:
        BadInput: a file cannot be used.
    """
    if not own:
        st.caption(ABOUT_SMALL)
        return tuple(small_set(part.name) for part in THREE_TASKS.parts)
    found = [own_set(part.name, part.title, key) for part in THREE_TASKS.parts]
    return None if None in found else tuple(filter(None, found))


def own_set(task: str, title: str, key: str) -> Reviews | None:
    """The rows of a file for one task; None while there is none."""
    about = f"A file with the columns {COLUMNS[task]}."
    file: UploadedFile | None = upload(title, UploadedFile.read, key=f"{key}-{task}", help=about)
    if file is None:
        return None
    return reviews_of_other_task(file, task, f"{key}-{task}-{file.sha256[:8]}")


def choose_weights(key: str) -> MixedTask:
    """Draw what the loss of each task counts."""
    chosen = st.segmented_control(
        "What each loss counts",
        list(WEIGHTS),
        default="equal",
        format_func=WEIGHTS.__getitem__,
        key=f"{key}-loss-weights",
        required=True,
    )
    return WEIGHTED if chosen == "weighted" else THREE_TASKS
