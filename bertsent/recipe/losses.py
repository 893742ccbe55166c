"""Logits and what is true in, the mean loss of a batch out, for each kind of head of the recipe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, softplus

SMOOTHING, TWO_LABEL_SMOOTHING = 0.05, 0.03
PAIR_SHARE = 0.5  # how much the order of a pair counts beside the labels of its sides
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class HeadKind:
    """How many logits a head gives, and its loss."""

    logits: int
    loss: Loss


def classes(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of one of K, smoothed."""
    return cross_entropy(logits, targets.long(), label_smoothing=SMOOTHING)


def two_labels(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of NEGATIVE and POSITIVE, smoothed; ``targets`` (n,) is how positive a text is:
    0, 1, or 0.5 where it judges nothing.
    """
    positive = targets.clamp(TWO_LABEL_SMOOTHING / 2, 1 - TWO_LABEL_SMOOTHING / 2)
    return cross_entropy(logits, torch.stack([1 - positive, positive], 1))


def one_logit(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy."""
    return binary_cross_entropy_with_logits(logits[:, 0], targets)


def several_labels(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy of each label, twice: its numbers are smaller than those of others."""
    return 2 * binary_cross_entropy_with_logits(logits, targets)


def rating_to_5(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Squared error of a sigmoid that is stretched to 5, six times for the same reason."""
    return 6 * (logits[:, 0].sigmoid() - targets / 5).square().mean()


def pair_order(logits: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
    """The logistic loss of which side of a minimal pair is the positive one (RankNet, Burges et
    al. 2005): what both share cancels out.

    Args:
        logits: (n, 2) of two labels.
        sides: (pairs, 2) the rows of each pair's negative and positive side.
    """
    margin = logits[:, 1] - logits[:, 0]
    return softplus(margin[sides[:, 0]] - margin[sides[:, 1]]).mean()


HEAD_KINDS: Mapping[str, HeadKind] = {
    "two labels": HeadKind(2, two_labels),
    "three classes": HeadKind(3, classes),
    "five classes": HeadKind(5, classes),
    "one logit": HeadKind(1, one_logit),
    "eleven labels": HeadKind(11, several_labels),
    "rating to 5": HeadKind(1, rating_to_5),
}
