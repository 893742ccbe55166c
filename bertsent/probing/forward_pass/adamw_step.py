"""Weights and their gradient in, the weights after the first step of AdamW out (Loshchilov and
Hutter 2019, algorithm 2), and the review read again with them.

The model that everybody shares is never written to. A layer's new weights are worked out when the
layer's turn comes and dropped after it; of the tables of input vectors only the rows that the
review uses are taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.encoder_weights import (
    LayerWeights,
    Linear,
    Norm,
)
from bertsent.probing.forward_pass.forward_pass import pooled_vector
from bertsent.probing.forward_pass.layer_pass import LayerPass

StepTrains = Literal["everything", "head"]  # what makes the step; words of TrainingConfig.trains
RATES = (1e-7, 1e-6, 5e-6, 2e-5, 5e-5, 1e-4, 1e-3, 1e-2)  # learning rates to try
USUAL_RATE = 2e-5  # one of those that Devlin et al. 2019, appendix A.3, recommend


@dataclass(frozen=True)
class FirstStep:
    """AdamW's first step. Biases and the gains and shifts of norms do not decay, as in training."""

    learning_rate: float
    weight_decay: float = 0.01
    epsilon: float = 1e-8

    def after(self, weights: np.ndarray, gradient: np.ndarray, *, decays: bool) -> np.ndarray:
        """The weights after the step: decayed, then moved against the gradient."""
        kept = 1 - self.learning_rate * self.weight_decay * decays
        return kept * weights - self.learning_rate * self.direction(gradient)

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """m̂ / (√v̂ + ε). Both moments begin at 0, and the correction of that bias makes m̂ the
        gradient g and v̂ its square in the first step: g / (|g| + ε), which is +1 or −1 wherever
        the gradient is well above ε.
        """
        return gradient / (np.abs(gradient) + self.epsilon)

    def linear(self, weights: Linear, gradient: Linear) -> Linear:
        """The weights decay, the bias does not."""
        return Linear(
            self.after(weights.weight, gradient.weight, decays=True),
            self.after(weights.bias, gradient.bias, decays=False),
        )

    def norm(self, weights: Norm, gradient: Norm) -> Norm:
        """Gain and shift do not decay."""
        return Norm(
            self.after(weights.gain, gradient.gain, decays=False),
            self.after(weights.shift, gradient.shift, decays=False),
            weights.epsilon,
        )

    def layer(self, weights: LayerWeights, gradient: LayerWeights) -> LayerWeights:
        """Every linear map and norm of the layer."""
        stepped: dict[str, Any] = {}  # Linear or Norm
        for each in fields(weights):
            own, its = getattr(weights, each.name), getattr(gradient, each.name)
            if isinstance(own, Linear):
                stepped[each.name] = self.linear(own, its)
            elif isinstance(own, Norm):
                stepped[each.name] = self.norm(own, its)
        return replace(weights, **stepped)


def logits_after_steps(
    backward: BackwardPass, steps: Sequence[FirstStep], trains: StepTrains
) -> np.ndarray:
    """(n, 2): the logits of the review of ``backward`` after each of n ``steps`` on it alone, which
    all begin at the model as it is.

    Args:
        backward: the gradients.
        steps: the steps that are taken with them.
        trains: ``everything``, or ``head``: the classifier, and the pooler where there is one.
    """
    weights, pooled = backward.forward.weights, [backward.forward.pooled] * len(steps)
    if trains == "everything":
        read = backward.forward.inputs.read
        with one_thread():
            lasts = _last_after_steps(backward, steps)
        pooled = [pooled_vector(last[read], weights.pooling) for last in lasts]
    pooler, classifier = backward.pooler, backward.classifier
    if weights.pooler is not None and pooler is not None:
        stepped = [step.linear(weights.pooler.linear, pooler) for step in steps]
        poolers = [replace(weights.pooler, linear=linear) for linear in stepped]
        pooled = [each(vector) for each, vector in zip(poolers, pooled, strict=True)]
    heads = [step.linear(weights.classifier, classifier) for step in steps]
    return np.stack([head(vector) for head, vector in zip(heads, pooled, strict=True)])


def _last_after_steps(backward: BackwardPass, steps: Sequence[FirstStep]) -> list[np.ndarray]:
    """(T, W) for each step: what the last layer gives when everything has made it. The gradient of
    a layer is worked out once for all steps.
    """
    forward, norm, parts = backward.forward, backward.norm, _parts_after_steps(backward, steps)
    pairs = zip(steps, parts, strict=True)
    hidden = [step.norm(forward.weights.norm, norm)(summed) for step, summed in pairs]
    for layer in backward.layers:
        own, gradient = layer.layer.weights, layer.weights
        hidden = [
            LayerPass(states, step.layer(own, gradient), forward.inputs.read).output
            for step, states in zip(steps, hidden, strict=True)
        ]
    return hidden


def _parts_after_steps(backward: BackwardPass, steps: Sequence[FirstStep]) -> list[np.ndarray]:
    """(T, W) for each step: the sum of the rows of the tables."""
    forward, sums = backward.forward, [np.zeros_like(backward.summed) for _ in steps]
    for name, gradient in backward.tables.items():
        own = forward.weights.tables[name][gradient.rows]
        places = np.searchsorted(gradient.rows, forward.rows[name])
        for step, summed in zip(steps, sums, strict=True):
            summed += step.after(own, gradient.values, decays=True)[places]
    return sums
