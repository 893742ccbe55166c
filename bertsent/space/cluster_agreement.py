"""Cluster ids and labels in, how far they agree out, in numbers that do not change when clusters
change their names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.errors import BadInput
from bertsent.space.clustering import kmeans

SEEDS = 10
SAMPLE = 2_000  # reviews that the silhouette is computed on; it compares all with all


@dataclass(frozen=True)
class Agreement:
    """Clusters beside labels, over the reviews that have one."""

    reviews: int
    matched: dict[
        int, int
    ]  # cluster → label, one each (Hungarian method, Kuhn 1955); clusters left over have none
    accuracy: float  # share of reviews whose cluster is matched to their label
    purity: float  # share right when every cluster is called by its commonest label
    ari: float  # adjusted Rand index (Hubert and Arabie 1985): 1 is equal, 0 is chance
    nmi: float  # normalised mutual information, arithmetic mean (Vinh et al. 2010): 0 to 1


@dataclass(frozen=True)
class Stability:
    """How much K-Means depends on where it starts: the clusters of several seeds compared with each
    other.
    """

    seeds: int
    mean: (
        float  # adjusted Rand index over all pairs of seeds; 1 means that the start does not matter
    )
    low: float  # of the two seeds that agree least


def agreement(ids: np.ndarray, labels: Sequence[int | None]) -> Agreement | None:
    """Compare clusters with labels; None where no review has a label.

    Args:
        ids: (n,) cluster of every review, from 0.
        labels: (n,) 0, 1 or None.

    Raises:
        BadInput: not as many labels as ids.
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    if len(ids) != len(labels):
        raise BadInput(
            f"There are {len(ids):,} cluster ids but {len(labels):,} labels.",
            "Give one label a review, or None.",
        )
    known = np.array([label is not None for label in labels], dtype=bool)
    if not known.any():
        return None
    found, truth = (
        np.asarray(ids)[known],
        np.array([label for label in labels if label is not None]),
    )
    counts = np.zeros((int(found.max()) + 1, int(truth.max()) + 1), dtype=np.int64)
    np.add.at(counts, (found, truth), 1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return Agreement(
        reviews=len(truth),
        matched=dict(zip(rows.tolist(), columns.tolist(), strict=True)),
        accuracy=float(counts[rows, columns].sum() / len(truth)),
        purity=float(counts.max(axis=1).sum() / len(truth)),
        ari=float(adjusted_rand_score(truth, found)),
        nmi=float(normalized_mutual_info_score(truth, found)),
    )


def silhouette(vectors: np.ndarray, ids: np.ndarray, *, seed: int = 42) -> float | None:
    """How much nearer a vector is to its own cluster than to the next one, from -1 to 1 (Rousseeuw
    1987).

    The mean over all vectors (n, H), or over a seeded sample of 2,000; None where it is not defined
    (one cluster, or one vector a cluster).
    """
    from sklearn.metrics import silhouette_score

    ids = np.asarray(ids)
    chosen = np.arange(len(ids))
    if len(ids) > SAMPLE:
        chosen = np.sort(np.random.default_rng(seed).choice(len(ids), SAMPLE, replace=False))
    if not 2 <= len(set(ids[chosen].tolist())) < len(chosen):
        return None
    with one_thread():
        return float(silhouette_score(np.asarray(vectors)[chosen], ids[chosen]))


def stability(vectors: np.ndarray, k: int, seeds: int = SEEDS) -> Stability:
    """Cluster vectors (n, H) with ``seeds`` different seeds and compare the results with each
    other.

    Raises:
        BadInput: fewer than two seeds, or ``k`` clusters are not possible.
    """
    from sklearn.metrics import adjusted_rand_score

    if seeds < 2:
        raise BadInput(f"{seeds} seeds cannot be compared.", "Choose 2 or more.")
    runs = [kmeans(vectors, k, seed=seed).ids for seed in range(seeds)]
    pairs = [adjusted_rand_score(a, b) for i, a in enumerate(runs) for b in runs[:i]]
    return Stability(seeds, float(np.mean(pairs)), float(np.min(pairs)))
