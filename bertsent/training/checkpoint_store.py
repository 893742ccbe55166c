"""A run's checkpoints on disk: each whole or absent, the newest two ready for an exact resume.

``step-N`` is a model folder like any other. While a resume may need it, it also holds
``trainer.safetensors`` (AdamW moments, adapters) and ``trainer.json`` (position and times). Random
numbers need no saving: they depend on (seed, step). The checkpoints kept inside the epochs hold
weights alone, and are left out rather than fill the disk.
"""

import hashlib
import json
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from bertsent.errors import BadCheckpoint
from bertsent.models.backbone import weights_hash
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.training.checkpoints import (
    PROGRESS,
    TRAINER,
    list_checkpoints,
    read_progress,
    resumable_checkpoints,
    step_of,
)
from bertsent.training.trainable_parameters import adapter_state, merged
from bertsent.training.trainer_state import TrainerState

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
# A checkpoint inside an epoch needs free space of this many times the size of the weights; two
# resumable checkpoints take 6
ROOM = 10


@dataclass(frozen=True)
class TrainingProgress:
    """Where a run stands.

    ``evaluated`` is the last step whose evaluation is done (-1 none), ``seconds`` the time trained.
    ``loss`` and ``accuracy`` are sums over the steps of this epoch so far. The last three serve
    early stopping: the lowest validation loss, its step (-1 none), and the evaluations without a
    lower one since.
    """

    step: int = 0
    evaluated: int = -1
    seconds: float = 0.0
    loss: float = 0.0
    accuracy: float = 0.0
    best_loss: float = 0.0
    best_step: int = -1
    worse: int = 0

    def after_epoch(self, validation_loss: float) -> "TrainingProgress":
        """The progress once this epoch is evaluated. The untrained model is never the best one."""
        rested = replace(self, loss=0.0, accuracy=0.0)
        if self.step == 0:
            return rested
        if self.best_step < 0 or validation_loss < self.best_loss:
            return replace(rested, best_loss=validation_loss, best_step=self.step, worse=0)
        return replace(rested, worse=self.worse + 1)


class CheckpointStore:
    """The folder ``checkpoints/`` of one run; the worker is its only writer."""

    def __init__(self, folder: Path, run: str, backbone: str) -> None:
        self.folder, self.run, self.backbone = folder, run, backbone

    def save(self, state: TrainerState, progress: TrainingProgress, *, keep: bool) -> Path:
        """Write ``step-N`` for resuming, then delete what it makes redundant.

        Args:
            state: model, optimizer and data of the run.
            progress: where the run stands.
            keep: True for weights that stay; others go once two newer checkpoints exist.

        Raises:
            OSError: the disk is full; older checkpoints are untouched.
        """
        trainer = _trainer_bytes(state)
        facts = {**asdict(progress), "keep": keep, "sha256": hashlib.sha256(trainer).hexdigest()}
        target = self._write(
            state, progress.step, {TRAINER: trainer, PROGRESS: json.dumps(facts).encode()}
        )
        for folder in list(resumable_checkpoints(self.folder))[2:]:
            if read_progress(folder).get("keep"):
                for name in (TRAINER, PROGRESS):
                    (folder / name).unlink(missing_ok=True)
            else:
                _delete(folder)
        return target

    def save_weights(self, state: TrainerState, step: int) -> Path | None:
        """Write a kept checkpoint of the weights of ``step`` alone; None where that would leave
        too little space for resumable checkpoints.
        """
        if shutil.disk_usage(self.folder).free < ROOM * sum(
            p.numel() * 4 for p in state.plain.parameters()
        ):
            return None
        with suppress(OSError):
            return self._write(state, step, {})
        return None

    def _write(self, state: TrainerState, step: int, files: dict[str, bytes]) -> Path:
        target = self.folder / f"step-{step}"
        card = CheckpointCard(
            max_length=state.config.max_length,
            backbone=self.backbone,
            run=self.run,
            step=step,
            epoch=state.epoch_of(step),
        )
        try:
            save_checkpoint(target, merged(state.plain), state.tokenizer, card, files)
        except SafetensorError as error:
            raise OSError(str(error)) from error
        return target

    def restore(self, state: TrainerState) -> TrainingProgress:
        """Put weights, adapters and moments of the newest sound checkpoint into ``state``; the
        start when there is none.
        """
        for folder in resumable_checkpoints(self.folder):
            try:
                return _restore(folder, state)
            except (
                BadCheckpoint,
                SafetensorError,
                OSError,
                ValueError,
                KeyError,
                TypeError,
                RuntimeError,
            ) as error:
                print(
                    f"{folder.name} cannot be resumed from ({error}); trying an older one",
                    flush=True,
                )
        return TrainingProgress()

    def delete_after(self, step: int) -> None:
        """Delete the checkpoints of later steps, which a resume from ``step`` supersedes."""
        for folder in list_checkpoints(self.folder):
            if step_of(folder) > step:
                _delete(folder)

    def sweep(self) -> None:
        """Remove what a crash in the middle of a save left behind."""
        for leftover in self.folder.glob(".step-*"):
            shutil.rmtree(leftover, ignore_errors=True)


def _delete(folder: Path) -> None:
    """Rename first: the folder leaves the list at once, even if deleting its files fails."""
    shutil.rmtree(folder.rename(folder.with_name(f".{folder.name}-old")))


def _trainer_bytes(state: TrainerState) -> bytes:
    names = {id(p): name for name, p in state.plain.named_parameters()}
    tensors = {
        f"adapter.{name}": value.cpu().contiguous()
        for name, value in adapter_state(state.plain).items()
    }
    for group in state.optimizer.param_groups:
        for parameter in group["params"]:
            for moment, value in state.optimizer.state.get(parameter, {}).items():
                tensors[f"{moment}.{names[id(parameter)]}"] = value.detach().cpu().contiguous()
    return save(tensors)


def _restore(folder: Path, state: TrainerState) -> TrainingProgress:
    values = json.loads((folder / PROGRESS).read_text(encoding="utf-8"))
    # checkpoints of versions without early stopping lack the last three numbers
    progress = TrainingProgress(
        **{n: type(v)(values.get(n, v)) for n, v in asdict(TrainingProgress()).items()}
    )
    if weights_hash(folder / TRAINER) != values["sha256"]:
        raise BadCheckpoint(f"{TRAINER} is damaged.")
    saved = load_file(folder / TRAINER)
    _restore_weights(folder, state.plain, saved)
    for name, parameter in state.plain.named_parameters():
        moments = {
            m: saved[f"{m}.{name}"].to(parameter.device) for m in _MOMENTS if f"{m}.{name}" in saved
        }
        if moments:
            state.optimizer.state[parameter] = moments
    return progress


def _restore_weights(folder: Path, model: BertForTask, saved: dict[str, torch.Tensor]) -> None:
    plain = load_checkpoint(folder).model
    adapters = {
        name.removeprefix("adapter."): value
        for name, value in saved.items()
        if name.startswith("adapter.")
    }
    if adapters:  # the encoder's own weights never moved; the checkpoint holds them merged
        with torch.no_grad():
            for name, value in adapters.items():
                model.get_parameter(name).copy_(value)
        model.classifier.load_state_dict(plain.classifier.state_dict())
    else:
        model.load_state_dict(plain.state_dict())
