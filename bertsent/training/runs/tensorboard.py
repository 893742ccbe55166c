"""Runs in, one zip of TensorBoard event files out: unpack it and call ``tensorboard --logdir`` on
the folder.

Each run is a folder with two of its own, ``train`` and ``validation``, so that TensorBoard draws
both into one panel. A step that a resume superseded is left out, as in every other view. Values are
32-bit floats: the format has no others.
"""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from bertsent.training.events import Event
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run

Scalar = tuple[str, float | None, Event]  # tag, value, the event that states it
_OF_STEPS = (
    "loss",
    "accuracy",
    "learning_rate",
    "head_learning_rate",
    "grad_norm",
    "tokens_per_second",
)
_OF_VALIDATIONS = ("loss", "accuracy", "macro_f1")


def tensorboard_zip(runs: Sequence[Run]) -> bytes:
    """The event files of some runs: ``RUN/train`` with losses, rates and sentinels,
    ``RUN/validation`` with the validations.
    """
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for run in runs:
            history = run.history()
            began = int(history.started.time) if history.started else 0
            for part, scalars in (
                ("train", _trained(history)),
                ("validation", _validated(history)),
            ):
                archive.writestr(
                    f"{run.id}/{part}/events.out.tfevents.{began}.{run.id}", _file(scalars, began)
                )
    return packed.getvalue()


def _trained(history: History) -> Iterator[Scalar]:
    for step in history.steps:
        yield from ((name, getattr(step, name), step) for name in _OF_STEPS)
    numbers: dict[str, int] = {}
    for sentinel in history.sentinels:
        for text, p_positive in sentinel.scores.items():
            number = numbers.setdefault(
                text, len(numbers) + 1
            )  # tags lose what is no letter, and two of them may become one
            yield f"p_positive/{number:02d} {text[:60]}", p_positive, sentinel


def _validated(history: History) -> Iterator[Scalar]:
    for evaluation in history.evaluations:
        yield from ((name, getattr(evaluation, name), evaluation) for name in _OF_VALIDATIONS)


def _file(scalars: Iterator[Scalar], began: int) -> bytes:
    """One event file, written record by record; a value that is missing is left out."""
    from tensorboardX.proto.event_pb2 import Event as Record
    from tensorboardX.record_writer import RecordWriter
    from tensorboardX.summary import scalar

    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "events"
        writer = RecordWriter(str(path))
        writer.write(Record(wall_time=began, file_version="brain.Event:2").SerializeToString())
        for tag, value, event in scalars:
            if value is not None:
                writer.write(
                    Record(
                        wall_time=event.time, step=event.step, summary=scalar(tag, value)
                    ).SerializeToString()
                )
        writer.close()
        return path.read_bytes()
