"""Vectors in, a map out: exact principal components, or t-SNE; both know where a new vector
belongs.

PCA: Pearson (1901), by singular value decomposition. t-SNE: van der Maaten and Hinton (2008), as
computed by openTSNE (Poličar, Stražar and Zupan 2024, https://opentsne.readthedocs.io), whose
``transform`` places new points.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.errors import BadInput
from bertsent.progress import Progress, no_progress
from bertsent.space.clustering import distinct

PERPLEXITY, SEED = 30.0, 42
# wider vectors are brought to this many principal components before t-SNE, as its authors do
REDUCED = 50
EXACT_NEIGHBOURS = 20_000  # up to here neighbours are searched exactly, beyond approximately
# iterations with and without exaggeration; progress is reported every 25th
_EARLY, _LATE, _EVERY = 250, 500, 25


@dataclass(frozen=True)
class Projection:
    """Vectors seen along their directions of greatest variance.

    A direction in which nothing varies (few or equal vectors) has a zero axis, zero coordinates and
    explains nothing.
    """

    coordinates: np.ndarray  # (n, k) float64
    explained: np.ndarray  # (k,) share of the variance, 0 to 1
    mean: np.ndarray  # (H,)
    axes: np.ndarray  # (k, H), orthonormal; each axis' largest loading is positive

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Where new vectors (m, H) lie on this map: (m, k). A vector that helped to make the map
        lands on its own dot.

        Raises:
            BadInput: not vectors of the map's width, or not finite.
        """
        return (_matrix(vectors, len(self.mean)) - self.mean) @ self.axes.T


def pca(vectors: np.ndarray, components: int = 2) -> Projection:
    """Project vectors (n, H) on their first principal components, exactly and with fixed signs.

    Raises:
        BadInput: no vectors, vectors that are not finite, or fewer than one component.
    """
    from sklearn.decomposition import PCA

    data = _matrix(vectors)
    if components < 1:
        raise BadInput(f"{components} components are not possible.", "Choose 1 or more.")
    mean = data.mean(axis=0)
    axes, explained = np.zeros((components, data.shape[1])), np.zeros(components)
    if (data != data[0]).any():
        with one_thread():
            found = PCA(n_components=min(components, *data.shape), svd_solver="full").fit(data)
        sizes = found.singular_values_
        real = int((sizes > max(data.shape) * np.finfo(float).eps * sizes[0]).sum())
        axes[:real] = _with_fixed_signs(found.components_[:real])
        explained[:real] = found.explained_variance_ratio_[:real]
    else:
        mean = data[0]  # exact, where the average of equal numbers may be off by a rounding error
    return Projection((data - mean) @ axes.T, explained, mean, axes)


@dataclass(frozen=True)
class TsneMap:
    """Vectors arranged so that neighbours stay neighbours; far distances and directions mean
    little.
    """

    coordinates: np.ndarray  # (n, 2) float64
    perplexity: float  # 0 where PCA stands in
    seed: int
    note: str  # why PCA stands in, or empty
    space: Projection  # how vectors are brought to the space in which neighbours are looked up

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Where new vectors (m, H) belong on this map: (m, 2).

        Each starts at the median of its 25 nearest neighbours and is then moved by t-SNE's own
        forces, while the map stays.

        Raises:
            BadInput: not vectors of the map's width, or not finite.
        """
        from openTSNE import TSNEEmbedding

        placed = self.space.place(vectors)
        if self.note:
            return placed[:, :2]
        with one_thread():  # the embedding is made anew: transform writes to it, maps are shared
            affinities = _affinities(self.space.coordinates, self.perplexity, self.seed)
            still = TSNEEmbedding(
                self.coordinates.copy(), affinities, negative_gradient_method="bh"
            )
            return np.array(still.transform(placed, perplexity=min(5.0, self.perplexity)))


def tsne(
    vectors: np.ndarray,
    *,
    start: np.ndarray | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> TsneMap:
    """Arrange vectors (n, H) in the plane by t-SNE; the same vectors and seed give the same map.

    Vectors wider than 50 are first brought to 50 principal components. The map starts from the
    first two of them (scaled to a standard deviation of 1e-4), which keeps its large-scale layout
    meaningful (Kobak and Linderman 2021). About 30 neighbours count, at most (n - 1) / 3. With
    fewer than four different vectors there are no neighbourhoods to keep: PCA stands in, and
    ``note`` says so.

    Args:
        start: a layout (n, 2) of the same things to begin with, so that the map moves and does not
            jump. Then the dots are not thrown together first (no early exaggeration): only what has
            other neighbours than before has to travel. Of fewer than four different vectors the
            dots stay where they were.
        progress: called with a fraction about every 25 iterations of 750, or of 500 from a start;
            may raise ``Cancelled``.

    Raises:
        BadInput: no vectors, vectors that are not finite, or a start that does not fit.
    """
    from openTSNE import TSNE, TSNEEmbedding

    begin = None if start is None else np.array(start, dtype=float)
    if begin is not None and (begin.shape != (len(vectors), 2) or not np.isfinite(begin).all()):
        raise BadInput(
            "The layout to begin with does not fit the vectors.",
            "Give one place in the plane for each.",
        )
    usual = {"random_state": seed, "n_jobs": 1, "callbacks_every_iters": _EVERY}
    with one_thread():
        space, few = _space(vectors), too_few(vectors)
        flat = space.coordinates[:, :2]
        if few:
            return TsneMap(flat if begin is None else begin, 0.0, seed, few, space)
        perplexity = _perplexity(len(vectors))
        affinities = _affinities(space.coordinates, perplexity, seed)
        if begin is None:
            report = _callback(progress, _EARLY + _LATE)
            found = TSNE(
                early_exaggeration_iter=_EARLY, n_iter=_LATE, callbacks=report, **usual
            ).fit(affinities=affinities, initialization=_start(flat, seed))
        else:
            found = TSNEEmbedding(
                begin, affinities, callbacks=[_callback(progress, _LATE)], **usual
            ).optimize(n_iter=_LATE, momentum=0.8, inplace=True, propagate_exception=True)
    # the frame that openTSNE places new points in: the middle between the extremes is zero
    places = np.array(found)
    places -= (places.max(axis=0) + places.min(axis=0)) / 2
    return TsneMap(places, perplexity, seed, "", space)


def recalled_tsne(vectors: np.ndarray, coordinates: np.ndarray, *, seed: int = SEED) -> TsneMap:
    """The map that ``tsne`` made before from the same vectors, rebuilt from its coordinates without
    arranging anything.
    """
    few, places = too_few(vectors), np.asarray(coordinates, dtype=float)
    perplexity = 0.0 if few else _perplexity(len(vectors))
    return TsneMap(places, perplexity, seed, few, _space(vectors))


def _matrix(vectors: np.ndarray, width: int | None = None) -> np.ndarray:
    data = np.asarray(vectors, dtype=np.float64)
    if data.ndim != 2 or not data.size:
        raise BadInput("There are no vectors to draw.", "Choose a set with at least one review.")
    if width is not None and data.shape[1] != width:
        raise BadInput(
            f"A vector of width {data.shape[1]} has no place on a map of width {width}.",
            "Use the map's own model.",
        )
    if not np.isfinite(data).all():
        raise BadInput("Some vectors are not finite numbers.", "Choose another checkpoint.")
    return data


def _with_fixed_signs(axes: np.ndarray) -> np.ndarray:
    """Turn every axis so that its largest loading is positive; of loadings that are equal but for
    rounding, the first counts.
    """
    size = np.abs(axes)
    largest = (size >= size.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    return axes * np.sign(axes[np.arange(len(axes)), largest])[:, None]


def _space(vectors: np.ndarray) -> Projection:
    """The principal components in which neighbours are looked up; with 50 or fewer dimensions no
    distance changes.
    """
    return pca(vectors, max(2, min(REDUCED, *_matrix(vectors).shape)))


def too_few(vectors: np.ndarray) -> str:
    """Why t-SNE cannot arrange these vectors, or empty."""
    different = distinct(vectors)
    if different > 3:
        return ""
    count = "is 1 different vector" if different == 1 else f"are {different} different vectors"
    return f"There {count}, too few for t-SNE, so principal components are shown."


def _perplexity(count: int) -> float:
    return max(1.0, min(PERPLEXITY, (count - 1) / 3))


def _affinities(coordinates: np.ndarray, perplexity: float, seed: int) -> object:
    from openTSNE.affinity import PerplexityBasedNN

    return PerplexityBasedNN(
        coordinates,
        perplexity=perplexity,
        method="exact" if len(coordinates) <= EXACT_NEIGHBOURS else "approx",
        n_jobs=1,
        random_state=seed,
    )


def _start(coordinates: np.ndarray, seed: int) -> np.ndarray:
    """The first two principal components, tiny, with a little seeded noise so that equal vectors do
    not start as one.
    """
    noise = np.random.default_rng(seed).normal(0, 1e-6, coordinates.shape)
    return coordinates / coordinates[:, 0].std() * 1e-4 + noise


def _callback(progress: Progress, iterations: int) -> Callable[[int, float, np.ndarray], None]:
    """What openTSNE calls every 25 iterations of so many."""
    done = itertools.count(_EVERY, _EVERY)
    return lambda _iteration, _error, _embedding: progress(next(done) / iterations)
