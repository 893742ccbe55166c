"""Model, optimizer and reviews of a run: one step, one evaluation, one scoring of the sentinels at
a time.

``loop.train`` decides when. Dropout is seeded anew for every batch from (seed,
step, batch of the step), so evaluations, sentinels, pauses and crashes leave the random stream of
the training untouched, and a resumed run needs only its position. A step that accumulates is drawn
as one large batch and cut afterwards: twice 8 rows train as 16 rows do.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from accelerate import Accelerator

from bertsent.data.examples import Reviews, Splits
from bertsent.models.task_model import BertForTask
from bertsent.tasks.followed import followed_answer
from bertsent.tasks.mixed import MixedTask
from bertsent.text.batches import TokenBatch, collate, shuffled_batches, sorted_batches
from bertsent.text.mixed_batches import mixed_batches
from bertsent.text.tokens import ReviewTokenizer
from bertsent.training.config import MAX_GRADIENT_NORM, TrainingConfig
from bertsent.training.lr_schedule import rate_factor, steps_per_epoch
from bertsent.training.precision import choose_precision
from bertsent.training.trainable_parameters import (
    build_optimizer,
    choose_trainable,
    class_weights,
    set_dropout,
    set_rates,
)

EVALUATION_BATCH = 32

# Knuth's multiplier: keeps the seeds of a step's later batches away from those of other steps
_BATCH_SEED = 2_654_435_761


@dataclass(frozen=True)
class Encoded:
    """Reviews as token ids, and what is true of them."""

    reviews: Reviews
    ids: list[list[int]]
    targets: torch.Tensor

    @property
    def lengths(self) -> list[int]:
        return [len(row) for row in self.ids]


@dataclass(frozen=True)
class StepResult:
    """What one optimizer step measured; ``finite`` is False when loss or gradient were not, and
    then nothing was updated.
    """

    loss: float
    accuracy: float
    grad_norm: float
    tokens: int
    rates: dict[str, float]
    finite: bool


@dataclass(frozen=True)
class Evaluation:
    """All validation reviews answered, in their order: mean loss, and the answers as
    ``Task.answers`` gives them.
    """

    loss: float
    answers: np.ndarray
    seconds: float


class TrainerState:
    """Model, optimizer, encoded reviews and precision of a run. The model is prepared here: its
    frozen and trainable parts, adapters and dropout.
    """

    def __init__(
        self,
        model: BertForTask,
        tokenizer: ReviewTokenizer,
        splits: Splits,
        config: TrainingConfig,
        device: str,
        *,
        clean_texts: bool = True,
    ) -> None:
        choose_trainable(model, config)
        set_dropout(model.bert, config.hidden_dropout, config.attention_dropout)
        self.task = model.task
        self.config, self.tokenizer, self.clean_texts = config, tokenizer, clean_texts
        self.precision = choose_precision(config.precision, device)
        self.accelerator = _accelerator(device, self.precision.precision)
        self.train = self._encode(splits.train)
        self.validation = self._encode(splits.validation)
        self.plain = model  # without wrappers: for fp32 answers and for saving
        self.model, self.optimizer = self.accelerator.prepare(model, build_optimizer(model, config))
        weights = class_weights(self.train.targets, config.class_weights, self.task)
        self.class_weights = None if weights is None else weights.to(self.accelerator.device)
        self.steps_per_epoch = steps_per_epoch(len(self.train.ids), config)
        self.total_steps = self.steps_per_epoch * config.epochs
        self._epoch = -1
        self._steps: list[tuple[int, ...]] = []
        # of the rows of one step: what the loss takes, and what it is divided by
        self._weights: tuple[torch.Tensor | None, float] = (None, 1.0)
        self._recent: deque[tuple[int, float]] = deque(maxlen=20)

    def _encode(self, reviews: Reviews) -> Encoded:
        ids = self.tokenizer.input_ids(
            reviews.inputs, self.config.max_length, clean=self.clean_texts
        )
        return Encoded(reviews, ids, self.task.targets(reviews.targets))

    def epoch_of(self, step: int) -> float:
        return step / self.steps_per_epoch

    @property
    def sentinel_every(self) -> int:
        return self.config.sentinel_every or max(1, self.total_steps // 60)

    def take_step(self, step: int) -> StepResult:
        """Do optimizer step ``step``, counted from 1, over as many batches as it accumulates."""
        began = time.perf_counter()
        batches = self.batches(step)
        rows = [row for batch in batches for row in batch]
        self.model.train()
        if self.config.trains == "head":
            self.plain.bert.eval()  # frozen features are the same every time
        rates = set_rates(
            self.optimizer.param_groups,
            rate_factor(step, self.total_steps, self.config.warmup_share),
        )
        asked = self._begin(step, rows)
        loss, right, tokens, norm = 0.0, 0.0, 0, math.nan
        for number, batch in enumerate(batches, start=1):
            self._seed(step, number)
            share, hits, read = self._forward(batch)
            total = self._summed(share, hits)
            loss, right, tokens = loss + total[0], right + total[1], tokens + read
            if not math.isfinite(total[0]):
                break
            if number == len(batches):
                norm = self._update(share)
            else:  # processes exchange gradients once, with the last batch of the step
                with self.accelerator.no_sync(self.model):
                    self.accelerator.backward(share)
        self._recent.append((tokens, time.perf_counter() - began))
        finite = math.isfinite(loss) and math.isfinite(norm)
        return StepResult(loss, right / asked, norm, tokens, rates, finite)

    def _begin(self, step: int, rows: list[int]) -> int:
        """Get ready for the rows of a step; gives back how many answers are counted in it."""
        self._weights = self.task.step_weights(self.train.targets[rows], self.class_weights)
        return len(rows)

    def _seed(self, step: int, number: int) -> None:
        own = (self.config.seed * 1_000_003 + step) * 64 + self.accelerator.process_index
        torch.manual_seed(own + (number - 1) * _BATCH_SEED)

    def _collated(
        self, ids: Sequence[list[int]] | Mapping[int, list[int]], rows: Sequence[int]
    ) -> TokenBatch:
        return collate(ids, rows, pad_id=self.tokenizer.pad_id, limit=self.config.max_length)

    def _inputs(self, batch: TokenBatch, mine: slice = slice(None)) -> list[torch.Tensor]:
        """What the model is given of some rows of a batch: ids, mask, and the segments where it
        reads two texts.
        """
        tensors = [batch.input_ids, batch.attention_mask]
        if self.task.reads != "text":
            tensors.append(batch.segments(self.tokenizer.sep_id))
        return [tensor[mine].to(self.accelerator.device) for tensor in tensors]

    def _forward(self, rows: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor, int]:
        """This process's part of a batch: its share of the step's loss, how many it gets right, the
        tokens of the whole batch.
        """
        world = self.accelerator.num_processes
        mine = slice(self.accelerator.process_index, None, world)
        inputs, targets, tokens = self._question(rows, mine)
        logits = self.model(*inputs).float()
        weights, divisor = self._weights
        loss = self.task.loss(logits, targets, weights, self.config.label_smoothing)
        hits = self.task.right(logits.detach(), targets)
        return loss / divisor * world, hits, tokens

    def _question(
        self, rows: tuple[int, ...], mine: slice
    ) -> tuple[list[torch.Tensor], torch.Tensor, int]:
        """What the model is given of some rows of a batch, what is true of them, and the tokens of
        the whole batch.
        """
        batch = self._collated(self.train.ids, rows)
        targets = self.train.targets[list(rows)][mine].to(self.accelerator.device)
        return self._inputs(batch, mine), targets, int(batch.attention_mask.sum())

    def _summed(self, loss: torch.Tensor, hits: torch.Tensor) -> list[float]:
        """Loss and hits of all processes together; each has scaled its loss up by their number,
        because gradients are averaged.
        """
        world = self.accelerator.num_processes
        totals = torch.stack([loss.detach() / world, hits])
        return (self.accelerator.reduce(totals, "sum") if world > 1 else totals).tolist()

    def _update(self, loss: torch.Tensor) -> float:
        """Backward, clip, update; a gradient that is not finite is measured but never applied."""
        self.accelerator.backward(loss)
        norm = float(self.accelerator.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM))
        if math.isfinite(norm):
            self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return norm

    def batches(self, step: int) -> list[tuple[int, ...]]:
        """The rows of each batch of optimizer step ``step``."""
        size, (epoch, position) = self.config.batch_size, divmod(step - 1, self.steps_per_epoch)
        if epoch != self._epoch:
            self._steps, self._epoch = self._drawn(epoch, size * self.config.accumulate), epoch
        rows = self._steps[position]
        return [rows[start : start + size] for start in range(0, len(rows), size)]

    def _drawn(self, epoch: int, size: int) -> list[tuple[int, ...]]:
        """The rows of each step of an epoch."""
        seed, lengths, reviews = self.config.seed, self.train.lengths, self.train.reviews
        rows = self.config.epoch_rows
        mixed = isinstance(self.task, MixedTask)
        if mixed or rows:
            parts = self.train.targets[:, 0].int().tolist() if mixed else [0] * len(lengths)
            return mixed_batches(lengths, parts, size, seed=seed, epoch=epoch, rows=rows)
        groups = [example.pair or example.id for example in reviews]
        return shuffled_batches(lengths, size, seed=seed, epoch=epoch, groups=groups)

    @property
    def tokens_per_second(self) -> float:
        return sum(t for t, _ in self._recent) / max(sum(s for _, s in self._recent), 1e-9)

    @property
    def seconds_per_step(self) -> float:
        return sum(s for _, s in self._recent) / max(len(self._recent), 1)

    @torch.inference_mode()
    def evaluate(self, interrupted: Callable[[], bool] = lambda: False) -> Evaluation | None:
        """Answer every validation review in full precision, so that the same weights loaded again
        answer alike; None when ``interrupted`` said so between two batches.
        """
        began = time.perf_counter()
        self.plain.eval()
        logits = torch.empty(len(self.validation.ids), self.task.outputs)
        for rows in sorted_batches(self.validation.lengths, EVALUATION_BATCH):
            if interrupted():
                return None
            batch = self._collated(self.validation.ids, rows)
            logits[list(rows)] = self._logits(*self._inputs(batch)).cpu()
        loss = self.task.loss(logits, self.validation.targets).item() / len(logits)
        answers = self.task.answers(logits.numpy())
        return Evaluation(loss, answers, time.perf_counter() - began)

    def guesses(self, texts: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """The likeliest words for the gap of each sentence; {} where no words are filled in."""
        return {}

    @torch.inference_mode()
    def score(self, texts: Sequence[str]) -> dict[str, float]:
        """P(positive) of each text in full precision, as the Probe page computes it, or by what
        else the answers of this task are followed (``tasks.followed``); NaN where by nothing.
        """
        self.plain.eval()
        followed, scores = followed_answer(self.task), {}
        for text in texts:
            ids = torch.tensor(
                self.tokenizer.ids([text], self.config.max_length), device=self.accelerator.device
            )
            logits = self._logits(ids, torch.ones_like(ids)).cpu().numpy()
            scores[text] = float(followed.share(logits)[0]) if followed else math.nan
        return scores

    def _logits(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Those of the model past the wrapper that casts to bf16."""
        return type(self.plain).forward(self.plain, *inputs)


def _accelerator(device: str, precision: str) -> Accelerator:
    from accelerate.state import AcceleratorState

    # one process may train twice, with other settings
    AcceleratorState._reset_state(reset_partial_state=False)
    return Accelerator(mixed_precision="bf16" if precision == "bf16" else "no", cpu=device == "cpu")
