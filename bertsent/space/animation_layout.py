"""The vectors of the same reviews under several checkpoints in, places that can be compared from
one to the next out.

Two ways to keep a map from jumping. **One plane for all** (PCA): its directions are those of the
*last* checkpoint. They are what
training has made of the reviews; a plane of all checkpoints together would spend its first
direction on what sets the checkpoints
apart, the drift of the whole cloud, and show every review doing the same. **A layout that goes on**
(t-SNE): each begins where the
one before ended (``initialization`` of openTSNE, Poličar, Stražar and Zupan 2024), as Rauber,
Falcão and Telea (2016), "Visualizing
time-dependent data using dynamic t-SNE", motivate; without it two runs of t-SNE differ in rotation
and arrangement at will.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bertsent.progress import Progress, no_progress
from bertsent.space.clustering import distinct
from bertsent.space.projection import SEED, Projection, pca, recalled_tsne, tsne, tsne_from


def fixed_plane(vectors: np.ndarray) -> Projection:
    """The two principal directions of vectors (n, H), each turned so that its first loading is
    positive.

    A first loading that is nothing but rounding does not decide; then the next one does.

    Raises:
        BadInput: no vectors, or vectors that are not finite.
    """
    found = pca(vectors, 2)
    signs = np.array([_sign(axis) for axis in found.axes])
    return replace(
        found, coordinates=found.coordinates * signs + 0.0, axes=found.axes * signs[:, None]
    )


def moving_layouts(
    vectors: Sequence[np.ndarray],
    *,
    known: Sequence[np.ndarray] = (),
    seed: int = SEED,
    progress: Progress = no_progress,
) -> tuple[list[np.ndarray], str]:
    """A t-SNE layout (n, 2) for each of several sets of vectors (n, H), each begun from the one
    before.

    Vectors that did not move at all keep their layout, number by number.

    Args:
        known: the first layouts, where they were made before.
        progress: told a fraction; may raise ``Cancelled``.

    Returns:
        The layouts, and a sentence where nothing could be arranged (fewer than four different
        vectors), else "".
    """
    found, notes = list(known), []
    for number in range(len(found), len(vectors)):

        def told(fraction: float, number: int = number) -> None:
            progress((number + fraction) / len(vectors))

        here = vectors[number]
        if number and np.array_equal(here, vectors[number - 1]):
            found.append(found[-1])
        elif number:
            found.append(tsne_from(here, found[-1], seed=seed, progress=told).coordinates)
        else:
            found.append(tsne(here, seed=seed, progress=told).coordinates)
    for each in vectors:
        if distinct(each) <= 3:
            notes.append(recalled_tsne(each, np.zeros((len(each), 2)), seed=seed).note)
    return found, notes[0] if notes else ""


def movement(layouts: Sequence[np.ndarray]) -> np.ndarray:
    """(m - 1,): how far the dots go on average from each layout to the next."""
    return np.array(
        [
            np.linalg.norm(after - before, axis=1).mean()
            for before, after in zip(layouts, layouts[1:], strict=False)
        ]
    )


def _sign(axis: np.ndarray) -> float:
    real = np.flatnonzero(np.abs(axis) > np.abs(axis).max() * 1e-9)
    return float(np.sign(axis[real[0]])) if len(real) else 1.0
