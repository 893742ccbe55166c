"""Sets of labelled texts in, the weights of one encoder with a head for each question out.

Each step draws some of the sets by their shares, takes a batch of each and adds the losses before
the update. The input vectors stay as they are. What is kept of a stage, and what the next one
begins with, is the exponential average of its weights, or a mix of that and of what the stage began
with. A training that was killed goes on from where it last saved, with the same batches.
"""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from bertsent.errors import BadInput
from bertsent.files import atomic_path, write_atomically
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.first_token import text_vectors
from bertsent.probing.registry import SHIPPED, shipped
from bertsent.recipe.learned_rows import BatchStream, LearnedBatch, LearnedRows
from bertsent.recipe.losses import HEAD_KINDS, PAIR_SHARE, pair_order
from bertsent.recipe.plan import Plan, Stage
from bertsent.training.lr_schedule import rate_factor
from bertsent.training.precision import choose_device, choose_precision
from bertsent.training.trainable_parameters import set_dropout

DECAY, CLIP, HEAD_DROPOUT, MOST_AVERAGED = 0.01, 1.0, 0.1, 0.999
RECENT = 0.02  # of the newest loss in the running mean that is reported


def learn(
    sets: Mapping[str, LearnedRows],
    plan: Plan,
    weights: Path,
    kind: "type[SetLearning] | None" = None,
) -> Iterator[str]:
    """Train to the end of the plan and write the weights; yields a line whenever it saves. Beside
    them lie the log (``.jsonl``: hashes of the sets, then losses) and the plan in words (``.md``).

    Args:
        sets: all that the shares of the plan name.
        plan: stages and rates.
        weights: the file to write.
        kind: what learns; none is ``SetLearning``.

    Raises:
        BadInput: an unfinished training there learned from other sets or by another plan.
    """
    saved, log = weights.with_suffix(".unfinished"), weights.with_suffix(".jsonl")
    state = torch.load(saved, weights_only=True) if saved.is_file() else None
    hashes = {name: rows.sha256() for name, rows in sorted(sets.items())}
    begun = {"plan": str(plan), **hashes}
    BadInput.raise_if(
        state and state["begun"] != begun,
        f"{saved} was begun with other data or another plan.",
        "Delete it to begin anew.",
    )
    if not state:
        log.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(log, (json.dumps({"sets": hashes}) + "\n").encode())
    ended = [weights.with_name(f"{stage.name}.pt") for stage in plan.stages]
    start = None
    for number, stage in enumerate(plan.stages):
        if state and state["stage"] > number:
            start = torch.load(ended[number], weights_only=True)
            continue
        training = (kind or SetLearning)(sets, plan, stage, start)
        if state and state["stage"] == number:
            training.restore(state)
        yield from _stage(training, {"stage": number, "begun": begun}, saved, log)
        learned = training.averaged()
        start = mixed(start, learned, stage.kept) if start else learned
        _save(start, ended[number])
    _save(start or {}, weights)
    weights.with_suffix(".md").write_text(plan.story() + "\n", encoding="utf-8")
    saved.unlink(missing_ok=True)


def mixed(
    before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """``share`` of the weights after a stage, the rest of those that it began with (Wortsman et al.
    2022, "Robust fine-tuning of zero-shot models", section 3).
    """
    return {
        name: torch.lerp(before[name], weights, share) if weights.is_floating_point() else weights
        for name, weights in after.items()
    }


def _stage(
    training: "SetLearning", where: Mapping[str, Any], saved: Path, log: Path
) -> Iterator[str]:
    stage, began, first, spent = training.stage, time.monotonic(), training.step, 0.0
    while training.step < stage.steps:
        training.take_step()
        if training.step % training.plan.save_every and training.step < stage.steps:
            continue
        _save({**training.state(), **where}, saved)
        losses = {name: round(loss, 4) for name, loss in sorted(training.losses.items())}
        passed = time.monotonic() - began
        facts = {"stage": stage.name, "step": training.step, "device": training.device}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**facts, "seconds": round(passed - spent, 1), **losses}) + "\n")
        spent, pace = passed, passed / (training.step - first)
        left = pace * (stage.steps - training.step) / 60
        yield f"{stage.name}: step {training.step:,} of {stage.steps:,}, {left:.0f} min left"


class SetLearning:
    """One encoder, its heads, and where a stage of their training stands.

    Args:
        sets: all that the shares of the stage name.
        plan: the whole plan.
        stage: one of its stages.
        start: the weights that it begins with; none begins with the backbone.
    """

    def __init__(
        self,
        sets: Mapping[str, LearnedRows],
        plan: Plan,
        stage: Stage,
        start: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        self.plan, self.stage, self.step, self.losses = plan, stage, 0, dict[str, float]()
        torch.manual_seed(plan.seed)
        self.device = choose_device()
        self.precision = choose_precision("auto", self.device).precision
        backbone = load_backbone("builtin")
        self.bert, self.tokenizer = backbone.model, backbone.tokenizer
        _move_towards_sentiment(self.bert, plan.towards_sentiment)
        set_dropout(self.bert, plan.hidden_dropout, 0.0)
        self.streams = {
            name: BatchStream(
                sets[name],
                self.tokenizer,
                longest=stage.longest,
                batch_size=plan.batch_size,
                seed=plan.seed,
            )
            for name in stage.shares
        }
        self.freeze()
        self.heads = self.new_heads()
        self.model = nn.ModuleDict({"bert": self.bert, "heads": self.heads})
        if start:
            self.model.load_state_dict(start)
        self.model.train().to(self.device)
        encoder = [weights for weights in self.bert.parameters() if weights.requires_grad]
        own = list(self.heads.parameters())
        self.learned = [*encoder, *own]
        self.mean = [weights.detach().clone() for weights in self.learned]
        groups = [
            {"params": encoder, "peak": stage.encoder_lr, "weight_decay": DECAY},
            {"params": own, "peak": stage.head_lr, "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, fused=True)

    def new_heads(self) -> nn.ModuleDict:
        """The heads of the plan as they begin."""
        width = self.bert.config.hidden_size
        sizes = {name: HEAD_KINDS[kind].logits for name, kind in self.plan.heads.items()}
        return nn.ModuleDict({name: nn.Linear(width, n) for name, n in sizes.items()})

    def freeze(self) -> None:
        """Leave the input vectors as they are."""
        self.bert.embeddings.requires_grad_(False)

    def take_step(self) -> float:
        """Learn from a batch of each of some sets; gives back the sum of their losses."""
        factor = rate_factor(self.step + 1, self.stage.steps, self.stage.warmup_share)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        self.optimizer.zero_grad()
        total = 0.0
        for name in self._drawn():
            loss = self.loss(self.streams[name].next())
            loss.backward()
            total += loss.item()
            before = self.losses.get(name, loss.item())
            self.losses[name] = before + RECENT * (loss.item() - before)
        nn.utils.clip_grad_norm_(self.learned, CLIP)
        self.optimizer.step()
        self.step += 1
        self._average()
        return total

    def loss(self, batch: LearnedBatch) -> torch.Tensor:
        """The losses of all heads that learn from a batch, and of the order of its pairs."""
        tokens = batch.tokens
        given = (
            tokens.input_ids,
            tokens.attention_mask,
            tokens.segments(self.tokenizer.sep_id),
        )
        bf16 = self.precision == "bf16"
        with torch.autocast(self.device, torch.bfloat16, enabled=bf16):
            found = text_vectors(
                self.bert, self.plan.pooling, *(tensor.to(self.device) for tensor in given)
            )
            vectors = nn.functional.dropout(found, HEAD_DROPOUT)
            logits = {name: self.heads[name](vectors).float() for name in batch.targets}
        losses = [
            HEAD_KINDS[self.plan.heads[name]].loss(logits[name], truth.to(self.device))
            for name, truth in batch.targets.items()
        ]
        if len(batch.sides):
            sides = batch.sides.to(self.device)
            losses.append(PAIR_SHARE * pair_order(logits["sentiment"], sides))
        return torch.stack(losses).sum()

    def averaged(self) -> dict[str, torch.Tensor]:
        """The weights with what was learned replaced by its average, on the processor."""
        names = {id(weights): name for name, weights in self.model.named_parameters()}
        means = {names[id(w)]: mean for w, mean in zip(self.learned, self.mean, strict=True)}
        return {name: w.cpu() for name, w in {**self.model.state_dict(), **means}.items()}

    def state(self) -> dict[str, Any]:
        """All that going on needs."""
        return {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "mean": self.mean,
            "losses": self.losses,
            "taken": {name: each.taken for name, each in self.streams.items()},
            "random": torch.get_rng_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave."""
        self.step, self.losses = state["step"], dict(state["losses"])
        self.mean = [mean.to(self.device) for mean in state["mean"]]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, taken in state["taken"].items():
            self.streams[name].taken = taken
        torch.set_rng_state(state["random"])

    def _drawn(self) -> list[str]:
        """The sets of the next step; they depend on the seed and the step alone."""
        shares = np.array(list(self.stage.shares.values()))
        random = np.random.default_rng([self.plan.seed, self.step])
        names, several = list(self.stage.shares), self.stage.sets_a_step
        found = random.choice(names, several, replace=False, p=shares / shares.sum())
        return [str(name) for name in found]

    @torch.no_grad()
    def _average(self) -> None:
        kept = min(MOST_AVERAGED, self.step / (9 + self.step))
        for mean, weights in zip(self.mean, self.learned, strict=True):
            mean.lerp_(weights, 1 - kept)


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
