"""The state of a run, and of the weights that are taken from it, in words."""

from bertsent.tasks.measure import ACCURACY, Measure
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run, Status

_ENDED = {
    "stopped": "was stopped",
    "failed": "failed",
    "interrupted": "was interrupted",
    "paused": "is paused",
}


def duration(seconds: float) -> str:
    """A duration as people say it: 45 s, 1:20, 2:05:00."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def epochs_in_words(number: int) -> str:
    """1 epoch, 3 epochs."""
    return "1 epoch" if number == 1 else f"{number:,} epochs"


def status_sentence(run: Run, history: History, status: Status) -> str:
    """The state of a run in one line: its id, what it does, how far it is, how long it takes."""
    return f"{run.id} · {state_sentence(history, status)}"


def state_sentence(history: History, status: Status) -> str:
    """What a run does, how far it is and how long it takes."""
    if status.state == "queued":
        return f"waiting, {status.queue_position} ahead of it"
    if status.requested and status.live:
        return "pausing" if status.requested == "pause" else "stopping"
    if status.state != "running":
        return status.state
    started, step = history.started, history.steps[-1] if history.steps else None
    if started is None:
        return "loading the model and the reviews"
    if step is None or step.step % started.steps_per_epoch == 0:
        return (
            f"epoch {step.epoch if step else 0:.0f}/{started.epochs} · scoring the validation "
            "reviews"
        )
    return (
        f"epoch {min(int(step.epoch) + 1, started.epochs)}/{started.epochs} · "
        f"{100 * step.step / started.total_steps:.0f} % · {duration(step.eta_seconds)} left"
    )


def numbers_sentence(
    history: History,
    status: Status,
    majority_class: float | None,
    measure: Measure = ACCURACY,
) -> str:
    """What was measured of a run so far, in one line: step, loss, accuracy beside the majority
    class, and its pace or duration. Empty before the first step.
    """
    if not history.started or not history.steps:
        return ""
    step = history.steps[-1]
    found = [f"step {step.step:,} / {history.started.total_steps:,}", f"batch loss {step.loss:.3f}"]
    if history.evaluations:
        floor = "" if majority_class is None else f" (majority class {100 * majority_class:.1f} %)"
        name = "validation accuracy" if measure.title == ACCURACY.title else measure.name
        found.append(f"{name} {measure.say(history.evaluations[-1].accuracy)}{floor}")
    pace = f"{step.tokens_per_second:,.0f} tokens/s"
    return " · ".join([*found, pace if status.live else f"trained for {duration(step.seconds)}"])


def weights_sentence(
    step: int, newest: int, history: History, status: Status, seconds: float | None
) -> str:
    """Which weights answer: their step, their age while that matters, where the run is, and whether
    there are newer ones.
    """
    total = f" of {history.started.total_steps:,}" if history.started else ""
    if status.live:
        old = ", the newest there is" if step == newest else ""
        old += f", saved {duration(seconds)} ago" if seconds is not None else ""
        meanwhile = (
            f"the run is at step {history.step:,}{total} meanwhile"
            if status.state == "running"
            else "the run waits for its turn"
        )
        return f"Weights of step {step:,}{old}; {meanwhile}."
    if status.state in _ENDED and history.step != newest:
        kept = "the newest there is" if step == newest else f"the newest is of step {newest:,}"
        return (
            f"Weights of step {step:,}, {kept}; the run {_ENDED[status.state]} at step "
            f"{history.step:,}{total}."
        )
    if step != newest:
        return f"Weights of step {step:,}; the newest is of step {newest:,}."
    end = (
        f"; the run {_ENDED[status.state]} there{f', at {step:,}{total}' if total else ''}"
        if status.state in _ENDED
        else ""
    )
    return f"Weights of step {step:,}, the newest there is{end}."
