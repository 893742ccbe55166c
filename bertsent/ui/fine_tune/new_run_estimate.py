"""What a run to be amounts to, before it starts: its learning rates drawn, its parameters counted,
its duration and memory measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from bertsent.data.examples import Splits
from bertsent.data.no_opinion import FILE as NO_OPINION
from bertsent.data.no_opinion import with_no_opinion
from bertsent.figures.altair_panels import ChartSpec, chart_spec
from bertsent.figures.learning_rates import learning_rate_charts
from bertsent.models.backbone import backbone_folder
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.settings import LIMITS
from bertsent.training.config import TrainingConfig, check_layers
from bertsent.training.lr_schedule import schedule
from bertsent.training.parameter_count import count_parameters
from bertsent.training.process import free_memory
from bertsent.training.run_estimate import (
    DryRun,
    dry_run_key,
    estimate_sentence,
    measure_dry_run,
    memory_sentence,
    run_seconds,
)
from bertsent.training.runs.admission import queue_sentence, waiting
from bertsent.training.runs.expected import Expected, expect
from bertsent.ui.fine_tune.new_run_hyperparameters import Hyperparameters
from bertsent.ui.fine_tune.new_run_reviews import ReviewsChoice
from bertsent.ui.shared import (
    JobRequest,
    draw,
    escape_markdown,
    outcome,
    show_help,
    visitor,
    wait_for,
)
from bertsent.ui.shared.jobs import jobs


@dataclass(frozen=True)
class RunDraft:
    """A run that could start."""

    splits: Splits
    source: str
    model: str
    folder: Path
    layers: int
    training: TrainingConfig
    share: float
    sentinels: tuple[str, ...]

    @property
    def key(self) -> str:
        return dry_run_key(self.splits, str(self.folder), self.folder / WEIGHTS, self.training)


def make_draft(choice: ReviewsChoice, model: str, chosen: Hyperparameters) -> RunDraft:
    """Put reviews, model and hyperparameters together.

    Raises:
        BertsentError: they do not fit together, or one of them is not here.
    """
    training, share = chosen.training, chosen.share
    splits, source = _splits(choice, share, training.seed), choice.reviews.name
    if chosen.no_opinion and choice.fixed is None:
        splits, source = with_no_opinion(splits), f"{source} + {NO_OPINION}"
    folder = backbone_folder(model)
    layers = inspect_folder(folder).layers
    check_layers(training, layers)
    return RunDraft(splits, source, model, folder, layers, training, share, chosen.sentinels)


@st.cache_resource(
    max_entries=8,
    show_spinner=False,
    hash_funcs={
        ReviewsChoice: lambda c: (
            c.reviews.sha256,
            str(c.reviews.task),
            c.fixed.sha256 if c.fixed else "",
        )
    },
)
def _splits(choice: ReviewsChoice, share: float, seed: int) -> Splits:
    return choice.splits(share, seed)


def draw_schedule(draft: RunDraft) -> None:
    """The learning rates over all steps, from the very function that the training asks."""
    charts, total = _schedule(draft.training, len(draft.splits.train), draft.layers)
    for column, (name, chart) in zip(st.columns(2, gap="medium"), charts.items(), strict=True):
        if chart is None:
            column.caption("The encoder is frozen: its weights do not change.")
        else:
            draw(
                chart,
                key=f"schedule-{name}",
                alt=f"Learning rate of the {name} over all steps",
                place=column,
            )
    warm = round(total * draft.training.warmup_share)
    rise = f"The learning rates rise for {warm:,} steps, then fall" if warm else "They fall"
    with st.container(horizontal=True):
        st.caption(
            f"{rise} linearly to 0 after step {total:,}. Dotted lines mark the ends of epochs."
        )
        show_help("fine_tune", "learning_rates")


@st.cache_resource(max_entries=32, show_spinner=False)
def _schedule(
    training: TrainingConfig, rows: int, layers: int
) -> tuple[dict[str, ChartSpec | None], int]:
    rates = schedule(training, rows, layers)
    head, encoder = (
        None if chart is None else chart_spec(chart)
        for chart in learning_rate_charts(rates, epochs=training.epochs)
    )
    return {"head": head, "encoder": encoder}, int(rates["step"].max())


def estimate(draft: RunDraft) -> None:
    """What will be trained and, once it was measured, how long it takes; a warning when it will not
    fit.
    """
    tokens, job = _tokens(draft), jobs().find(draft.key)
    trial: DryRun | None = job.result if job and job.state == "done" else None
    st.caption(estimate_sentence(draft.splits, draft.training, tokens, trial, len(draft.sentinels)))
    st.caption(count_parameters(draft.folder, draft.training, draft.splits.train.task).sentence())
    warning = job.error if job and job.state == "failed" else ""
    if trial:
        free = free_memory("cpu") if trial.device == "cpu" else trial.free
        warning = memory_sentence(trial, draft.training, free)
    if queue := queue_sentence(waiting(visitor().id)):
        st.caption(escape_markdown(queue))
    if warning:
        st.warning(escape_markdown(warning))


def expected(draft: RunDraft) -> Expected:
    """Seconds and memory of the run: measured where they were, else by arithmetic."""
    job = jobs().find(draft.key)
    trial: DryRun | None = job.result if job and job.state == "done" else None
    if trial:
        return Expected(run_seconds(trial, draft.training, len(draft.sentinels)), trial.memory)
    return _expected(draft.key, draft.training.epochs, draft)


@st.cache_data(max_entries=64, show_spinner=False)
def _expected(key: str, epochs: int, _draft: RunDraft) -> Expected:
    return expect(_draft.splits, _draft.training, _draft.folder)


def measure_button(draft: RunDraft) -> None:
    """The button that measures a few steps, or how far that is."""
    job = jobs().find(draft.key)
    if job and not job.over:
        wait_for(draft.key, "Measuring a few steps")
    elif (job is None or job.state != "done") and st.button(
        "Measure",
        key="measure",
        help="Runs a few real steps in the background to measure duration and memory on this "
        "machine.",
    ):
        jobs().start(draft.key, partial(measure_dry_run, draft.splits, draft.model, draft.training))
        st.rerun()


def _tokens(draft: RunDraft) -> int | None:
    """Tokens per epoch; None while they are being counted."""
    tokenizer, rows = draft.folder / "tokenizer.json", len(draft.splits.train)
    state = tokenizer.stat().st_mtime_ns if tokenizer.exists() else 0
    key = f"lengths-{draft.splits.train.sha256}-{draft.folder}-{state}"
    # to count the tokens of a review takes less than a model takes for one token
    work = partial(_lengths, draft)
    lengths = outcome(JobRequest(key, work, "Counting tokens", "Count tokens", rows, unasked=True))
    return None if lengths is None else int(np.minimum(lengths, draft.training.max_length).sum())


def _lengths(draft: RunDraft, progress: Callable[[float], None]) -> np.ndarray:
    """The length of each training review in tokens, at the longest that any setting reads."""
    from bertsent.models.backbone import load_tokenizer

    tokenizer = load_tokenizer(draft.folder, inspect_folder(draft.folder))
    inputs = draft.splits.train.inputs
    found: list[int] = []
    for start in range(0, len(inputs), 500):
        progress(start / len(inputs))
        some = inputs[start : start + 500]
        found += map(len, tokenizer.input_ids(some, LIMITS.longest_length))
    return np.array(found, dtype=np.int32)
