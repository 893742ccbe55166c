"""Settings in, the learning rates of every step out. Loads no torch, so that a page can draw them
before a run starts.

Warm-up and linear decay follow Devlin et al. (2019), appendix A.3. Lower layers learn slower: the
discriminative fine-tuning of Howard & Ruder (2018), in the form of Sun et al. (2019), section 5.3.
Layer l of L has the rate of the layer above it times a constant; the input vectors are one layer
further down.
"""

import math
import re

import pandas as pd

from bertsent.training.config import TrainingConfig

DRAWN = 240  # steps that a drawn schedule has at most, besides its corners
_LAYER = re.compile(r"\.layer\.(\d+)\.")


def steps_per_epoch(rows: int, config: TrainingConfig) -> int:
    """Optimizer steps that pass over so many rows, or over those that are drawn of them."""
    return math.ceil((config.epoch_rows or rows) / (config.batch_size * config.accumulate))


def kept_steps(each: int, config: TrainingConfig) -> frozenset[int]:
    """The steps inside epochs of ``each`` steps whose checkpoints stay, for a look at the run
    later.

    Every epoch is cut into equal parts, about ``config.kept_checkpoints`` in all and never more; a
    run of many epochs needs none, because the checkpoints of its epochs stay anyway.
    """
    parts = min(each, config.kept_checkpoints // config.epochs)
    inside = {round(each * part / parts) for part in range(1, parts)} if parts > 1 else set()
    return frozenset(epoch * each + step for epoch in range(config.epochs) for step in inside)


def rate_factor(step: int, total: int, warmup_share: float) -> float:
    """The share of the peak learning rate for the update that ends step ``step`` (counted from 1):
    up linearly, then down to 0.
    """
    warmup = round(total * warmup_share)
    if step <= warmup:
        return step / max(warmup, 1)
    return (total - step + 1) / max(total - warmup, 1)


def layer_depth(name: str, layers: int) -> int:
    """How far below the top layer a parameter of the encoder lies: 0 in the last of so many layers,
    ``layers`` in the input vectors.
    """
    found = _LAYER.search(name)
    return layers - 1 - int(found[1]) if found else layers


def peak_rate(config: TrainingConfig, below: int) -> float:
    """The highest rate of the encoder's layer that lies so many layers below the top one."""
    return config.encoder_lr * config.layer_decay**below


def learning_parts(config: TrainingConfig, layers: int) -> dict[str, float]:
    """The trained parts by name with their peak rates: the head, then the encoder from the top
    down.
    """
    found = {"head": config.head_lr}
    if config.trains == "head":
        return found
    deepest = min(config.last_layers, layers) if config.trains == "last" else layers
    found |= {f"layer {layers - below}": peak_rate(config, below) for below in range(deepest)}
    if config.trains == "everything" and not config.freeze_embeddings:
        found["embeddings"] = peak_rate(config, layers)
    return found


def schedule(config: TrainingConfig, rows: int, layers: int) -> pd.DataFrame:
    """Every rate over the steps of a run: step (from 1), epoch, part ("head", "layer 6" … "layer
    1", "embeddings"), rate.

    A long run is thinned to evenly spaced steps; its first, its last and the peak stay.
    """
    each = steps_per_epoch(rows, config)
    total = each * config.epochs
    corners = {1, min(total, max(1, round(total * config.warmup_share))), total}
    steps = sorted(corners | set(range(1, total + 1, math.ceil(total / DRAWN))))
    factors = [(step, step / each, rate_factor(step, total, config.warmup_share)) for step in steps]
    found = [
        (step, epoch, part, peak * factor)
        for part, peak in learning_parts(config, layers).items()
        for step, epoch, factor in factors
    ]
    return pd.DataFrame(found, columns=["step", "epoch", "part", "rate"])
