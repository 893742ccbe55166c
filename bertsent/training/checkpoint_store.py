"""A run's checkpoints on disk: each whole or absent, the newest two able to go on exactly.

``step-N`` is a model folder like any other. While it may still be needed to go on it also holds
``trainer.safetensors``
(AdamW moments, adapters) and ``trainer.json`` (place and times). Random numbers need no saving:
they depend on (seed, step).
A waypoint is for looking back only: weights alone, and left out rather than fill the disk.
"""

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import torch
from safetensors import SafetensorError

from bertsent.errors import BadCheckpoint
from bertsent.models.backbone import weights_hash
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.sentiment import BertForSentiment
from bertsent.training.checkpoints import PLACE, TRAINER, resumable_checkpoints
from bertsent.training.trainable_parameters import adapter_state, merged
from bertsent.training.trainer_state import TrainerState

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
# times the size of the weights: so much has to be free for a waypoint; two checkpoints that can be
# gone on from take 6
ROOM = 10


@dataclass(frozen=True)
class TrainingProgress:
    """Where a run stands: the steps done, the last step whose evaluation is done (-1 none), seconds
    trained.

    ``loss`` and ``accuracy`` are sums over the steps of this epoch so far, for the means that its
    evaluation states. The last
    three remember the lowest validation loss, the step it was seen at (-1 none), and the
    evaluations without a lower one since.
    """

    step: int = 0
    evaluated: int = -1
    seconds: float = 0.0
    loss: float = 0.0
    accuracy: float = 0.0
    best_loss: float = 0.0
    best_step: int = -1
    worse: int = 0

    def judged(self, loss: float) -> "TrainingProgress":
        """The place after an evaluation of this step with that validation loss. What is not trained
        yet is no best.
        """
        if self.step == 0:
            return self
        if self.best_step < 0 or loss < self.best_loss:
            return replace(self, best_loss=loss, best_step=self.step, worse=0)
        return replace(self, worse=self.worse + 1)


class CheckpointStore:
    """The folder ``checkpoints/`` of one run; the worker is its only writer."""

    def __init__(self, folder: Path, run: str, backbone: str) -> None:
        self.folder, self.run, self.backbone = folder, run, backbone

    def save(self, learning: TrainerState, place: TrainingProgress, *, keep: bool) -> Path:
        """Write ``step-N``, then drop what it makes superfluous.

        Args:
            learning: the run's moving parts.
            place: where it stands.
            keep: an epoch's end, whose weights stay; others go once two newer ones exist.

        Raises:
            OSError: the disk is full; older checkpoints are untouched.
        """
        trainer = _trainer_bytes(learning)
        facts = {**asdict(place), "keep": keep, "sha256": hashlib.sha256(trainer).hexdigest()}
        state = {TRAINER: trainer, PLACE: json.dumps(facts).encode()}
        target = self._write(learning, place.step, state)
        self._prune()
        return target

    def save_waypoint(self, learning: TrainerState, step: int) -> Path | None:
        """Write the weights of ``step`` to stay; nothing where that would leave too little room for
        what resuming needs.
        """
        size = sum(p.numel() * 4 for p in learning.plain.parameters())
        if shutil.disk_usage(self.folder).free < ROOM * size:
            return None
        try:
            return self._write(learning, step, {})
        except OSError:
            return None

    def _write(self, learning: TrainerState, step: int, state: dict[str, bytes]) -> Path:
        target = self.folder / f"step-{step}"
        card = CheckpointCard(
            max_length=learning.config.max_length,
            backbone=self.backbone,
            run=self.run,
            step=step,
            epoch=learning.epoch_of(step),
        )
        try:
            save_checkpoint(target, merged(learning.plain), learning.tokenizer, card, state)
        except SafetensorError as error:
            raise OSError(str(error)) from error
        return target

    def _prune(self) -> None:
        for folder in list(resumable_checkpoints(self.folder))[2:]:
            if _place_values(folder).get("keep"):
                for name in (TRAINER, PLACE):
                    (folder / name).unlink(missing_ok=True)
            else:  # gone from the list at once, whatever happens while its files go
                shutil.rmtree(folder.rename(folder.with_name(f".{folder.name}-old")))

    def restore(self, learning: TrainerState) -> TrainingProgress:
        """Put weights, adapters and moments of the newest sound checkpoint into ``learning``; the
        start when there is none.
        """
        for folder in resumable_checkpoints(self.folder):
            try:
                return _restore(folder, learning)
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

    def sweep(self) -> None:
        """Remove what a crash in mid-save left behind."""
        for leftover in self.folder.glob(".step-*"):
            shutil.rmtree(leftover, ignore_errors=True)


def _place_values(folder: Path) -> dict:
    try:
        return json.loads((folder / PLACE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _trainer_bytes(learning: TrainerState) -> bytes:
    from safetensors.torch import save

    names = {id(p): name for name, p in learning.plain.named_parameters()}
    tensors = {
        f"adapter.{name}": value.cpu().contiguous()
        for name, value in adapter_state(learning.plain).items()
    }
    for group in learning.optimizer.param_groups:
        for parameter in group["params"]:
            for moment, value in learning.optimizer.state.get(parameter, {}).items():
                tensors[f"{moment}.{names[id(parameter)]}"] = value.detach().cpu().contiguous()
    return save(tensors)


def _restore(folder: Path, learning: TrainerState) -> TrainingProgress:
    from safetensors.torch import load_file

    values = json.loads((folder / PLACE).read_text(encoding="utf-8"))
    place = TrainingProgress(
        **{
            field.name: field.type(_remembered(values, field.name, field.default))
            for field in fields(TrainingProgress)
        }
    )
    if weights_hash(folder / TRAINER) != values["sha256"]:
        raise BadCheckpoint(f"{TRAINER} is damaged.")
    saved = load_file(folder / TRAINER)
    _restore_weights(folder, learning.plain, saved)
    for name, parameter in learning.plain.named_parameters():
        moments = {
            m: saved[f"{m}.{name}"].to(parameter.device) for m in _MOMENTS if f"{m}.{name}" in saved
        }
        if moments:
            learning.optimizer.state[parameter] = moments
    return place


def _remembered(values: dict, name: str, usual: float) -> float:
    """A number of the place; what patience needs was not written by earlier versions, which had
    none.
    """
    return values.get(name, usual) if name in ("best_loss", "best_step", "worse") else values[name]


def _restore_weights(folder: Path, model: BertForSentiment, saved: dict[str, torch.Tensor]) -> None:
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
