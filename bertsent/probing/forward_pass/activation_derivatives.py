"""The name of an activation in, the derivative of the function of ``activations`` out, in NumPy."""

from collections.abc import Mapping

import numpy as np
from scipy.special import expit, ndtr

from bertsent.probing.forward_pass.activations import Activation

_CUBIC, _SLOPE = 0.044715, np.sqrt(2 / np.pi)  # of the approximation of GELU


def gelu_derivative(x: np.ndarray) -> np.ndarray:
    """Φ(x) + x φ(x), with φ the density of the normal distribution function Φ."""
    return ndtr(x) + x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def gelu_by_tanh_derivative(x: np.ndarray) -> np.ndarray:
    """Of ½ x (1 + tanh u), u being √(2/π) (x + 0.044715 x³)."""
    bent = np.tanh(_SLOPE * (x + _CUBIC * x**3))
    return 0.5 * (1 + bent) + 0.5 * x * (1 - bent**2) * _SLOPE * (1 + 3 * _CUBIC * x**2)


def relu_derivative(x: np.ndarray) -> np.ndarray:
    """1 above 0, else 0, as PyTorch has it at 0."""
    return (x > 0).astype(np.float64)


def silu_derivative(x: np.ndarray) -> np.ndarray:
    """σ(x) (1 + x (1 − σ(x))), with σ the logistic function."""
    return expit(x) * (1 + x * expit(-x))


def tanh_derivative(x: np.ndarray) -> np.ndarray:
    """1 − tanh²(x)."""
    return 1 - np.tanh(x) ** 2


DERIVATIVES: Mapping[str, Activation] = {
    "gelu": gelu_derivative,
    "gelu_new": gelu_by_tanh_derivative,
    "gelu_fast": gelu_by_tanh_derivative,
    "gelu_pytorch_tanh": gelu_by_tanh_derivative,
    "relu": relu_derivative,
    "silu": silu_derivative,
    "swish": silu_derivative,
    "tanh": tanh_derivative,
}
