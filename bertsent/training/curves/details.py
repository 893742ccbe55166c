"""How a run learned, in three sentences: its loss, its descent, and what that took, all as
measured.
"""

import math

from bertsent.training.config import RunConfig
from bertsent.training.events import Started, Stepped
from bertsent.training.runs.history import History

GUESSING = math.log(2)
LECTURE = (
    "The lecture speaks of thousands of labelled examples (not millions) and hours on a GPU "
    "(not weeks)."
)


def training_told(config: RunConfig, history: History) -> list[str]:
    """Three sentences on a run; shorter ones where it has not come so far."""
    started, step = history.started, history.steps[-1] if history.steps else None
    told = [_loss(config, history)]
    if started is None or step is None:
        return [*told, "Gradient descent begins with the first step."]
    return [*told, _descent(config, started, step), _resources(config, started, step)]


def spoken(seconds: float) -> str:
    """A duration in words: 45 s, 4.2 min, 1.3 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5970 else f"{seconds / 3600:.1f} h"


def _loss(config: RunConfig, history: History) -> str:
    told = (
        "Cross-entropy is what it lowers: minus the logarithm of the probability that the "
        "right "
        "label gets, the mean over reviews"
    )
    t = config.training
    extra = [f"label smoothing {t.label_smoothing:g}"] if t.label_smoothing else []
    extra += ["rare labels counting for more"] if t.class_weights != "none" else []
    told += f" (here with {' and '.join(extra)})" if extra else ""
    found = history.evaluations
    if not found:
        return f"{told}; guessing costs ln 2 = {GUESSING:.3f}."
    way = f"{found[0].loss:.3f} before the first step" + (
        f" and {found[-1].loss:.3f} at step {found[-1].step:,}" if len(found) > 1 else ""
    )
    return f"{told}. On the validation reviews it was {way}; guessing costs ln 2 = {GUESSING:.3f}."


def _descent(config: RunConfig, started: Started, step: Stepped) -> str:
    size = config.training.batch_size * config.training.accumulate
    whole = started.trainable == started.parameters
    what = (
        f"all {started.parameters:,}"
        if whole
        else f"{started.trainable:,} of {started.parameters:,}"
    )
    return (
        f"Gradient descent (AdamW) moved {what} parameters {step.step:,} times, each time a little "
        f"downhill on the loss of up to {size} "
        "reviews."
    )


def _resources(config: RunConfig, started: Started, step: Stepped) -> str:
    passes = f"{step.epoch:.3g} {'epoch' if step.epoch == 1 else 'epochs'}"
    pace = started.train_rows * step.epoch / max(step.seconds, 1e-9)
    return (
        f"Measured in this run ({started.device}, {started.precision}, up to "
        f"{config.training.max_length} tokens): "
        f"{spoken(step.seconds)} for {passes} of {started.train_rows:,} training reviews, so "
        f"{pace:,.0f} "
        f"reviews a second with the validations between them. {LECTURE}"
    )
