"""Vectors in, groups out: K-Means (Lloyd 1982), with numbers that do not depend on chance, and a
count of who is in which.

Cluster numbers start at 0 for the largest cluster, so that another run of the same clusters reads
the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.blas_threads import one_thread
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput

RESTARTS = 10


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


def cluster_label_matrix(ids: np.ndarray, labels: Sequence[int | None]) -> pd.DataFrame:
    """Count the labelled reviews of every cluster: clusters as rows, NEGATIVE and POSITIVE as
    columns.

    Raises:
        BadInput: there are not as many labels as ids.
    """
    if len(ids) != len(labels):
        raise BadInput(
            f"There are {len(ids):,} cluster ids but {len(labels):,} labels.",
            "Give one label a review, or None.",
        )
    counts = np.zeros((int(max(ids, default=-1)) + 1, len(LABELS)), dtype=np.int64)
    for cluster, label in zip(ids, labels, strict=True):
        if label is not None:
            counts[cluster, label] += 1
    return pd.DataFrame(
        counts, columns=list(LABELS), index=pd.RangeIndex(len(counts), name="cluster")
    )
