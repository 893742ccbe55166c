"""Short trainings of the tiny model in this process: what a run states, and what it ends with."""

import copy
from functools import lru_cache
from pathlib import Path

import torch

from bertsent.data.splits import split
from bertsent.models.backbone import load_backbone
from bertsent.models.masked_words_model import masked_words_model
from bertsent.models.multitask_model import BertForTasks
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task
from bertsent.training.checkpoint_store import CheckpointStore
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Event
from bertsent.training.loop import train
from bertsent.training.runs.history import History

SENTINELS = ("a fine warm film", "no fun")


def recipe(**changes) -> TrainingConfig:
    """32 training reviews in batches of 8: four steps an epoch."""
    usual = {
        "epochs": 2,
        "batch_size": 8,
        "max_length": 64,
        "precision": "fp32",
        "warmup_share": 0.25,
        "save_seconds": 86_400.0,
    }
    return TrainingConfig(
        **{
            **usual,
            "kept_checkpoints": 0,
            "encoder_lr": 3e-3,
            "head_lr": 1e-2,
            "sentinel_every": 3,
            **changes,
        }
    )


@lru_cache(maxsize=4)
def _backbone(name: str):
    return load_backbone(name)


def fresh(backbone: Path, config: TrainingConfig, task: Task = SENTIMENT):
    """What ``build_model`` gives, without reading the files again and again (a test below holds the
    two together).
    """
    found = _backbone(str(backbone))
    torch.manual_seed(config.seed)
    encoder, pooling, dropout = copy.deepcopy(found.model), config.pooling, config.dropout
    if isinstance(task, MaskedWords):
        model = masked_words_model(str(backbone), backbone, encoder)
    elif isinstance(task, MixedTask):
        model = BertForTasks(encoder, task, pooling, dropout, config.head_options)
    else:
        model = BertForTask(encoder, pooling, dropout, task=task)
    return model, found.tokenizer


def store(folder: Path) -> CheckpointStore:
    return CheckpointStore(folder, "toy-run", "tiny")


class LoopHarness:
    """One run of the tiny model, in as many passes as somebody's wishes make of it."""

    def __init__(
        self,
        backbone: Path,
        reviews,
        config: TrainingConfig,
        folder: Path | None = None,
        sentinels=(),
    ) -> None:
        self.backbone, self.config, self.sentinels = backbone, config, sentinels
        self.splits = split(reviews, seed=config.seed)
        self.store = store(folder) if folder else None
        self.events: list[Event] = []
        self.scores: dict[int, list[float]] = {}
        self.passes = 0

    def go(self, requested=lambda: "", crash_after: int | None = None) -> Event:
        """One pass; ``crash_after`` so many events nobody listens any more, as if the process had
        been killed.
        """
        task = self.splits.train.task
        self.model, self.tokenizer = fresh(self.backbone, self.config, task)
        self.passes += 1
        course = train(
            self.model,
            self.tokenizer,
            self.splits,
            self.config,
            sentinels=self.sentinels,
            device="cpu",
            store=self.store,
            requested=requested,
            save_scores=lambda step, p: self.scores.update({step: p.tolist()}),
        )
        for number, event in enumerate(course, start=1):
            self.events.append(event)
            if number == crash_after:
                break
        return self.events[-1]

    @property
    def history(self) -> History:
        return History().add(self.events)

    def weights(self) -> dict[str, torch.Tensor]:
        return {name: value.detach().clone() for name, value in self.model.state_dict().items()}


def facts(history: History) -> dict[str, list[tuple]]:
    """Everything measured that must not depend on pauses, crashes or onlookers."""
    return {
        "steps": [
            (
                s.step,
                s.loss,
                s.accuracy,
                s.grad_norm,
                s.learning_rate,
                s.head_learning_rate,
                s.tokens,
            )
            for s in history.steps
        ],
        "evaluations": [
            (e.step, e.loss, e.accuracy, e.macro_f1, e.train_loss, e.train_accuracy)
            for e in history.evaluations
        ],
        "sentinels": [(s.step, *s.scores.values()) for s in history.sentinels],
    }


def paused_after(calls: int):
    """Somebody who asks for a pause when asked for the ``calls``-th time."""
    count = iter(range(calls - 1))
    return lambda: "" if next(count, None) is not None else "pause"


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
