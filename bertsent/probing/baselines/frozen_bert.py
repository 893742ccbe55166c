"""Vectors of an untouched BERT in, a classifier on top of them out: logistic regression, an SVM, a
small network (row 003-09).

BERT's own weights stay as they were pretrained ("feature-based", Devlin et al. 2019, section 5.3);
only the classifier on top learns. The vector of a review is the mean of the last layer over its
tokens.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from bertsent.data.examples import Reviews
from bertsent.models.pooling import Pooling
from bertsent.probing.baselines.pipelines import FROZEN_NN, fit_baseline
from bertsent.probing.loaded_model import LoadedModel

POOLING: Pooling = "mean"
CONSTANT = 1e-4  # a number of the vectors that varies less than this says nothing but rounding


@dataclass(frozen=True)
class FrozenBert:
    """A trained head; ``embedder`` makes the vectors. Layers are (in, out) weights and (out,)
    biases, rectified in between; the last gives the log-odds of POSITIVE.
    """

    name: str
    embedder: LoadedModel
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]

    def p_of(self, vectors: np.ndarray) -> np.ndarray:
        """(n, width) vectors in, (n,) P(positive) out."""
        values = vectors.astype(float)
        for number, (weights, biases) in enumerate(self.layers):
            values = (np.maximum(values, 0) if number else values) @ weights + biases
        return expit(values[:, 0])

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return self.p_of(self.embedder.embed(texts, pooling=POOLING))

    def to_arrays(self) -> dict[str, Any]:
        arrays = {
            f"{kind}{number}": array
            for number, layer in enumerate(self.layers)
            for kind, array in zip(("weights", "biases"), layer, strict=True)
        }
        return {"layers": len(self.layers)} | arrays

    @classmethod
    def from_arrays(cls, name: str, kept: Mapping[str, Any], embedder: LoadedModel) -> Self:
        layers = ((kept[f"weights{n}"], kept[f"biases{n}"]) for n in range(kept["layers"]))
        return cls(name, embedder, tuple(layers))


def fit_frozen_head(
    name: str,
    vectors: np.ndarray,
    reviews: Reviews,
    embedder: LoadedModel,
    *,
    seed: int = 42,
    settings: Mapping[str, object] | None = None,
) -> FrozenBert:
    """Train one of ``FROZEN_HEADS`` on the vectors of labelled reviews, (n, width), some parameters
    of its pipeline changed by ``settings``.
    """
    with warnings.catch_warnings():
        # the network has a fixed number of epochs, and few reviews make one batch
        warnings.simplefilter("ignore", UserWarning)
        pipeline, slope, offset = fit_baseline(name, vectors, reviews, seed=seed, settings=settings)
    scaler, head = pipeline[0], pipeline[-1]
    weights, biases = (
        (head.coefs_, head.intercepts_)
        if name == FROZEN_NN
        else ([head.coef_.T], [head.intercept_])
    )
    # the first layer takes in the scaler, the last one Platt's sigmoid
    scale = scaler.scale_[:, None]
    weights[0] = np.where(scale > CONSTANT, weights[0] / scale, 0.0)
    biases[0] = biases[0] - scaler.mean_ @ weights[0]
    weights[-1], biases[-1] = slope * weights[-1], slope * biases[-1] + offset
    return FrozenBert(name, embedder, tuple(zip(weights, biases, strict=True)))
