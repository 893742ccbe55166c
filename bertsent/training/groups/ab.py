"""A/B runs: the same training without and with contrastive reviews, or without and with further
pretraining, once for each seed.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bertsent.data.examples import Reviews, Splits
from bertsent.data.paired_splits import HANDCRAFTED, paired_splits
from bertsent.errors import BadInput
from bertsent.progress import Progress, no_progress
from bertsent.tasks.masked_words import MaskedWords
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.run_group import (
    ARMS,
    FURTHER_PRETRAINING,
    MemberState,
    PlannedRun,
    RunGroup,
    start_group,
)
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run

MAX_SEEDS = 5


def start_ab_runs(
    source: str | Path | Reviews,
    training: TrainingConfig,
    *,
    rows: str = HANDCRAFTED,
    times: int = 1,
    seeds: int = 1,
    model: str = "builtin",
    sentinels: tuple[str, ...] = (),
    owner: str = "",
    admit: Callable[[Sequence[Run]], None] = lambda runs: None,
    progress: Progress = no_progress,
) -> RunGroup:
    """Prepare and launch two runs for each seed from ``training.seed`` on.

    Args:
        source: what ``paired_splits`` takes.
        training: the configuration of both arms.
        rows: which contrastive reviews one arm has, a key of ``paired_splits.ROWS``.
        times: how often each of them is repeated.
        seeds: how many, from 1 to 5.
        model: the backbone.
        sentinels: sentences that are re-scored during training.
        owner: whose the runs are; the host's where it is empty.
        admit: raises where the prepared runs may not start.
        progress: told how many of them are prepared.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MAX_SEEDS:
        raise BadInput(
            f"A/B runs cannot be trained with {seeds} seeds.", f"Choose from 1 to {MAX_SEEDS}."
        )
    splits = paired_splits(source, rows, times)
    without, having = ARMS
    arms = ((without, splits.without, 0, 0.0), (having, splits.having, splits.times, splits.share))
    plans = [
        PlannedRun(part, replace(training, seed=seed), f"{arm}, seed {seed}", arm, repeats, share)
        for seed, (arm, part, repeats, share) in itertools.product(
            range(training.seed, training.seed + seeds), arms
        )
    ]
    return start_group(
        "ab",
        plans,
        source=splits.without.train.name,
        model=model,
        sentinels=sentinels,
        rows=rows,
        times=splits.times,
        owner=owner,
        admit=admit,
        progress=progress,
    )


def start_pretrained_pair(
    pretrained: Run,
    splits: Splits,
    training: TrainingConfig,
    *,
    source: str,
    sentinels: tuple[str, ...] = (),
    owner: str = "",
    admit: Callable[[Sequence[Run]], None] = lambda runs: None,
) -> RunGroup:
    """Prepare and launch two runs that differ in the encoder they begin with alone: that with which
    a run of masked words began, and what it made of it.

    Args:
        pretrained: the run that learned masked words; its newest checkpoint is taken.
        splits: what both learn from and are evaluated on.
        training: the configuration of both.
        source: the name of these reviews.
        sentinels: sentences that are re-scored during training.
        owner: whose the runs are; the host's where it is empty.
        admit: raises where the prepared runs may not start.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    saved = list_checkpoints(pretrained.checkpoints)
    BadInput.raise_if(
        not isinstance(pretrained.config.task, MaskedWords) or not saved,
        f"Run {pretrained.id} has not pretrained an encoder.",
        "Choose one that learned masked words.",
    )
    seed, models = training.seed, (pretrained.config.model, str(saved[-1].resolve()))
    plans = [
        PlannedRun(splits, training, f"{arm} further pretraining, seed {seed}", arm, model=model)
        for arm, model in zip(ARMS, models, strict=True)
    ]
    return start_group(
        "ab",
        plans,
        source=source,
        model=models[0],
        sentinels=sentinels,
        rows=FURTHER_PRETRAINING,
        owner=owner,
        admit=admit,
    )


@dataclass(frozen=True)
class ArmPair:
    """Both runs of one seed after the last epoch that both have done; ``answers`` are their
    P(positive) of the same validation reviews, (n,) each.
    """

    seed: int
    epoch: int
    runs: tuple[Run, Run]  # without, with
    steps: tuple[int, int]
    answers: tuple[np.ndarray, np.ndarray]

    @property
    def models(self) -> tuple[str, str]:
        """The checkpoints of that epoch, as the registry calls them."""
        (without, having), (step, other_step) = self.runs, self.steps
        return f"{without.id}/step-{step}", f"{having.id}/step-{other_step}"


def arm_pairs(states: Sequence[MemberState]) -> list[ArmPair]:
    """The pairs whose runs have an epoch in common, in order of seed; a seed with a run missing is
    left out.
    """
    found = {(s.member.seed, s.member.arm): (s.run, _answers(s.run, s.history)) for s in states}
    pairs = []
    for seed in sorted({seed for seed, _ in found if all((seed, arm) in found for arm in ARMS)}):
        (without, first), (having, second) = (found[seed, arm] for arm in ARMS)
        if common := first.keys() & second.keys():
            epoch = max(common)
            (step, answers), (other_step, other_answers) = first[epoch], second[epoch]
            runs, steps = (without, having), (step, other_step)
            pairs.append(ArmPair(seed, epoch, runs, steps, (answers, other_answers)))
    return pairs


def _answers(run: Run, history: History) -> dict[int, tuple[int, np.ndarray]]:
    """Step and validation answers after every whole epoch."""
    return {
        round(e.epoch): (e.step, scores)
        for e in history.epoch_evaluations
        if e.step and (scores := run.scores(e.step)) is not None
    }
