"""What a run to be amounts to, before it starts: its learning rates drawn, its parameters counted,
its minutes and memory measured.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from bertsent.data.examples import Splits
from bertsent.data.splits import mix_contrastive, split
from bertsent.figures.chart_spec import ChartSpec, chart_spec
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
from bertsent.ui.fine_tune.new_run_reviews import Choice
from bertsent.ui.shared.charts import draw
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import Job, jobs, wait_for

PATIENCE = 0.4  # seconds that a page waits for tokens to be counted before it is drawn without


@dataclass(frozen=True)
class Plan:
    """A run to be that could start."""

    splits: Splits
    model: str
    folder: Path
    layers: int
    training: TrainingConfig
    sentinels: tuple[str, ...]

    @property
    def key(self) -> str:
        return dry_run_key(self.splits, str(self.folder), self.folder / WEIGHTS, self.training)


def make_plan(
    choice: Choice, model: str, training: TrainingConfig, share: float, sentinels: tuple[str, ...]
) -> Plan:
    """Put reviews, model and settings together.

    Raises:
        BertsentError: they do not fit together, or one of them is not here.
    """
    splits = _splits(choice.plain.sha256, share, training.seed, choice)
    folder = backbone_folder(model)
    layers = inspect_folder(folder).layers
    check_layers(training, layers)
    return Plan(splits, model, folder, layers, training, sentinels)


@st.cache_resource(max_entries=8, show_spinner=False)
def _splits(sha256: str, share: float, seed: int, _choice: Choice) -> Splits:
    return mix_contrastive(split(_choice.reviews(share), seed=seed), share)


def draw_schedule(plan: Plan) -> None:
    """The learning rates over all steps, from the very function that the training asks."""
    charts, total = _schedule(
        repr(plan.training), len(plan.splits.train), plan.layers, plan.training
    )
    for column, name, chart in zip(
        st.columns(2, gap="medium"), ("head", "encoder"), charts, strict=True
    ):
        if chart is None:
            column.caption("The encoder does not learn: its vectors stay as they are.")
        else:
            draw(
                chart,
                key=f"schedule-{name}",
                alt=f"Learning rate of the {name} over all steps",
                place=column,
            )
    warm = round(total * plan.training.warmup_share)
    rise = f"The rates rise for {warm:,} steps, then fall" if warm else "The rates fall"
    with st.container(horizontal=True):
        st.caption(f"{rise} evenly towards 0 after step {total:,}. Dotted: an epoch ends.")
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(
                "Step $t$ of $T$, warm-up of $w$ steps, peak rate $\\eta$: $\\eta\\,t/w$ while $t "
                "\\le w$, then "
                "$\\eta\\,(T-t+1)/(T-w)$ (Devlin et al. 2019, A.3). Layer $l$ of $L$ has the peak "
                "$\\eta\\,d^{\\,L-l}$ for a decay of $d$, the embeddings $\\eta\\,d^{\\,L}$ "
                "(Howard & Ruder 2018; Sun et al. 2019)."
            )


@st.cache_resource(max_entries=32, show_spinner=False)
def _schedule(
    told: str, rows: int, layers: int, _training: TrainingConfig
) -> tuple[list[ChartSpec | None], int]:
    """The charts of head and encoder, and the number of steps; the same settings look the same to
    everybody.
    """
    rates = schedule(_training, rows, layers)
    charts = learning_rate_charts(rates, epochs=_training.epochs)
    return [None if chart is None else chart_spec(chart) for chart in charts], int(
        rates["step"].max()
    )


def preflight(plan: Plan) -> None:
    """The line above Start, and under it how many parameters train; a warning when it will not
    fit.
    """
    tokens, found = _tokens(plan), jobs().find(plan.key)
    trial: DryRun | None = found.result if found and found.state == "done" else None
    st.caption(estimate_sentence(plan.splits, plan.training, tokens, trial, len(plan.sentinels)))
    st.caption(count_parameters(plan.folder, plan.training).sentence())
    if trial:
        free = free_memory("cpu") if trial.device == "cpu" else trial.free
        if told := memory_sentence(trial, plan.training, free):
            st.warning(escape_markdown(told))
    elif found and found.state == "failed":
        st.warning(escape_markdown(found.error))


def measure(plan: Plan) -> None:
    """The button that starts a trial, or how far the trial is."""
    found = jobs().find(plan.key)
    if found and not found.over:
        wait_for(plan.key, "Measuring a few steps")
    elif found is None or found.state != "done":
        done = st.button(
            "Measure",
            key="measure",
            help="Tries a few real steps in the background: minutes and memory, for this machine.",
        )
        if done:
            jobs().start(
                plan.key,
                lambda progress: measure_dry_run(plan.splits, plan.model, plan.training, progress),
            )
            st.rerun()


def _tokens(plan: Plan) -> int | None:
    """Tokens of an epoch; None while they are being counted, and the page is drawn again when they
    are.
    """
    tokenizer = plan.folder / "tokenizer.json"
    state = tokenizer.stat().st_mtime_ns if tokenizer.exists() else 0
    key = f"lengths-{plan.splits.train.sha256}-{plan.folder}-{state}"
    job = jobs().find(key) or jobs().start(key, lambda progress: _lengths(plan, progress))
    until = time.monotonic() + PATIENCE
    while not job.over and time.monotonic() < until:
        time.sleep(0.02)
    if job.state == "done":
        return int(np.minimum(job.result, plan.training.max_length).sum())
    if not job.over:
        st.fragment(_counting, run_every=1.0)(job)
    return None


def _counting(job: Job) -> None:
    if job.over:
        st.rerun()
    st.caption("Counting tokens …")


def _lengths(plan: Plan, progress) -> np.ndarray:  # noqa: ANN001 - Callable[[float], None]
    """The length of each training review in tokens, at the longest that any setting reads."""
    from bertsent.models.backbone import load_tokenizer

    encoder, texts = (
        load_tokenizer(plan.folder, inspect_folder(plan.folder)),
        plan.splits.train.texts,
    )
    found: list[int] = []
    for start in range(0, len(texts), 500):
        progress(start / len(texts))
        found += map(len, encoder.ids(texts[start : start + 500], LIMITS.longest_length))
    return np.array(found, dtype=np.int32)
