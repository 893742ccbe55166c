"""Vectors of an untouched BERT in, a classifier on top of them out: logistic regression, an SVM, a
small network (row 003-09).

BERT's own weights stay as they were pretrained ("feature-based", Devlin et al. 2019, section 5.3);
only the head learns. The
vector of a review is the mean of the last layer over its tokens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.probing.array_cache import StoredArrays
from bertsent.probing.baselines.pipelines import FROZEN_LR, FROZEN_NN, FROZEN_SVM
from bertsent.probing.baselines.platt_scaling import platt, sigmoid, unseen_scores

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from bertsent.probing.loaded_model import LoadedModel

POOLING = "mean"


def logistic(seed: int = 42) -> "Pipeline":
    """Logistic regression on standardised vectors."""
    from sklearn.linear_model import LogisticRegression

    return _standardised(LogisticRegression(C=0.1, max_iter=2_000, random_state=seed))


def svm(seed: int = 42) -> "Pipeline":
    """A linear support vector machine on standardised vectors."""
    from sklearn.svm import LinearSVC

    return _standardised(LinearSVC(C=0.003, random_state=seed))


def network(seed: int = 42) -> "Pipeline":
    """One hidden layer of 32 rectified units on standardised vectors."""
    from sklearn.neural_network import MLPClassifier

    net = MLPClassifier(
        (32,), alpha=1.0, batch_size=64, learning_rate_init=1e-3, max_iter=15, random_state=seed
    )
    return _standardised(net)


HEADS: dict[str, Callable[[int], "Pipeline"]] = {
    FROZEN_LR: logistic,
    FROZEN_SVM: svm,
    FROZEN_NN: network,
}


def _standardised(head: object) -> "Pipeline":
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), head)


@dataclass(frozen=True)
class FrozenBert:
    """A trained head; ``embedder`` makes the vectors. Layers are (in, out) weights and (out,)
    biases, rectified in between.

    P(positive) = σ(slope · z + offset), z being what the last layer gives.
    """

    name: str
    embedder: "LoadedModel"
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
        return sigmoid(self.slope * self.scores(vectors) + self.offset)

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return self.p_of(self.embedder.embed(texts, pooling=POOLING))

    def parts(self) -> StoredArrays:
        arrays = {"mean": self.mean, "scale": self.scale}
        for number, (weights, biases) in enumerate(self.layers):
            arrays |= {f"weights{number}": weights, f"biases{number}": biases}
        return StoredArrays(
            arrays, {"slope": self.slope, "offset": self.offset, "layers": len(self.layers)}
        )

    @classmethod
    def of(cls, name: str, parts: StoredArrays, embedder: "LoadedModel") -> Self:
        a, f = parts.arrays, parts.facts
        layers = tuple((a[f"weights{i}"], a[f"biases{i}"]) for i in range(f["layers"]))
        return cls(name, embedder, a["mean"], a["scale"], layers, f["slope"], f["offset"])


def fit_frozen_head(
    name: str, vectors: np.ndarray, reviews: Reviews, embedder: "LoadedModel", *, seed: int = 42
) -> FrozenBert:
    """Train one of ``HEADS`` on the vectors of labelled reviews, (n, width)."""
    import warnings

    labels = np.array(reviews.labels)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # the network has a fixed number of epochs, few reviews make one batch
        fitted = HEADS[name](seed).fit(vectors, labels)
        scaler, head = fitted[0], fitted[-1]
        slope, offset = (1.0, 0.0)
        if name == FROZEN_SVM:
            slope, offset = platt(
                unseen_scores(HEADS[name](seed), vectors, reviews, seed=seed), labels
            )
    mean, scale = scaler.mean_.astype(float), scaler.scale_.astype(float)
    if name == FROZEN_NN:
        layers = tuple(
            (w.astype(float), b.astype(float))
            for w, b in zip(head.coefs_, head.intercepts_, strict=True)
        )
    else:
        layers = ((head.coef_.T.astype(float), head.intercept_.astype(float)),)
    return FrozenBert(name, embedder, mean, scale, layers, slope, offset)
