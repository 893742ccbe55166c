"""The ten events of a run, and the file they are appended to.

This is the whole vocabulary. An event is named in the past tense, carries measured numbers, and is
one JSON line of ``events.jsonl``: appended, never edited. A line that a crash tore
is skipped by readers and cut off on resume.
"""

from dataclasses import dataclass, field

from bertsent.event_log import AppendOnlyLog, LoggedEvent


@dataclass(frozen=True, kw_only=True)
class Event(LoggedEvent):
    """A fact and the optimizer step it belongs to."""

    step: int


@dataclass(frozen=True, kw_only=True)
class Started(Event):
    """Reviews are encoded and the model is built; the first step comes next."""

    total_steps: int
    steps_per_epoch: int
    epochs: int
    train_rows: int
    validation_rows: int
    tokens_per_epoch: int
    trainable: int
    parameters: int
    device: str
    precision: str
    precision_reason: str = ""  # not stated by earlier versions
    begins: str = ""  # of masked words: where the head came from (models.head_origins)


@dataclass(frozen=True, kw_only=True)
class Stepped(Event):
    """One optimizer step: loss and accuracy of its batch, before the update."""

    epoch: float
    loss: float
    accuracy: float
    learning_rate: float
    head_learning_rate: float
    grad_norm: float
    tokens: int  # padding not counted
    tokens_per_second: float
    seconds: float  # of training so far, pauses not counted
    eta_seconds: float


@dataclass(frozen=True, kw_only=True)
class Evaluated(Event):
    """All validation reviews were scored; ``train_*`` are the means over the epoch's batches,
    NaN-free or absent. ``accuracy`` is the main metric of the task, ``metrics`` holds all of them
    by name; versions before 0.5 stated none.
    """

    epoch: float
    loss: float
    accuracy: float
    macro_f1: float | None
    seconds: float
    train_loss: float | None = None
    train_accuracy: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sentinel(Event):
    """P(positive) of every sentinel sentence, or by what else its answer is followed. Of sentences
    with a gap that is the probability of the leading guess, and ``guesses`` has the likeliest ones
    with theirs.
    """

    scores: dict[str, float]
    guesses: dict[str, list[tuple[str, float]]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Saved(Event):
    """A checkpoint is whole on disk; ``folder`` is its name under ``checkpoints/``."""

    folder: str
    epoch: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Paused(Event):
    """A pause was requested; everything needed to resume is saved."""


@dataclass(frozen=True, kw_only=True)
class Resumed(Event):
    """The run goes on from ``step``; earlier events about later steps no longer count."""


@dataclass(frozen=True, kw_only=True)
class Finished(Event):
    """The last step is done, evaluated and saved."""

    seconds: float


@dataclass(frozen=True, kw_only=True)
class Stopped(Event):
    """The run ended early; its weights are kept. A person asked for it, or ``reason`` says that
    early stopping did.
    """

    seconds: float
    reason: str = ""
    # the checkpoint with the lowest validation loss, after early stopping
    best_step: int | None = None


@dataclass(frozen=True, kw_only=True)
class Failed(Event):
    """The run could not continue; ``reason`` says why and ``remedy`` what to do."""

    reason: str
    remedy: str


KINDS = {kind.kind: kind for kind in Event.__subclasses__()}


class EventLog(AppendOnlyLog[Event]):
    """The file of a run's events; its worker is the one that writes."""

    kinds = KINDS
