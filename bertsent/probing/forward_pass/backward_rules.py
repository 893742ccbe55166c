"""The rules of backpropagation for the operations that an encoder is made of: the gradient of the
loss at what an operation gives in, that at what it reads, or at its weights, out.

Each is the chain rule (Rumelhart, Hinton and Williams 1986) for one operation. A gradient has the
shape of what it belongs to, so that of a ``Linear`` is a ``Linear`` again.
"""

import numpy as np

from bertsent.probing.forward_pass.encoder_weights import Linear, Norm


def linear_gradient(inputs: np.ndarray, output: np.ndarray) -> Linear:
    """At the weights of y = x Wᵀ + b, from ``inputs`` x (T, in) and the gradient ``output`` at y
    (T, out): ∂L/∂W is the sum over the rows of ∂L/∂y times x, ∂L/∂b that of ∂L/∂y.
    """
    return Linear(output.T @ inputs, output.sum(0))


def through_linear(linear: Linear, output: np.ndarray) -> np.ndarray:
    """At x (…, in) of y = x Wᵀ + b: ∂L/∂y · W."""
    return output @ linear.weight.astype(np.float64)


def norm_gradient(norm: Norm, inputs: np.ndarray, output: np.ndarray) -> Norm:
    """At the gain and the shift of a LayerNorm, from what it reads and the gradient at what it
    gives, both (T, W).
    """
    return Norm((output * norm.standardised(inputs)).sum(0), output.sum(0), norm.epsilon)


def through_norm(norm: Norm, inputs: np.ndarray, output: np.ndarray) -> np.ndarray:
    """At what a LayerNorm reads, (T, W). With n = (x − μ) / σ and g = ∂L/∂n it is
    (g − mean(g) − n · mean(g · n)) / σ: what would only move the mean or stretch the vector changes
    nothing.
    """
    standardised, at_standardised = norm.standardised(inputs), output * norm.gain
    mean = at_standardised.mean(-1, keepdims=True)
    along = (at_standardised * standardised).mean(-1, keepdims=True)
    return (at_standardised - mean - standardised * along) / norm.scale(inputs)


def through_softmax(probabilities: np.ndarray, output: np.ndarray) -> np.ndarray:
    """At the scores (…, n) whose softmax is ``probabilities``: p (g − Σ p g), which is the gradient
    times ``softmax_jacobian`` without writing that down.
    """
    return probabilities * (output - (probabilities * output).sum(-1, keepdims=True))


def softmax_jacobian(probabilities: np.ndarray) -> np.ndarray:
    """(n, n): ∂ŷᵢ/∂zⱼ = ŷᵢ (δᵢⱼ − ŷⱼ) of the softmax ``probabilities`` ŷ (n,) of z (row 001-34)."""
    return np.diag(probabilities) - np.outer(probabilities, probabilities)
