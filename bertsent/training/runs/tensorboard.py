"""Runs in, one zip of TensorBoard event files out: unpack it and call ``tensorboard --logdir`` on
the folder.

Each run is a folder with two of its own, ``train`` and ``validation``, so that TensorBoard draws
both into one panel. A step that a resume superseded is left out, as in every other view. Values are
32-bit floats: the format has no others.
"""

import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from bertsent.errors import BertsentError
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.training.events import Event
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
            texts = dict.fromkeys(text for s in history.sentinels for text in s.scores)
            # tags lose what is no letter, and two of them may become one: hence the numbers
            tags = {
                t: f"{_of_sentinels(run)}/{i:02d} {t[:60]}" for i, t in enumerate(texts, start=1)
            }
            parts = {
                "train": [
                    *_values(history.steps, _OF_STEPS),
                    *((tags[t], p, s) for s in history.sentinels for t, p in s.scores.items()),
                ],
                "validation": _values(history.evaluations, _OF_VALIDATIONS),
            }
            for part, scalars in parts.items():
                archive.writestr(
                    f"{run.id}/{part}/events.out.tfevents.{began}.{run.id}", _file(scalars, began)
                )
    return packed.getvalue()


def _of_sentinels(run: Run) -> str:
    """The name of what is followed of the sentinels."""
    with suppress(BertsentError):  # the configuration is damaged
        return "p_positive" if run.config.task == SENTIMENT else "sentinels"
    return "p_positive"


def _values(events: Sequence[Event], names: Sequence[str]) -> list[Scalar]:
    return [(name, getattr(event, name), event) for event in events for name in names]


def _file(scalars: Sequence[Scalar], began: int) -> bytes:
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
                record = Record(wall_time=event.time, step=event.step, summary=scalar(tag, value))
                writer.write(record.SerializeToString())
        writer.close()
        return path.read_bytes()
