"""The name of an activation in, its function in NumPy out."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import expit, ndtr

from bertsent.errors import NotAvailable

Activation = Callable[[np.ndarray], np.ndarray]


def gelu(x: np.ndarray) -> np.ndarray:
    """x Φ(x) with the normal distribution function Φ (Hendrycks and Gimpel 2016)."""
    return x * ndtr(x)


def gelu_by_tanh(x: np.ndarray) -> np.ndarray:
    """The approximation of GELU in section 2 of the same paper."""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def relu(x: np.ndarray) -> np.ndarray:
    """x where it is above 0, else 0."""
    return np.maximum(x, 0)


def silu(x: np.ndarray) -> np.ndarray:
    """x times the logistic function of x."""
    return x * expit(x)


# by the names that configurations of transformers give them
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": gelu,
    "gelu_new": gelu_by_tanh,
    "gelu_fast": gelu_by_tanh,
    "gelu_pytorch_tanh": gelu_by_tanh,
    "relu": relu,
    "silu": silu,
    "swish": silu,
    "tanh": np.tanh,
}


def activation_function(name: str) -> Activation:
    """The function of that name.

    Raises:
        NotAvailable: it is none of ``ACTIVATIONS``.
    """
    NotAvailable.raise_if(
        name not in ACTIVATIONS,
        f"The activation “{name}” is not worked out here.",
        f"Known are {', '.join(ACTIVATIONS)}.",
    )
    return ACTIVATIONS[name]
