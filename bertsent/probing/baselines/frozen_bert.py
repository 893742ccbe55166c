"""Vectors of an untouched BERT in, a classifier on top of them out: logistic regression, an SVM, a
small network (row 003-09).

BERT's own weights stay as they were pretrained ("feature-based", Devlin et al. 2019, section 5.3);
only the classifier on top learns. The vector of a review is the mean of the last layer over its
tokens.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from bertsent.data.examples import Reviews
from bertsent.models.pooling import Pooling
from bertsent.probing.array_cache import StoredArrays
from bertsent.probing.baselines.pipelines import (
    FROZEN_NN,
    FROZEN_SVM,
    baseline_pipeline,
    fit_calibrated,
)
from bertsent.probing.loaded_model import LoadedModel

POOLING: Pooling = "mean"


@dataclass(frozen=True)
class FrozenBert:
    """A trained head; ``embedder`` makes the vectors. Layers are (in, out) weights and (out,)
    biases, rectified in between.

    P(positive) = σ(slope · z + offset), z being what the last layer gives.
    """

    name: str
    embedder: LoadedModel
    mean: np.ndarray
    scale: np.ndarray
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]
    slope: float = 1.0
    offset: float = 0.0

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """(n, width) vectors in, (n,) scores out."""
        values = (vectors.astype(float) - self.mean) / self.scale
        for number, (weights, biases) in enumerate(self.layers):
            values = (np.maximum(values, 0) if number else values) @ weights + biases
        return values[:, 0]

    def p_of(self, vectors: np.ndarray) -> np.ndarray:
        """(n, width) vectors in, (n,) P(positive) out."""
        return expit(self.slope * self.scores(vectors) + self.offset)

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return self.p_of(self.embedder.embed(texts, pooling=POOLING))

    def to_arrays(self) -> StoredArrays:
        arrays = {"mean": self.mean, "scale": self.scale}
        for number, (weights, biases) in enumerate(self.layers):
            arrays |= {f"weights{number}": weights, f"biases{number}": biases}
        return StoredArrays(
            arrays, {"slope": self.slope, "offset": self.offset, "layers": len(self.layers)}
        )

    @classmethod
    def from_arrays(cls, name: str, stored: StoredArrays, embedder: LoadedModel) -> Self:
        a, f = stored.arrays, stored.facts
        layers = tuple((a[f"weights{i}"], a[f"biases{i}"]) for i in range(f["layers"]))
        return cls(name, embedder, a["mean"], a["scale"], layers, f["slope"], f["offset"])


def fit_frozen_head(
    name: str, vectors: np.ndarray, reviews: Reviews, embedder: LoadedModel, *, seed: int = 42
) -> FrozenBert:
    """Train one of ``FROZEN_HEADS`` on the vectors of labelled reviews, (n, width)."""
    pipeline, slope, offset = baseline_pipeline(name, seed), 1.0, 0.0
    with warnings.catch_warnings():
        # the network has a fixed number of epochs, and few reviews make one batch
        warnings.simplefilter("ignore", UserWarning)
        if name == FROZEN_SVM:
            pipeline, slope, offset = fit_calibrated(pipeline, vectors, reviews, seed=seed)
        else:
            pipeline.fit(vectors, reviews.labels)
    scaler, head = pipeline[0], pipeline[-1]
    pairs = (
        zip(head.coefs_, head.intercepts_, strict=True)
        if name == FROZEN_NN
        else [(head.coef_.T, head.intercept_)]
    )
    layers = tuple((weights.astype(float), biases.astype(float)) for weights, biases in pairs)
    mean, scale = scaler.mean_.astype(float), scaler.scale_.astype(float)
    return FrozenBert(name, embedder, mean, scale, layers, slope, offset)
