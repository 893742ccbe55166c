"""The only training loop: a generator that states what happened and asks between two steps whether
to go on.

for event in train(model, tokenizer, splits, TrainingConfig(epochs=2)):
    print(event)
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bertsent.data.examples import Splits
from bertsent.models.sentiment import BertForSentiment
from bertsent.text.tokens import ReviewTokenizer
from bertsent.training.checkpoint_store import CheckpointStore, TrainingProgress
from bertsent.training.config import TrainingConfig
from bertsent.training.events import (
    Evaluated,
    Event,
    Failed,
    Finished,
    Paused,
    Resumed,
    Saved,
    Sentinel,
    Started,
    Stepped,
    Stopped,
)
from bertsent.training.lr_schedule import kept_steps
from bertsent.training.trainable_parameters import choose_trainable, set_dropout
from bertsent.training.trainer_state import Scores, StepResult, TrainerState, choose_device

PAUSE, STOP, ENOUGH = "pause", "stop", "enough"


def train(
    model: BertForSentiment,
    tokenizer: ReviewTokenizer,
    splits: Splits,
    config: TrainingConfig,
    *,
    sentinels: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
    device: str | None = None,
    store: CheckpointStore | None = None,
    asked: Callable[[], str] = lambda: "",
    save_scores: Callable[[int, np.ndarray], None] = lambda step, p_positive: None,
) -> Iterator[Event]:
    """Fine-tune ``model`` in place and yield an event for everything that happens.

    Args:
        model: the classifier; its weights change.
        tokenizer: its tokenizer.
        splits: what to learn from and what to be judged on.
        config: how to learn.
        sentinels: sentences whose P(positive) is followed, or something that gives those of the
            moment; watching them changes
            nothing else.
        device: ``cpu`` or ``cuda``; the best of this machine by default.
        store: where checkpoints go. What it already holds is gone on from, exactly. Without one
            nothing is saved.
        asked: called between two steps; answers ``""``, ``"pause"`` or ``"stop"``.
        save_scores: called with step and P(positive) of all validation reviews after each
            evaluation.
    """
    choose_trainable(model, config)
    set_dropout(model, config)
    learning = TrainerState(model, tokenizer, splits, config, device or choose_device())
    watched = sentinels if callable(sentinels) else lambda: sentinels
    yield from TrainingLoop(learning, watched, store, asked, save_scores).events()


class TrainingLoop:
    """One pass through a run, from where its store left off to its end or to somebody's wish."""

    def __init__(
        self,
        learning: TrainerState,
        watched: Callable[[], tuple[str, ...]],
        store: CheckpointStore | None,
        asked: Callable[[], str],
        save_scores: Callable[[int, np.ndarray], None],
    ) -> None:
        self.learning, self.watched, self.store = learning, watched, store
        self.sentinels = watched()
        self.asked, self.save_scores = asked, save_scores
        self.waypoints = kept_steps(learning.steps_per_epoch, learning.config)
        self.place = store.restore(learning) if store else TrainingProgress()
        self.restored = self.place != TrainingProgress()
        self.saved_at, self.saved_step, self.evaluation_seconds = (
            time.monotonic(),
            self.place.step if self.restored else -1,
            0.0,
        )

    def events(self) -> Iterator[Event]:
        """All facts of the pass; a failure is the last one."""
        for event in self._facts():
            yield event
            if isinstance(event, Failed):
                return

    def _facts(self) -> Iterator[Event]:
        yield Resumed(step=self.place.step) if self.restored else self._started()
        if self.sentinels and not self.restored:
            yield self._sentinel()
        while True:
            if self._evaluation_due():
                yield from self._evaluation()
            wish = self._agreed_wish()
            if wish:
                yield from self._leave(wish)
                return
            if self.place.step == self.learning.total_steps:
                break
            result = self._step()
            if not result.finite:
                yield self._not_finite("gradient" if math.isfinite(result.loss) else "loss")
            yield self._stepped(result)
            if self._sentinel_due():
                yield self._sentinel()
            if self.store and time.monotonic() - self.saved_at > self.learning.config.save_seconds:
                yield from self._save(keep=False)
            elif self.store and self.place.step in self.waypoints:
                yield from self._waypoint()
        yield Finished(step=self.place.step, seconds=self.place.seconds)

    def _started(self) -> Started:
        learning, parameters = self.learning, list(self.learning.plain.parameters())
        return Started(
            step=0,
            total_steps=learning.total_steps,
            steps_per_epoch=learning.steps_per_epoch,
            epochs=learning.config.epochs,
            train_rows=len(learning.train.ids),
            validation_rows=len(learning.validation.ids),
            tokens_per_epoch=sum(learning.train.lengths),
            trainable=sum(p.numel() for p in parameters if p.requires_grad),
            parameters=sum(p.numel() for p in parameters),
            device=str(learning.accelerator.device),
            precision=learning.precision,
        )

    def _step(self) -> StepResult:
        began = time.perf_counter()
        result = self.learning.take_step(self.place.step + 1)
        seconds = self.place.seconds + time.perf_counter() - began
        loss, accuracy = self.place.loss + result.loss, self.place.accuracy + result.accuracy
        self.place = replace(
            self.place, step=self.place.step + 1, seconds=seconds, loss=loss, accuracy=accuracy
        )
        return result

    def _stepped(self, result: StepResult) -> Stepped:
        learning, step = self.learning, self.place.step
        evaluations_left = learning.config.epochs - math.ceil(learning.epoch_of(step)) + 1
        eta = (
            learning.total_steps - step
        ) * learning.seconds_per_step + evaluations_left * self.evaluation_seconds
        return Stepped(
            step=step,
            epoch=learning.epoch_of(step),
            loss=result.loss,
            accuracy=result.accuracy,
            learning_rate=result.rates.get("encoder", 0.0),
            head_learning_rate=result.rates["head"],
            grad_norm=result.grad_norm,
            tokens=result.tokens,
            tokens_per_second=learning.tokens_per_second,
            seconds=self.place.seconds,
            eta_seconds=eta,
        )

    def _not_finite(self, what: str) -> Failed:
        step = self.place.step
        remedy = (
            "Start again with lower learning rates or a longer warm-up."
            if step
            else "The model is damaged: choose another one."
        )
        if self.store and self.saved_step >= 0:
            remedy += f" The weights of step {self.saved_step} are kept."
        return Failed(
            step=step, reason=f"The {what} was not a finite number at step {step}.", remedy=remedy
        )

    def _evaluation_due(self) -> bool:
        step = self.place.step
        return step % self.learning.steps_per_epoch == 0 and self.place.evaluated < step

    def _evaluation(self) -> Iterator[Event]:
        """Validation at an epoch's end, then a checkpoint that stays; nothing when somebody wants
        to leave meanwhile.
        """
        scores = self.learning.evaluate(lambda: bool(self._agreed_wish()))
        if scores is None:
            return
        if not math.isfinite(scores.loss):
            yield self._not_finite("validation loss")
        self.evaluation_seconds = scores.seconds
        self.save_scores(self.place.step, scores.p_positive)
        yield self._evaluated(scores)
        seconds = self.place.seconds + scores.seconds
        self.place = replace(
            self.place, evaluated=self.place.step, seconds=seconds, loss=0.0, accuracy=0.0
        ).judged(scores.loss)
        yield from self._save(keep=True)

    def _evaluated(self, scores: Scores) -> Evaluated:
        from sklearn.metrics import accuracy_score, f1_score

        truth, guess = self.learning.validation.labels.numpy(), scores.p_positive > 0.5
        batches = self.learning.steps_per_epoch
        return Evaluated(
            step=self.place.step,
            epoch=self.learning.epoch_of(self.place.step),
            loss=scores.loss,
            accuracy=float(accuracy_score(truth, guess)),
            macro_f1=float(f1_score(truth, guess, average="macro")),
            seconds=scores.seconds,
            train_loss=self.place.loss / batches if self.place.step else None,
            train_accuracy=self.place.accuracy / batches if self.place.step else None,
        )

    def _sentinel_due(self) -> bool:
        """At their turn and at the end; at once when somebody has added a sentence."""
        before, self.sentinels = self.sentinels, self.watched()
        turn = (
            self.place.step % self.learning.sentinel_every == 0
            or self.place.step == self.learning.total_steps
        )
        return bool(self.sentinels) and (turn or bool(set(self.sentinels) - set(before)))

    def _sentinel(self) -> Event:
        scores = self.learning.score(self.sentinels)
        if not all(map(math.isfinite, scores.values())):
            return self._not_finite("answer to a sentinel sentence")
        return Sentinel(step=self.place.step, scores=scores)

    def _save(self, *, keep: bool) -> Iterator[Saved]:
        if self.store is None:
            return
        began = time.perf_counter()
        if self.learning.accelerator.is_main_process:
            folder: Path = self.store.save(
                self.learning, self.place, keep=keep or self.place.step in self.waypoints
            )
        self.learning.accelerator.wait_for_everyone()
        self.saved_at, self.saved_step = time.monotonic(), self.place.step
        if self.learning.accelerator.is_main_process:
            seconds = time.perf_counter() - began
            yield Saved(
                step=self.place.step,
                folder=folder.name,
                epoch=self.learning.epoch_of(self.place.step),
                seconds=seconds,
            )

    def _waypoint(self) -> Iterator[Saved]:
        """Weights to look back at; what a crash may cost is as before."""
        began, step = time.perf_counter(), self.place.step
        if self.learning.accelerator.is_main_process and (
            folder := self.store.save_waypoint(self.learning, step)
        ):
            yield Saved(
                step=step,
                folder=folder.name,
                epoch=self.learning.epoch_of(step),
                seconds=time.perf_counter() - began,
            )

    def _leave(self, wish: str) -> Iterator[Event]:
        """Save what is not saved yet, then state the pause or the early end."""
        if self.saved_step != self.place.step:
            yield from self._save(keep=wish != PAUSE)
        if wish == PAUSE:
            yield Paused(step=self.place.step)
        elif wish == STOP:
            yield Stopped(step=self.place.step, seconds=self.place.seconds)
        else:
            yield self._ran_out_of_patience()

    def _ran_out_of_patience(self) -> Stopped:
        """Early stopping: the validation loss has not fallen for as many epochs as the settings
        grant.
        """
        place, each = self.place, self.learning.steps_per_epoch
        epochs = "epoch" if place.worse == 1 else f"{place.worse} epochs"
        reason = (
            f"The validation loss has not fallen for the last {epochs}. It was lowest after "
            f"epoch {place.best_step // each}"
        )
        kept = f", whose weights are kept as step-{place.best_step}" if self.store else ""
        reason += f" (step {place.best_step:,}: {place.best_loss:.3f}){kept}."
        return Stopped(
            step=place.step, seconds=place.seconds, reason=reason, best_step=place.best_step
        )

    def _agreed_wish(self) -> str:
        """The wish of the main process, so that several processes leave at the same step."""
        accelerator = self.learning.accelerator
        if accelerator.num_processes == 1:
            return self._wish()
        from accelerate.utils import broadcast_object_list

        return broadcast_object_list([self._wish() if accelerator.is_main_process else ""])[0]

    def _wish(self) -> str:
        """What a person wants, else what patience wants; its end lies in the place, so a crash or a
        pause does not lose it.
        """
        patience, over = self.learning.config.patience, self.place.step == self.learning.total_steps
        return self.asked() or (
            ENOUGH if patience and self.place.worse >= patience and not over else ""
        )
