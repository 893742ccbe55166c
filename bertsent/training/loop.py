"""The only training loop: a generator of events that asks between two steps whether to continue.

for event in train(model, tokenizer, splits, TrainingConfig(epochs=2)):
    print(event)
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from bertsent.data.examples import Splits
from bertsent.models.task_model import BertForTask
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
from bertsent.training.masked_state import trainer_state
from bertsent.training.precision import choose_device
from bertsent.training.trainer_state import StepResult, TrainerState

PAUSE, STOP, EARLY_STOP = "pause", "stop", "early stop"


def train(
    model: BertForTask,
    tokenizer: ReviewTokenizer,
    splits: Splits,
    config: TrainingConfig,
    *,
    sentinels: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
    device: str | None = None,
    store: CheckpointStore | None = None,
    requested: Callable[[], str] = lambda: "",
    save_scores: Callable[[int, np.ndarray], None] = lambda step, answers: None,
    clean_texts: bool = True,
) -> Iterator[Event]:
    """Fine-tune ``model`` in place and yield an event for everything that happens.

    Args:
        model: the classifier; its weights change.
        tokenizer: its tokenizer.
        splits: reviews to train on and reviews to evaluate on.
        config: hyperparameters and settings.
        sentinels: sentences whose answer is followed (``tasks.followed``), or a function that gives
            those of the moment; following them changes nothing else.
        device: ``cpu`` or ``cuda``; the best of this machine by default.
        store: where checkpoints go. From what it already holds the run is resumed, exactly.
            Without one nothing is saved.
        requested: called between two steps; answers ``""``, ``"pause"`` or ``"stop"``.
        save_scores: called after each evaluation with its step and what ``Task.kept`` keeps of the
            answers to all validation reviews: for two labels P(positive).
        clean_texts: False to train on the texts as they are, markup included.
    """
    device = device or choose_device()
    state = trainer_state(model, tokenizer, splits, config, device, clean_texts=clean_texts)
    current = sentinels if callable(sentinels) else lambda: sentinels
    for event in TrainingLoop(state, current, store, requested, save_scores).events():
        yield event
        if isinstance(event, Failed):
            return


class TrainingLoop:
    """One pass through a run, from its newest checkpoint to its end or to a requested pause or
    stop. The weights that an ending keeps are always evaluated; a pause only saves.
    """

    def __init__(
        self,
        state: TrainerState,
        current_sentinels: Callable[[], tuple[str, ...]],
        store: CheckpointStore | None,
        requested: Callable[[], str],
        save_scores: Callable[[int, np.ndarray], None],
    ) -> None:
        self.state, self.store = state, store
        self.current_sentinels, self.sentinels = current_sentinels, current_sentinels()
        self.requested, self.save_scores = requested, save_scores
        self.kept_steps = kept_steps(state.steps_per_epoch, state.config)
        self.progress = store.restore(state) if store else TrainingProgress()
        self.restored = self.progress != TrainingProgress()
        self.saved_at, self.evaluation_seconds = time.monotonic(), 0.0
        self.saved_step = self.progress.step if self.restored else -1

    def events(self) -> Iterator[Event]:
        """All events of the pass; after a failure the generator may not be asked again."""
        yield from self._beginning()
        while True:
            if self._unevaluated() and not self._steps_into_epoch():
                yield from self._evaluation()
            request = self._agreed_request()
            if request == STOP and self._unevaluated():
                yield from self._evaluation()
                request = self._agreed_request()
            if self._at_last_step():
                break
            if request:
                yield from self._leave(request)
                return
            result = self._step()
            if not result.finite:
                yield self._not_finite("gradient" if math.isfinite(result.loss) else "loss")
            yield self._stepped(result)
            if self._sentinel_due():
                yield self._sentinel()
            yield from self._save_when_due()
        yield Finished(step=self.progress.step, seconds=self.progress.seconds)

    def _beginning(self) -> Iterator[Event]:
        if self.restored:
            if self.store and self.state.accelerator.is_main_process:
                self.store.delete_after(self.progress.step)
            yield Resumed(step=self.progress.step)
            return
        state, parameters = self.state, list(self.state.plain.parameters())
        yield Started(
            step=0,
            total_steps=state.total_steps,
            steps_per_epoch=state.steps_per_epoch,
            epochs=state.config.epochs,
            train_rows=len(state.train.ids),
            validation_rows=len(state.validation.ids),
            tokens_per_epoch=sum(state.train.lengths),
            trainable=sum(p.numel() for p in parameters if p.requires_grad),
            parameters=sum(p.numel() for p in parameters),
            device=str(state.accelerator.device),
            precision=state.precision.precision,
            precision_reason=state.precision.reason,
            begins=state.plain.begins,
        )
        if self.sentinels:
            yield self._sentinel()

    def _step(self) -> StepResult:
        began, before = time.perf_counter(), self.progress
        result = self.state.take_step(before.step + 1)
        self.progress = replace(
            before,
            step=before.step + 1,
            seconds=before.seconds + time.perf_counter() - began,
            loss=before.loss + result.loss,
            accuracy=before.accuracy + result.accuracy,
        )
        return result

    def _stepped(self, result: StepResult) -> Stepped:
        state, step = self.state, self.progress.step
        evaluations_left = state.config.epochs - math.ceil(state.epoch_of(step)) + 1
        training_left = (state.total_steps - step) * state.seconds_per_step
        return Stepped(
            step=step,
            epoch=state.epoch_of(step),
            loss=result.loss,
            accuracy=result.accuracy,
            learning_rate=result.rates.get("encoder", 0.0),
            head_learning_rate=result.rates["head"],
            grad_norm=result.grad_norm,
            tokens=result.tokens,
            tokens_per_second=state.tokens_per_second,
            seconds=self.progress.seconds,
            eta_seconds=training_left + evaluations_left * self.evaluation_seconds,
        )

    def _not_finite(self, what: str) -> Failed:
        step = self.progress.step
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

    def _at_last_step(self) -> bool:
        return self.progress.step == self.state.total_steps

    def _steps_into_epoch(self) -> int:
        return self.progress.step % self.state.steps_per_epoch

    def _unevaluated(self) -> bool:
        return self.progress.evaluated < self.progress.step

    def _evaluation(self) -> Iterator[Event]:
        """Validation, then a checkpoint that stays; nothing when a pause is requested meanwhile.
        The last step is always evaluated to the end.
        """
        found = self.state.evaluate(
            lambda: not self._at_last_step() and self._agreed_request() == PAUSE
        )
        if found is None:
            return
        if not math.isfinite(found.loss):
            yield self._not_finite("validation loss")
        self.evaluation_seconds = found.seconds
        task, truth = self.state.task, self.state.validation.targets.numpy()
        self.save_scores(self.progress.step, task.kept(found.answers))
        metrics = task.metrics(truth, found.answers)
        batches = self._steps_into_epoch() or self.state.steps_per_epoch
        yield Evaluated(
            step=self.progress.step,
            epoch=self.state.epoch_of(self.progress.step),
            loss=found.loss,
            accuracy=metrics[task.main_metric],
            macro_f1=metrics.get("macro_f1"),
            metrics=metrics,
            seconds=found.seconds,
            train_loss=self.progress.loss / batches if self.progress.step else None,
            train_accuracy=self.progress.accuracy / batches if self.progress.step else None,
        )
        self.progress = replace(
            self.progress,
            evaluated=self.progress.step,
            seconds=self.progress.seconds + found.seconds,
        )
        if not self._steps_into_epoch():
            self.progress = self.progress.after_epoch(found.loss)
        yield from self._save(keep=True)

    def _sentinel_due(self) -> bool:
        """At their interval and at the end; at once when somebody has added a sentence."""
        before, self.sentinels = self.sentinels, self.current_sentinels()
        due = self.progress.step % self.state.sentinel_every == 0 or self._at_last_step()
        return bool(self.sentinels) and (due or bool(set(self.sentinels) - set(before)))

    def _sentinel(self) -> Event:
        guesses = self.state.guesses(self.sentinels)
        scores = {text: best[0][1] for text, best in guesses.items()}
        scores = scores or self.state.score(self.sentinels)
        if not all(map(math.isfinite, scores.values())):
            return self._not_finite("answer to a sentinel sentence")
        return Sentinel(step=self.progress.step, scores=scores, guesses=guesses)

    def _save_when_due(self) -> Iterator[Saved]:
        """A resumable checkpoint now and then; the weights alone where a step is to be kept."""
        step = self.progress.step
        if self.store is None:
            return
        if time.monotonic() - self.saved_at > self.state.config.save_seconds:
            yield from self._save(keep=False)
        elif step in self.kept_steps and self.state.accelerator.is_main_process:
            began = time.perf_counter()
            if folder := self.store.save_weights(self.state, step):
                yield self._saved(folder.name, began)

    def _save(self, *, keep: bool) -> Iterator[Saved]:
        if self.store is None:
            return
        began, name = time.perf_counter(), ""
        if self.state.accelerator.is_main_process:
            keep = keep or self.progress.step in self.kept_steps
            name = self.store.save(self.state, self.progress, keep=keep).name
        self.state.accelerator.wait_for_everyone()
        self.saved_at, self.saved_step = time.monotonic(), self.progress.step
        if name:
            yield self._saved(name, began)

    def _saved(self, folder: str, began: float) -> Saved:
        return Saved(
            step=self.progress.step,
            folder=folder,
            epoch=self.state.epoch_of(self.progress.step),
            seconds=time.perf_counter() - began,
        )

    def _leave(self, request: str) -> Iterator[Event]:
        if self.saved_step != self.progress.step:
            yield from self._save(keep=request != PAUSE)
        progress, each = self.progress, self.state.steps_per_epoch
        if request == PAUSE:
            yield Paused(step=progress.step)
            return
        if request == STOP:
            yield Stopped(step=progress.step, seconds=progress.seconds)
            return
        epochs = "epoch" if progress.worse == 1 else f"{progress.worse} epochs"
        kept = f", whose weights are kept as step-{progress.best_step}" if self.store else ""
        yield Stopped(
            step=progress.step,
            seconds=progress.seconds,
            reason=f"The validation loss has not fallen for the last {epochs}. It was lowest after "
            f"epoch {progress.best_step // each} (step {progress.best_step:,}: "
            f"{progress.best_loss:.3f}){kept}.",
            best_step=progress.best_step,
        )

    def _agreed_request(self) -> str:
        """The main process's request, so that several processes leave at the same step."""
        accelerator = self.state.accelerator
        if accelerator.num_processes == 1:
            return self._request()
        from accelerate.utils import broadcast_object_list

        return broadcast_object_list([self._request() if accelerator.is_main_process else ""])[0]

    def _request(self) -> str:
        """A person's request, else early stopping; that depends on the saved progress alone, so
        a crash or a pause does not lose it.
        """
        patience = self.state.config.patience
        early = patience and self.progress.worse >= patience and not self._at_last_step()
        return self.requested() or (EARLY_STOP if early else "")
