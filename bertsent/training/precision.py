"""The device that a training uses, and the number format in which it trains faster.

Processor flags do not tell: of two machines with ``avx512_bf16`` one trained twice as fast in bf16
and the other one slower. So a processor is measured once: a few training steps of a small BERT in
both formats by turns, in a process of its own, kept in the user's cache folder
(``~/.cache/bertsent/precision.json``) with processor, cores and torch version. Loads no torch.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Literal

from filelock import FileLock

from bertsent.files import write_atomically
from bertsent.settings import (
    PROJECT,
    machine,
    processor_name,
    subprocess_environment,
    user_cache,
)

Precision = Literal["fp32", "bf16"]
BATCH, LENGTH, TURNS = 16, 64, 4  # reviews, tokens each, timed steps in each format
BUDGET = 20.0  # seconds after which no further turn begins
ATTENTION = "attention in fp32"  # of both formats; measured with another one, it says nothing
LONGEST = 180  # seconds after which the measurement is given up


@dataclass(frozen=True)
class PrecisionMeasurement:
    """Tokens a second of training in both formats."""

    fp32: float
    bf16: float

    @property
    def faster(self) -> Precision:
        return "bf16" if self.bf16 > self.fp32 else "fp32"

    def measurement_sentence(self) -> str:
        """Which format is faster, and by how much."""
        slow, fast = sorted((self.fp32, self.bf16))
        return (
            f"measured: {fast:,.0f} tokens/s, {fast / slow:.2f} times as fast as "
            f"{'fp32' if self.faster == 'bf16' else 'bf16'}"
        )


@dataclass(frozen=True)
class PrecisionChoice:
    """The format that a training uses, and why."""

    precision: Precision
    reason: str

    def sentence(self) -> str:
        """The format and the reason."""
        return f"{self.precision} ({self.reason})"


def choose_device() -> Literal["cuda", "cpu"]:
    """``cuda`` where torch can use one and ``BERTSENT_DEVICE`` allows it, else ``cpu``."""
    if machine().device != "cuda":
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def choose_precision(wanted: str, device: str) -> PrecisionChoice:
    """The format for ``auto``, ``bf16`` or ``fp32`` on this device. For ``auto`` the processor is
    measured unless that was done before, which takes seconds.
    """
    if wanted in ("bf16", "fp32"):
        return PrecisionChoice("bf16" if wanted == "bf16" else "fp32", "chosen in the settings")
    if device == "cuda":
        import torch

        if torch.cuda.is_bf16_supported(including_emulation=False):
            return PrecisionChoice("bf16", "this GPU computes in bf16")
        return PrecisionChoice("fp32", "this GPU does not compute in bf16")
    found = measure_precision()
    if found:
        return PrecisionChoice(found.faster, found.measurement_sentence())
    return PrecisionChoice("fp32", "the measurement of this processor failed")


def known_precision() -> Precision:
    """What ``auto`` means here as far as it is known: fp32 until a processor was measured. Never
    measures, never waits.
    """
    if machine().device == "cuda":
        return "bf16"
    found = read_measurement()
    return found.faster if found else "fp32"


def auto_precision_sentence() -> str:
    """What ``auto`` means here, for the screen; never measures, never waits."""
    if machine().device == "cuda":
        return "bf16 where the GPU computes in it"
    found = read_measurement()
    return f"{found.faster} ({found.measurement_sentence()})" if found else "not measured yet"


def measure_precision() -> PrecisionMeasurement | None:
    """The measurement of this machine, made now if there is none; None when it fails."""
    if found := read_measurement():
        return found
    try:
        user_cache().mkdir(parents=True, exist_ok=True)
        # whoever waits here reads what the other one measured
        with FileLock(user_cache() / "precision.lock"):
            if (found := read_measurement() or _measured_by_child()) is not None:
                save_measurement(found)
            return found
    except OSError:  # no place to keep it
        return _measured_by_child()


def read_measurement() -> PrecisionMeasurement | None:
    """What was measured on this machine with this version of torch."""
    try:
        values = _read_all()[_key()]
        found = PrecisionMeasurement(float(values["fp32"]), float(values["bf16"]))
        return found if 0 < found.fp32 < 1e12 and 0 < found.bf16 < 1e12 else None
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def save_measurement(found: PrecisionMeasurement) -> None:
    """Keep a measurement for this machine and this version of torch.

    Raises:
        OSError: the disk is full or not writable.
    """
    user_cache().mkdir(parents=True, exist_ok=True)
    write_atomically(
        user_cache() / "precision.json", json.dumps(_read_all() | {_key(): asdict(found)}, indent=2)
    )


def _read_all() -> dict[str, dict[str, float]]:
    try:
        found = json.loads((user_cache() / "precision.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _key() -> str:
    return f"{processor_name()}, {machine().cores} cores, torch {version('torch')}, {ATTENTION}"


def _measured_by_child() -> PrecisionMeasurement | None:
    """In a process of its own: its memory is not the run's, and a crash ends no training."""
    print("Measuring which precision trains faster here, once: seconds …", file=sys.stderr)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bertsent.training.precision"],
            capture_output=True,
            timeout=LONGEST,
            check=True,
            cwd=PROJECT,
            env=subprocess_environment(),
        )
        return PrecisionMeasurement(**json.loads(done.stdout.splitlines()[-1]))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, IndexError) as error:
        print(f"The precision could not be measured: {error}", file=sys.stderr, flush=True)
        return None


def time_training() -> PrecisionMeasurement:
    """Time training steps of a BERT with the built-in one's layers in both formats, by turns; the
    first turn is not counted.
    """
    take_step = _small_training()
    seconds: dict[Precision, list[float]] = {"fp32": [], "bf16": []}
    began = time.perf_counter()
    for turn in range(TURNS + 1):
        if turn > 1 and time.perf_counter() - began > BUDGET:
            break
        for name, times in seconds.items():
            start = time.perf_counter()
            take_step(name)
            times.append(time.perf_counter() - start)
    return PrecisionMeasurement(
        **{name: BATCH * LENGTH / statistics.median(times[1:]) for name, times in seconds.items()}
    )


def _small_training() -> Callable[[Precision], None]:
    """A BERT with the built-in one's layers, prepared as for a run; gives back what takes one step
    with it in a format.
    """
    import torch
    from transformers import BertConfig, BertModel

    from bertsent.models.fused_attention import FUSED
    from bertsent.models.task_model import BertForTask
    from bertsent.training.config import TrainingConfig
    from bertsent.training.trainable_parameters import build_optimizer, set_dropout

    config = TrainingConfig()
    shape = BertConfig(
        vocab_size=1000,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    torch.manual_seed(0)
    model = BertForTask(BertModel(shape, add_pooling_layer=False), "cls", config.dropout)
    model.bert.set_attn_implementation(FUSED)
    set_dropout(model.bert, config.hidden_dropout, config.attention_dropout)
    optimizer = build_optimizer(model.train(), config)
    ids = torch.randint(1, 1000, (BATCH, LENGTH))
    labels = torch.randint(2, (BATCH,))

    def take_step(precision: Precision) -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            logits = model(ids, torch.ones_like(ids))
        torch.nn.functional.cross_entropy(logits.float(), labels).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return take_step


if __name__ == "__main__":
    from bertsent.training.process import keep_freed_memory

    keep_freed_memory()  # as a worker does
    print(json.dumps(asdict(time_training())))
