"""Vectors in, clusters out: K-Means (Lloyd 1982), how far clusters agree with labels, and how
stable they are.

Cluster numbers start at 0 for the largest cluster, so that another run of the same clusters reads
the same; no measure here changes when clusters change their numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.blas_threads import one_thread
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput

RESTARTS, SEEDS = 10, 10
SAMPLE = 2_000  # reviews of measures that compare all with all


@dataclass(frozen=True)
class Clusters:
    """Which cluster every vector belongs to, and where the clusters lie."""

    ids: np.ndarray  # (n,) int64, 0 is the largest cluster
    centres: np.ndarray  # (k, H)


def kmeans(vectors: np.ndarray, k: int, *, seed: int = 42) -> Clusters:
    """Group vectors (n, H) into ``k`` clusters: the best of ten seeded K-Means runs.

    Raises:
        BadInput: ``k`` is below 1 or above the number of different vectors, or a vector is not
            finite.
    """
    from sklearn.cluster import KMeans

    data = np.asarray(vectors)
    if data.ndim != 2 or not np.isfinite(data).all():
        raise BadInput("Some vectors are not finite numbers.", "Choose another checkpoint.")
    different = distinct(data)
    if not 1 <= k <= different:
        raise BadInput(
            f"{k} clusters are not possible with {different:,} different vectors.",
            f"Choose from 1 to {different:,}.",
        )
    with one_thread():
        found = KMeans(n_clusters=k, n_init=RESTARTS, random_state=seed).fit(data)
    order = by_size(found.labels_, k)
    return Clusters(np.argsort(order)[found.labels_], found.cluster_centers_[order])


def distinct(vectors: np.ndarray) -> int:
    """How many different rows there are."""
    return len(
        {row.tobytes() for row in np.ascontiguousarray(vectors) + 0.0}
    )  # + 0.0 makes -0 and 0 one


def by_size(ids: np.ndarray, k: int) -> np.ndarray:
    """The cluster ids (k,) from the largest to the smallest; of equally large ones, the one met
    first comes first.
    """
    first = np.full(k, len(ids))
    np.minimum.at(first, ids, np.arange(len(ids)))
    return np.lexsort((first, -np.bincount(ids, minlength=k)))


def cluster_label_matrix(
    ids: np.ndarray, labels: Sequence[int | None], names: Sequence[str] = LABELS
) -> pd.DataFrame:
    """Count the labelled reviews of every cluster: clusters as rows, labels by their names as
    columns.

    Raises:
        BadInput: there are not as many labels as ids.
    """
    if len(ids) != len(labels):
        raise BadInput(
            f"There are {len(ids):,} cluster ids but {len(labels):,} labels.",
            "Give one label a review, or None.",
        )
    known = np.array([label is not None for label in labels], dtype=bool)
    truth = np.array([label for label in labels if label is not None], dtype=np.int64)
    counts = pd.crosstab(np.asarray(ids)[known], truth).reindex(
        index=range(int(max(ids, default=-1)) + 1), columns=range(len(names)), fill_value=0
    )
    return counts.set_axis(list(names), axis=1).rename_axis(index="cluster", columns=None)


def clusters_sentence(matrix: pd.DataFrame) -> str:
    """The purest cluster of a cluster × label matrix in words."""
    counts = matrix.to_numpy()
    sizes, right = counts.sum(axis=1), counts.max(axis=1)
    best = int((right / sizes.clip(1)).argmax())
    label = str(matrix.columns[int(counts[best].argmax())]).lower()
    share, majority = right.sum() / max(sizes.sum(), 1), counts.sum(axis=0).max() / sizes.sum()
    return (
        f"Cluster {matrix.index[best]} is {100 * right[best] / max(sizes[best], 1):.1f} % {label} "
        f"({right[best]:,} of {sizes[best]:,}). Naming each cluster by its more frequent label has "
        f"an accuracy of {100 * share:.1f} %, always naming the majority class one of "
        f"{100 * majority:.1f} %."
    )


@dataclass(frozen=True)
class ClusterAgreement:
    """Clusters beside labels, over the reviews that have one."""

    reviews: int
    # cluster → label, one each (Hungarian method, Kuhn 1955); clusters left over have none
    matched: dict[int, int]
    accuracy: float  # share of reviews whose cluster is matched to their label
    purity: float  # share right when every cluster is called by its commonest label
    ari: float  # adjusted Rand index (Hubert and Arabie 1985): 1 is equal, 0 is chance
    nmi: float  # normalised mutual information, arithmetic mean (Vinh et al. 2010): 0 to 1


@dataclass(frozen=True)
class ClusterStability:
    """How much K-Means depends on where it starts: the clusters of several seeds compared with each
    other.
    """

    seeds: int
    mean: float  # adjusted Rand index over all pairs of seeds; 1: the start does not matter
    low: float  # of the two seeds that agree least


def agreement(
    ids: np.ndarray, labels: Sequence[int | None], names: Sequence[str] = LABELS
) -> ClusterAgreement | None:
    """Compare clusters with labels; None where no review has a label.

    Args:
        ids: (n,) cluster of every review, from 0.
        labels: (n,) the place of a label in ``names``, or None.
        names: of all labels.

    Raises:
        BadInput: not as many labels as ids.
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    counts = cluster_label_matrix(ids, labels, names).to_numpy()
    if not counts.any():
        return None
    known = np.array([label is not None for label in labels], dtype=bool)
    found, truth = np.asarray(ids)[known], [label for label in labels if label is not None]
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return ClusterAgreement(
        reviews=len(truth),
        matched={int(r): int(c) for r, c in zip(rows, columns, strict=True) if counts[r, c]},
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
    chosen = sample(np.arange(len(ids)), SAMPLE, seed)
    if not 2 <= len(set(ids[chosen].tolist())) < len(chosen):
        return None
    with one_thread():
        return float(silhouette_score(np.asarray(vectors)[chosen], ids[chosen]))


def sample(places: np.ndarray, most: int, seed: int = 42) -> np.ndarray:
    """The places, or a seeded sample of them in their order where there are more than ``most``."""
    if len(places) <= most:
        return places
    return np.sort(np.random.default_rng(seed).choice(places, most, replace=False))


def stability(vectors: np.ndarray, k: int, seeds: int = SEEDS) -> ClusterStability:
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
    return ClusterStability(seeds, float(np.mean(pairs)), float(np.min(pairs)))
