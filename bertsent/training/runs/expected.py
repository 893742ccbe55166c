"""A run to be in, its seconds and memory out, by arithmetic: for the queue, and to refuse what is
hopeless before it waits. A dry run measures the same better (``training.run_estimate``).

Seconds come from the pace that was measured on this processor (``training.precision``), in
proportion to the parameters of the encoder; without such a measurement, and on a GPU, they are
unknown. Memory is a lower bound: weights, gradients, both moments of the optimizer, and the
activations of one batch at 34 numbers of 2 bytes for each token, layer and dimension
(Korthikanti et al. 2022, equation 2, without the attention weights that the fused kernel never
writes down).
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bertsent.data.examples import Reviews, Splits
from bertsent.files import write_atomically
from bertsent.models.folders import inspect_folder
from bertsent.settings import machine
from bertsent.training.config import TrainingConfig
from bertsent.training.parameter_count import count_parameters
from bertsent.training.precision import read_measurement

FILE = "expected.json"
CHARACTERS = 4.5  # a token, in English with its space
_MEASURED = 10_646_784  # parameters of the encoder whose pace is known
_FORWARD = 1 / 3  # of the work of a training step
_NUMBERS, _BYTES = 34, 4  # per token, layer and dimension; of a number in fp32


@dataclass(frozen=True)
class Expected:
    """What a run will take: seconds, None where they are unknown, and bytes at least."""

    seconds: float | None = None
    memory: int = 0


def expect(splits: Splits, training: TrainingConfig, folder: Path) -> Expected:
    """What a run of the encoder in ``folder`` on these reviews will take.

    Raises:
        BadCheckpoint: the folder's ``config.json`` is missing or damaged.
    """
    shape = inspect_folder(folder)
    trained = count_parameters(folder, training, splits.train.task)
    body = count_parameters(folder, replace(training, trains="everything", freeze_embeddings=True))
    learns = {
        "everything": 1.0,
        "lora": 1.0,
        "last": min(1.0, training.last_layers / shape.layers),
        "head": 0.0,
    }[training.trains]
    longest = max(_tokens(splits.train, training.max_length), default=0)
    activations = _NUMBERS * _BYTES * shape.width * shape.layers * longest * training.batch_size
    memory = 4 * trained.total + 12 * trained.trainable + round(activations * learns)
    return Expected(_seconds(splits, training, learns, body.trainable / _MEASURED), memory)


def _seconds(splits: Splits, training: TrainingConfig, learns: float, size: float) -> float | None:
    measured = read_measurement()
    if measured is None or machine().device != "cpu":
        return None
    pace = max(measured.fp32, measured.bf16) / size  # tokens a second of whole steps
    stepped = sum(_tokens(splits.train, training.max_length))
    scored = sum(_tokens(splits.validation, training.max_length))
    work = training.epochs * stepped * (_FORWARD + (1 - _FORWARD) * learns)
    return (work + (training.epochs + 1) * scored * _FORWARD) / pace


def _tokens(reviews: Reviews, longest: int) -> list[float]:
    markers = 2 if reviews.task.reads == "text" else 3  # [CLS] and one [SEP] a text
    lengths = (len(first) + len(second) for first, second in reviews.inputs)
    return [min(longest, markers + length / CHARACTERS) for length in lengths]


def keep_expected(folder: Path, expected: Expected) -> None:
    """Write it into a run's folder.

    Raises:
        OSError: the disk is full or not writable.
    """
    write_atomically(folder / FILE, json.dumps(asdict(expected)))


def read_expected(folder: Path) -> Expected:
    """What was expected of the run in ``folder``; unknown where nothing, or nonsense, is kept."""
    try:
        values = json.loads((folder / FILE).read_text(encoding="utf-8"))
        seconds = None if values["seconds"] is None else max(0.0, float(values["seconds"]))
        return Expected(seconds, int(values["memory"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return Expected()
