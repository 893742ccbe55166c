"""Events in, frames out: what a run has stated, without what a resume superseded."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from bertsent.training.events import (
    Evaluated,
    Event,
    Failed,
    Resumed,
    Saved,
    Sentinel,
    Started,
    Stepped,
)


@dataclass
class History:
    """The facts of a run that still hold; feed it events in order, as they come."""

    started: Started | None = None
    last: Event | None = None
    steps: list[Stepped] = field(default_factory=list)
    evaluations: list[Evaluated] = field(default_factory=list)
    sentinels: list[Sentinel] = field(default_factory=list)
    saves: list[Saved] = field(default_factory=list)

    def add(self, events: Iterable[Event]) -> "History":
        """Take in further events; gives back this history."""
        lists = self._lists()
        for event in events:
            self.last = event
            if isinstance(event, Started):
                self.started = event
            if isinstance(event, Started | Resumed):
                kept = event.step if isinstance(event, Resumed) else -1
                for facts in lists.values():
                    facts[:] = [fact for fact in facts if fact.step <= kept]
            elif type(event) in lists:
                facts = lists[type(event)]
                while facts and facts[-1].step >= event.step:  # stated before a crash
                    facts.pop()
                facts.append(event)
        return self

    def copy(self) -> "History":
        """An independent history with the same facts, for readers that keep the one they hold."""
        return History(self.started, self.last, *([*facts] for facts in self._lists().values()))

    def _lists(self) -> dict[type[Event], list[Any]]:
        return {
            Stepped: self.steps,
            Evaluated: self.evaluations,
            Sentinel: self.sentinels,
            Saved: self.saves,
        }

    @property
    def step(self) -> int:
        return self.steps[-1].step if self.steps else 0

    @property
    def seconds(self) -> float:
        """Of training so far, evaluations within it included, pauses not."""
        return self.steps[-1].seconds if self.steps else 0.0

    @property
    def complete(self) -> bool:
        """True once the last step is done and evaluated."""
        total = self.started.total_steps if self.started else -1
        return bool(self.evaluations) and self.evaluations[-1].step == self.step == total

    @property
    def epoch_evaluations(self) -> list[Evaluated]:
        """Those at the start and at the end of each epoch; a stop inside an epoch evaluates what it
        keeps as well.
        """
        each = self.started.steps_per_epoch if self.started else 1
        return [found for found in self.evaluations if found.step % each == 0]

    @property
    def best_accuracy(self) -> float | None:
        return max((e.accuracy for e in self.evaluations if e.step > 0), default=None)

    @property
    def failure(self) -> Failed | None:
        return self.last if isinstance(self.last, Failed) else None

    def step_frame(self) -> pd.DataFrame:
        """One row a step: step, epoch, loss, accuracy, learning_rate, head_learning_rate,
        grad_norm, tokens_per_second, seconds …
        """
        return _frame(Stepped, self.steps)

    def evaluation_frame(self) -> pd.DataFrame:
        """One row an evaluation: step, epoch, loss, accuracy, macro_f1, train_loss …"""
        return _frame(Evaluated, self.evaluations)

    def sentinel_frame(self) -> pd.DataFrame:
        """One row a step and sentence: step, text, p_positive."""
        rows = [(s.step, text, p) for s in self.sentinels for text, p in s.scores.items()]
        return pd.DataFrame(rows, columns=["step", "text", "p_positive"])

    def guess_frame(self) -> pd.DataFrame:
        """One row a step, sentence with a gap and guess: step, text, rank (1 is the likeliest),
        word, p.
        """
        rows = [
            (s.step, text, rank, str(word), float(p))
            for s in self.sentinels
            for text, best in s.guesses.items()
            for rank, (word, p) in enumerate(best, start=1)
        ]
        kinds = {"step": "int64", "text": object, "rank": "int64", "word": object, "p": "float64"}
        return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)


def _frame(kind: type[Event], facts: Sequence[Event]) -> pd.DataFrame:
    return pd.DataFrame([asdict(fact) for fact in facts], columns=[f.name for f in fields(kind)])
