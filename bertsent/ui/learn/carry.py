"""Taking runs away: the model, everything stated, the curves as pictures, TensorBoard's files. Each
is made when its button is pressed.
"""

import streamlit as st

from bertsent.figures.forms import Form
from bertsent.figures.learning_curves import learning_curves
from bertsent.figures.pictures import picture
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import events_table, zip_run
from bertsent.training.runs.tensorboard import tensorboard_zip
from bertsent.ui.shared.downloads import picture_buttons, safe_csv


def download_one(run: Run) -> None:
    """A box with all that one run can be taken away as."""
    with st.popover("Download", key="download-box"):
        st.download_button(
            "Model as a Hugging Face folder",
            lambda: zip_run(run),
            f"{run.id}.zip",
            MIME_ZIP,
            key="carry-model",
            on_click="ignore",
            disabled=not list_checkpoints(run.checkpoints),
        )
        st.download_button(
            "Events as CSV",
            lambda: safe_csv(events_table(run)),
            f"{run.id}-events.csv",
            "text/csv",
            key="carry-events",
            on_click="ignore",
        )
        picture_buttons(
            f"{run.id}-curves", lambda form: run_picture(run, form), key="carry-", what="Curves"
        )
        tensorboard([run], run.id)


MIME_ZIP = "application/zip"


def tensorboard(runs: list[Run], name: str) -> None:
    """The event files of some runs as one zip."""
    st.download_button(
        "TensorBoard event files",
        lambda: tensorboard_zip(runs),
        f"{name}-tensorboard.zip",
        MIME_ZIP,
        key="carry-tensorboard",
        on_click="ignore",
        help="Unpack them and call: tensorboard --logdir FOLDER",
    )


def run_picture(run: Run, form: Form) -> bytes:
    """The curves of a run as they stand now."""
    history = run.history()
    total = history.started.total_steps if history.started else 1
    charts = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        history.sentinel_frame(),
        total_steps=total,
    )
    return picture(charts if history.sentinels else charts[:2], form)
