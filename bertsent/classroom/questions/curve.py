"""When is the validation loss of a run lowest, and does it overfit: the class, then the run itself.
A question about a run that still trains is answered by its end.
"""

from typing import Literal

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.room_state import AskedQuestion
from bertsent.errors import NotAvailable
from bertsent.training.curves.reading import FEWEST, CurvePoint, curve_points, read_curves
from bertsent.training.events import Finished, Stopped
from bertsent.training.runs.run import Run, find_run

Asked = Literal["lowest", "overfit"]
PROMPTS: dict[Asked, str] = {
    "lowest": "After which epoch is the validation loss of {run} lowest?",
    "overfit": "After which epoch does {run} begin to overfit?",
}
NEVER, BEFORE = "It does not overfit", "Before the first epoch"


def curve_question(run: Run, asked: Asked, seconds: int) -> Question:
    """A question about the curves of a run; where it still trains, it waits for the end.

    Raises:
        NotAvailable: the run ended before its first epoch, or its files cannot be read.
    """
    link = f"/Fine-tune?run={run.id}"
    first = BEFORE if asked == "lowest" else NEVER
    epochs = [f"Epoch {epoch}" for epoch in range(1, run.config.training.epochs + 1)]
    options = (first, *epochs)
    prompt = PROMPTS[asked].format(run=run.id)
    if _trains(run):
        return Question("curves", prompt, options, seconds, link=link, run=run.id)
    right = _right(run, asked)
    answers = (Answer(run.id, right),)
    return Question("curves", prompt, options, seconds, link=link, answers=answers, truth=right)


def settle_curve(room: Room, asked: AskedQuestion) -> bool:
    """Answer a question that waits, if its run has ended; whether it did.

    Raises:
        NotAvailable: the run is gone, or ended before its first epoch.
    """
    run = find_run(asked.content.run)
    if _trains(run):
        return False
    kind: Asked = "overfit" if asked.content.options[0] == NEVER else "lowest"
    right = _right(run, kind)
    room.settle(asked.id, [Answer(run.id, right)], right)
    return True


def _trains(run: Run) -> bool:
    return run.alive() or not isinstance(run.history().last, Finished | Stopped)


def _right(run: Run, asked: Asked) -> int:
    """The place of the option that the evaluations of a run name; 0 is the first one."""
    points = curve_points(run.history().epoch_evaluations)
    NotAvailable.raise_if(
        len(points) < 2,
        f"{run.id} ended before its first epoch did.",
        "Ask about another run, or take the question back.",
    )
    if asked == "lowest":
        return _epoch(min(points, key=lambda point: point.validation))
    reading = read_curves(points) if len(points) >= FEWEST else None
    overfits = reading is not None and reading.verdict == "overfitting"
    return max(1, _epoch(reading.best)) if reading and overfits else 0


def _epoch(point: CurvePoint) -> int:
    return round(point.epoch)
