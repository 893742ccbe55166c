"""Logits and the true label in, the loss out: cross-entropy, −ln of the probability of the true
label (row 001-35; Goodfellow et al. 2016, section 6.2.2.2), and what it says of an answer.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import log_softmax

from bertsent.data.examples import LABELS

UNSURE = 0.05  # from 0.5: less says nothing about being sure and wrong


def cross_entropy(logits: np.ndarray | Sequence[float], label: int) -> float:
    """−ln ŷ of ``label`` from the logits (2,)."""
    return cross_entropies(logits)[label]


def cross_entropies(logits: np.ndarray | Sequence[float]) -> tuple[float, float]:
    """The loss if NEGATIVE is true, and if POSITIVE is."""
    negative, positive = -log_softmax(np.asarray(logits, np.float64))
    return float(negative), float(positive)


def loss_sentence(losses: tuple[float, float], label: int) -> str:
    """What this answer costs, and what it would cost if the other label were true."""
    loss, other = losses[label], losses[1 - label]
    p = float(np.exp(-loss))
    said = f"{LABELS[label]} got {100 * p:.1f} %, so the loss is −ln {p:.3g} = {loss:.3g}."
    if abs(p - 0.5) < UNSURE:
        return (
            f"{said} The answer is hardly sure: either label costs about what guessing does, 0.693."
        )
    if other > loss:
        return (
            f"{said} Were {LABELS[1 - label]} true, the same answer would cost {other:.3g}, "
            f"{_times(other, loss)} as much: sure and wrong costs most."
        )
    return (
        f"{said} The answer is wrong, and the surer it is the more that costs: right, it would "
        f"cost {other:.3g}, and 0.693 is what guessing costs."
    )


def batch_sentence(losses: Sequence[float]) -> str:
    """The mean of the losses of a batch, this review first, and how much of it the largest is."""
    terms = " + ".join(f"{loss:.3f}" for loss in losses)
    total = max(sum(losses), 1e-300)
    return (
        f"the loss of the batch is the mean, ({terms}) / {len(losses)} = "
        f"{sum(losses) / len(losses):.3f}. The largest of the {len(losses)} makes up "
        f"{100 * max(losses) / total:.0f} % of it."
    )


def _times(more: float, less: float) -> str:
    times = more / max(less, 1e-300)
    return f"{times:,.0f} times" if times < 1e6 else "more than a million times"
