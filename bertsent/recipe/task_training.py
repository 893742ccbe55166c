"""Public sets in, the weights of one encoder with five heads out: all tasks are learned at once.

Each step draws two of the sets by their shares, takes a batch of each and adds the losses before
the update. The encoder begins between the backbone and the sentiment model; its input vectors stay
as they are. What is kept is the exponential average of the weights. A training that was killed goes
on from where it last saved, with the same batches.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from bertsent.data.examples import Reviews
from bertsent.files import atomic_path
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.pooling import pool
from bertsent.probing.registry import SHIPPED, shipped
from bertsent.recipe.task_sets import learned_sets
from bertsent.tasks.catalogue import FEELINGS
from bertsent.text.batches import TokenBatch, collate, shuffled_batches
from bertsent.training.lr_schedule import rate_factor

LONGEST, SETS_A_STEP, DECAY, CLIP, MOST_AVERAGED = 128, 2, 0.01, 1.0, 0.999
LOGITS = {"sst": 5, "asp": 3, "emo": len(FEELINGS.labels), "sts": 1, "par": 1}
SHARES = {  # the head that a set teaches, and how often it is drawn
    "sentences": ("sst", 0.10),
    "phrases": ("sst", 0.28),
    "sts": ("sts", 0.12),
    "sick": ("sts", 0.06),
    "questions": ("par", 0.16),
    "paws": ("par", 0.05),
    "terms": ("asp", 0.10),
    "tweets": ("emo", 0.13),
}
_ALPHABETICAL = [FEELINGS.labels.index(label) for label in sorted(FEELINGS.labels)]


@dataclass(frozen=True)
class Plan:
    """How long and how fast the heads are trained. ``towards_sentiment`` is how far the encoder
    begins on the way from the backbone to the sentiment model.
    """

    steps: int = 5_000
    batch_size: int = 32
    encoder_lr: float = 6e-5
    head_lr: float = 1e-3
    warmup_share: float = 0.06
    towards_sentiment: float = 0.6
    seed: int = 42
    save_every: int = 100

    def story(self) -> str:
        """The plan in words, for the card."""
        return (
            f"{self.steps:,} steps, peak rates {self.encoder_lr:g} (heads {self.head_lr:g}), "
            f"warm-up {100 * self.warmup_share:.0f} %, seed {self.seed}; the encoder began "
            f"{100 * self.towards_sentiment:.0f} % of the way from the backbone to the built-in "
            "sentiment model."
        )


def train_heads(data: Path, weights: Path, plan: Plan = Plan()) -> Iterator[str]:  # noqa: B008
    """Train to the end of the plan and write the weights, with its story beside them; yields a line
    whenever it saves.

    Raises:
        NotAvailable: a data file is missing.
    """
    training = HeadTraining(learned_sets(data), plan)
    saved = weights.with_suffix(".unfinished")
    if saved.is_file():
        training.restore(torch.load(saved, weights_only=True))
    while training.step < plan.steps:
        loss = training.take_step()
        if training.step % plan.save_every == 0:
            _save(training.state(), saved)
            yield f"Step {training.step:,} of {plan.steps:,}: loss {loss:.3f}"
    _save(training.averaged(), weights)
    weights.with_suffix(".md").write_text(plan.story() + "\n", encoding="utf-8")
    saved.unlink(missing_ok=True)


class HeadTraining:
    """One encoder, five heads, and where their training stands."""

    def __init__(self, sets: Mapping[str, Reviews], plan: Plan) -> None:
        self.plan, self.step = plan, 0
        torch.manual_seed(plan.seed)
        backbone = load_backbone("builtin")
        bert = backbone.model
        _move_towards_sentiment(bert, plan.towards_sentiment)
        bert.embeddings.requires_grad_(False)
        heads = {name: nn.Linear(bert.config.hidden_size, n) for name, n in LOGITS.items()}
        self.bert, self.heads = bert, nn.ModuleDict(heads)
        self.model = nn.ModuleDict({"bert": bert, "heads": self.heads}).train()
        self.tokenizer = backbone.tokenizer
        self.sets = {name: LearnedSet(name, sets[name], self) for name in SHARES}
        encoder = [weights for weights in bert.parameters() if weights.requires_grad]
        own = list(self.heads.parameters())
        self.learned = [*encoder, *own]
        self.mean = [weights.detach().clone() for weights in self.learned]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": encoder, "peak": plan.encoder_lr, "weight_decay": DECAY},
                {"params": own, "peak": plan.head_lr, "weight_decay": 0.0},
            ]
        )

    def take_step(self) -> float:
        """Learn from a batch of each of two sets; gives back the sum of their losses."""
        factor = rate_factor(self.step + 1, self.plan.steps, self.plan.warmup_share)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        self.optimizer.zero_grad()
        shares = np.array([share for _, share in SHARES.values()])
        random = np.random.default_rng([self.plan.seed, self.step])
        total = 0.0
        for name in random.choice(list(SHARES), SETS_A_STEP, replace=False, p=shares):
            loss = self.loss(str(name))
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(self.learned, CLIP)
        self.optimizer.step()
        self.step += 1
        self._average()
        return total

    def loss(self, name: str) -> torch.Tensor:
        """That of the next batch of a set."""
        head, _ = SHARES[name]
        batch, targets = self.sets[name].next()
        mask = batch.attention_mask
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self.bert(
                input_ids=batch.input_ids,
                attention_mask=mask,
                token_type_ids=batch.segments(self.tokenizer.sep_id),
            ).last_hidden_state
            vectors = nn.functional.dropout(pool(hidden, mask, "mean"), 0.1)
            logits = self.heads[head](vectors).float()
        return loss_of(head, logits, targets)

    def averaged(self) -> dict[str, torch.Tensor]:
        """The weights with what was learned replaced by its average."""
        names = {id(weights): name for name, weights in self.model.named_parameters()}
        means = {names[id(w)]: mean for w, mean in zip(self.learned, self.mean, strict=True)}
        return {**self.model.state_dict(), **means}

    def state(self) -> dict[str, Any]:
        """All that going on needs."""
        return {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "mean": self.mean,
            "taken": {name: each.taken for name, each in self.sets.items()},
            "random": torch.get_rng_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave."""
        self.step, self.mean = state["step"], state["mean"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, taken in state["taken"].items():
            self.sets[name].taken = taken
        torch.set_rng_state(state["random"])

    @torch.no_grad()
    def _average(self) -> None:
        kept = min(MOST_AVERAGED, self.step / (9 + self.step))
        for mean, weights in zip(self.mean, self.learned, strict=True):
            mean.lerp_(weights, 1 - kept)


class LearnedSet:
    """The batches of one set, epoch after epoch; ``taken`` is how many have been."""

    def __init__(self, name: str, reviews: Reviews, training: HeadTraining) -> None:
        tokenizer, self._plan, self.taken = training.tokenizer, training.plan, 0
        self._rows = tokenizer.input_ids(reviews.inputs, LONGEST)
        self._pad_id, self._epoch = tokenizer.pad_id, -1
        self._batches: list[tuple[int, ...]] = []
        targets = torch.tensor(reviews.targets, dtype=torch.float)
        self._targets = targets[:, _ALPHABETICAL] if SHARES[name][0] == "emo" else targets

    def next(self) -> tuple[TokenBatch, torch.Tensor]:
        """The next batch and what is true of it."""
        each = -(-len(self._rows) // self._plan.batch_size)
        epoch, place = divmod(self.taken, each)
        if epoch != self._epoch:
            lengths, plan = [len(row) for row in self._rows], self._plan
            self._epoch = epoch
            self._batches = shuffled_batches(lengths, plan.batch_size, seed=plan.seed, epoch=epoch)
        positions = list(self._batches[place])
        self.taken += 1
        batch = collate(self._rows, positions, pad_id=self._pad_id, limit=LONGEST)
        return batch, self._targets[positions]


def loss_of(head: str, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean loss of a batch: cross-entropy, binary cross-entropy, or squared error of a sigmoid
    that is stretched to 5; the last two weigh more, since their numbers are smaller.
    """
    if head in ("sst", "asp"):
        return cross_entropy(logits, targets.long(), label_smoothing=0.05)
    if head == "par":
        return binary_cross_entropy_with_logits(logits[:, 0], targets)
    if head == "emo":
        return 2 * binary_cross_entropy_with_logits(logits, targets)
    return 6 * (logits[:, 0].sigmoid() - targets / 5).square().mean()


@torch.no_grad()
def _move_towards_sentiment(bert: nn.Module, share: float) -> None:
    if not share or not shipped():
        return
    tuned = load_checkpoint(SHIPPED).model.bert.state_dict()
    for name, weights in bert.named_parameters():
        weights.lerp_(tuned[name], share)


def _save(state: Mapping[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as unfinished:
        torch.save(dict(state), unfinished)
