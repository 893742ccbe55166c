"""What a run to be amounts to, before it starts: its learning rates drawn, its parameters counted,
its duration and memory measured.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from bertsent.data.examples import Splits
from bertsent.figures.altair_panels import ChartSpec, chart_spec
from bertsent.figures.learning_rates import learning_rate_charts
from bertsent.models.backbone import backbone_folder
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.settings import LIMITS
from bertsent.training.config import TrainingConfig, check_layers
from bertsent.training.dry_run import DryRun
from bertsent.training.lr_schedule import schedule
from bertsent.training.memory import free_memory
from bertsent.training.parameter_count import count_parameters
from bertsent.training.run_estimate import (
    dry_run_key,
    estimate_sentence,
    measure_dry_run,
    memory_sentence,
)
from bertsent.ui.fine_tune.new_run_hyperparameters import Hyperparameters
from bertsent.ui.fine_tune.new_run_reviews import ReviewsChoice
from bertsent.ui.shared import draw, escape_markdown, show_help, wait_for
from bertsent.ui.shared.jobs import jobs

WAIT = 0.4  # seconds that a page waits for tokens to be counted before it is drawn without


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
    fixed = choice.fixed.sha256 if choice.fixed is not None else ""
    splits = _splits(choice.reviews.sha256, fixed, share, training.seed, choice)
    folder = backbone_folder(model)
    layers = inspect_folder(folder).layers
    check_layers(training, layers)
    return RunDraft(
        splits, choice.reviews.name, model, folder, layers, training, share, chosen.sentinels
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _splits(sha256: str, fixed: str, share: float, seed: int, _choice: ReviewsChoice) -> Splits:
    return _choice.splits(share, seed)


def draw_schedule(draft: RunDraft) -> None:
    """The learning rates over all steps, from the very function that the training asks."""
    charts, total = _schedule(
        repr(draft.training), len(draft.splits.train), draft.layers, draft.training
    )
    for column, name, chart in zip(
        st.columns(2, gap="medium"), ("head", "encoder"), charts, strict=True
    ):
        if chart is None:
            column.caption("The encoder is frozen: its weights do not change.")
        else:
            alt = f"Learning rate of the {name} over all steps"
            draw(chart, key=f"schedule-{name}", alt=alt, place=column)
    warm = round(total * draft.training.warmup_share)
    rise = f"The learning rates rise for {warm:,} steps, then fall" if warm else "They fall"
    with st.container(horizontal=True):
        st.caption(
            f"{rise} linearly to 0 after step {total:,}. Dotted lines mark the ends of epochs."
        )
        show_help("fine_tune", "learning_rates")


@st.cache_resource(max_entries=32, show_spinner=False)
def _schedule(
    settings: str, rows: int, layers: int, _training: TrainingConfig
) -> tuple[list[ChartSpec | None], int]:
    """The charts of head and encoder, and the number of steps, for everybody with the same
    settings.
    """
    rates = schedule(_training, rows, layers)
    charts = learning_rate_charts(rates, epochs=_training.epochs)
    return [None if each is None else chart_spec(each) for each in charts], int(rates["step"].max())


def estimate(draft: RunDraft) -> None:
    """What will be trained and, once it was measured, how long it takes; a warning when it will not
    fit.
    """
    tokens, job = _tokens(draft), jobs().find(draft.key)
    trial: DryRun | None = job.result if job and job.state == "done" else None
    st.caption(estimate_sentence(draft.splits, draft.training, tokens, trial, len(draft.sentinels)))
    st.caption(count_parameters(draft.folder, draft.training).sentence())
    if trial:
        free = free_memory("cpu") if trial.device == "cpu" else trial.free
        if words := memory_sentence(trial, draft.training, free):
            st.warning(escape_markdown(words))
    elif job and job.state == "failed":
        st.warning(escape_markdown(job.error))


def measure_button(draft: RunDraft) -> None:
    """The button that measures a few steps, or how far that is."""
    job = jobs().find(draft.key)
    if job and not job.over:
        wait_for(draft.key, "Measuring a few steps")
    elif job is None or job.state != "done":
        pressed = st.button(
            "Measure",
            key="measure",
            help="Runs a few real steps in the background to measure duration and memory on this "
            "machine.",
        )
        if pressed:
            jobs().start(
                draft.key,
                lambda progress: measure_dry_run(
                    draft.splits, draft.model, draft.training, progress
                ),
            )
            st.rerun()


def _tokens(draft: RunDraft) -> int | None:
    """Tokens per epoch; None while they are being counted."""
    tokenizer = draft.folder / "tokenizer.json"
    state = tokenizer.stat().st_mtime_ns if tokenizer.exists() else 0
    key = f"lengths-{draft.splits.train.sha256}-{draft.folder}-{state}"
    job = jobs().find(key) or jobs().start(key, lambda progress: _lengths(draft, progress))
    until = time.monotonic() + WAIT
    while not job.over and time.monotonic() < until:
        time.sleep(0.02)
    if job.state == "done" and job.result is not None:
        return int(np.minimum(job.result, draft.training.max_length).sum())
    if not job.over:
        wait_for(key, "Counting tokens")
    return None


def _lengths(draft: RunDraft, progress: Callable[[float], None]) -> np.ndarray:
    """The length of each training review in tokens, at the longest that any setting reads."""
    from bertsent.models.backbone import load_tokenizer

    tokenizer = load_tokenizer(draft.folder, inspect_folder(draft.folder))
    texts = draft.splits.train.texts
    found: list[int] = []
    for start in range(0, len(texts), 500):
        progress(start / len(texts))
        found += map(len, tokenizer.ids(texts[start : start + 500], LIMITS.longest_length))
    return np.array(found, dtype=np.int32)
