"""Word vectors in, a map of the most frequent words out, by principal components or t-SNE."""

import hashlib
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from bertsent.data.cache import array_path, cache_key
from bertsent.progress import Progress, no_progress
from bertsent.space.projection import SEED, pca, tsne
from bertsent.space.projection_map import read_layout, write_layout
from bertsent.space.word_vectors import WordVectors

WordMethod = Literal["tsne", "pca"]
METHODS: dict[WordMethod, str] = {"pca": "PCA", "tsne": "t-SNE"}
_FORMAT = 1  # part of the key: raise it when a map of the same words would look different


def directions(vectors: WordVectors, rows: np.ndarray) -> np.ndarray:
    """(n, H): the vectors of some rows, each brought to length 1, so that distances on a map are
    those of the cosine.
    """
    chosen = vectors.vectors[rows].astype(np.float64)
    return chosen / vectors.lengths[rows, None]


def word_map_key(vectors: WordVectors, count: int) -> str:
    """A hash of all that the map of the ``count`` most frequent words depends on."""
    rows = vectors.most_frequent(count)
    digest = hashlib.sha256(np.ascontiguousarray(vectors.vectors[rows]).tobytes())
    digest.update("\n".join(vectors.words[row] for row in rows).encode())
    return cache_key("words", _FORMAT, digest.hexdigest(), SEED)


def word_map(
    vectors: WordVectors,
    count: int,
    method: WordMethod,
    *,
    cache: Path,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """Places of the ``count`` most frequent whole words: columns ``word``, ``x``, ``y`` and
    ``place``, how frequent it is among whole words, from 1.

    Args:
        cache: a folder where layouts of t-SNE are kept.
        progress: called with a fraction; may raise ``Cancelled``.
    """
    rows = vectors.most_frequent(count)
    if method == "pca":
        layout = pca(directions(vectors, rows)).coordinates
    else:
        path = array_path(cache, "word-map", word_map_key(vectors, count))
        kept = read_layout(path, len(rows))
        if kept is None:
            kept = tsne(directions(vectors, rows), progress=progress).coordinates
            write_layout(path, kept)
        layout = kept
    words = [vectors.words[row] for row in rows]
    return pd.DataFrame(
        {"word": words, "x": layout[:, 0], "y": layout[:, 1], "place": np.arange(1, len(rows) + 1)}
    )
