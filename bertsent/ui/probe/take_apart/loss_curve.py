"""The loss of this review over the checkpoints of its run, each asked anew."""

from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.errors import NotAvailable
from bertsent.figures.loss_by_checkpoint import loss_by_checkpoint_figure
from bertsent.probing.before_fine_tuning import beginning
from bertsent.probing.loss_by_checkpoint import (
    ReviewByCheckpoint,
    loss_by_checkpoint,
)
from bertsent.probing.micro_batching import micro_batcher
from bertsent.probing.registry import find_model
from bertsent.progress import Progress
from bertsent.training.checkpoints import kept_checkpoints, step_of
from bertsent.training.curves.curve_sentences import GUESSING
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.probe.take_apart.before import untrained_model
from bertsent.ui.shared import (
    JobRequest,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    show_figure,
)
from bertsent.ui.shared.caches import run_identity
from bertsent.ui.shared.jobs import UNASKED_TOKENS
from bertsent.ui.shared.model_picker import chosen_model

AT_ONCE = 3  # checkpoints that are asked while the page is drawn
CURVE = (
    "Every checkpoint that the run kept is asked about this one review, and its answer is compared "
    "with the label that you chose above. Training itself follows the mean over its batches."
)
NO_RUN = "Only runs keep checkpoints: choose one above, and its loss on this review follows here."


def show_loss_curve(text: str, label: int) -> None:
    """Draw the curve for the run of the review bar; for the built-in model, which keeps no
    checkpoints, its two ends in words.

    Args:
        text: the clean review.
        label: 0 or 1, which counts as true.

    Raises:
        BertsentError: a checkpoint cannot be read.
    """
    name = chosen_model()
    found = find_model(name, folders=False)
    with result("loss_checkpoints"):
        st.markdown("**The loss of this review over the run**", help=CURVE)
        if found.run:
            _show_curve(find_run(found.run), found.step, text, label)
        else:
            _show_ends(name, text, label)


def _show_curve(run: Run, step: int | None, text: str, label: int) -> None:
    folders = kept_checkpoints(run.checkpoints)
    key = ("loss", *run_identity(run), *map(step_of, folders), text)
    found: ReviewByCheckpoint | None = outcome(
        JobRequest(
            repr(key),
            partial(_asked, folders, text),
            f"Asking {len(folders)} checkpoints",
            "Ask the checkpoints",
            tokens=0 if len(folders) <= AT_ONCE else UNASKED_TOKENS,
        )
    )
    if found is None:
        return
    figure = loss_by_checkpoint_figure(found.steps, found.losses(label), label, step)
    ring = " The ring marks the weights in use." if step in found.steps else ""
    show_figure(
        figure,
        "loss_checkpoints",
        f"loss-{run.id}",
        found.sentence(label) + ring,
        tables={"Losses": found.table(label)},
    )


def _asked(folders: list[Path], text: str, progress: Progress) -> ReviewByCheckpoint:
    return loss_by_checkpoint(folders, text, progress=progress)


def _show_ends(name: str, text: str, label: int) -> None:
    """The loss before fine-tuning and now, where the checkpoints between are not kept."""
    model = loaded_model(name)
    try:
        first = untrained_model(beginning(name), model.max_length)
    except NotAvailable:
        st.caption(NO_RUN)
        return
    logits = [micro_batcher(each).predict(each, text).logits for each in (first, model)]
    before, now = ReviewByCheckpoint((0, 1), np.array(logits)).losses(label)
    st.caption(
        escape_markdown(
            f"Were the review {LABELS[label]}, its loss would be {before:.3f} before fine-tuning, "
            f"under the random head, and {now:.3f} as the model is; guessing costs {GUESSING:.3f}. "
            f"{model.name} keeps no checkpoints between: a run does, and draws the curve here."
        )
    )
