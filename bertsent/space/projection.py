"""Vectors in, a map out: exact principal components, or t-SNE; both know where a new vector
belongs.

PCA: Pearson (1901), by singular value decomposition. t-SNE: van der Maaten and Hinton (2008), as
    computed by openTSNE
(Poličar, Stražar and Zupan 2024, https://opentsne.readthedocs.io), whose ``transform`` places new
points.
"""

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
_EARLY, _LATE, _EVERY = (
    250,
    500,
    25,
)  # iterations with and without exaggeration; progress is reported every 25th


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
        real = int(
            (
                found.singular_values_
                > max(data.shape) * np.finfo(float).eps * found.singular_values_[0]
            ).sum()
        )
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
    seed: int = SEED,
    perplexity: float | None = None,
    progress: Progress = no_progress,
) -> TsneMap:
    """Arrange vectors (n, H) in the plane by t-SNE; the same vectors and seed give the same map.

    Vectors wider than 50 are first brought to 50 principal components. The map starts from the
    first two of them (scaled to a standard deviation of 1e-4), which keeps its large-scale layout
    meaningful (Kobak and Linderman 2021). With fewer than four different vectors there are no
    neighbourhoods to keep: PCA stands in, and ``note`` says so.

    Args:
        perplexity: about how many neighbours count; at most (n - 1) / 3, and 30 where left out.
        progress: called with a fraction about every 25 iterations of 750; may raise ``Cancelled``.

    Raises:
        BadInput: no vectors, vectors that are not finite, or a perplexity below 1.
    """
    from openTSNE import TSNE

    perplexity = _perplexity(perplexity, len(vectors))
    with one_thread():
        space = _space(vectors)
        if few := _too_few(vectors):
            return TsneMap(space.coordinates[:, :2], 0.0, seed, few, space)
        fit = TSNE(
            perplexity=perplexity,
            random_state=seed,
            n_jobs=1,
            callbacks=_callback(progress, _EARLY + _LATE),
            callbacks_every_iters=_EVERY,
            early_exaggeration_iter=_EARLY,
            n_iter=_LATE,
        ).fit
        affinities = _affinities(space.coordinates, perplexity, seed)
        found = np.array(
            fit(affinities=affinities, initialization=_start(space.coordinates[:, :2], seed))
        )
    return TsneMap(_centred(found), perplexity, seed, "", space)


def tsne_from(
    vectors: np.ndarray,
    start: np.ndarray,
    *,
    seed: int = SEED,
    perplexity: float | None = None,
    progress: Progress = no_progress,
) -> TsneMap:
    """Arrange vectors (n, H) by t-SNE, beginning with a layout (n, 2) of the same things, so that
    the map moves and does not jump.

    The dots are not thrown together first (no early exaggeration): only what has other neighbours
    than before has to travel. Of fewer than four different vectors nothing can be arranged: the
    dots stay where they were, and ``note`` says so.

    Raises:
        BadInput: no vectors, vectors that are not finite, a start that does not fit, or a
            perplexity below 1.
    """
    from openTSNE import TSNEEmbedding

    begin = np.asarray(start, dtype=float)
    if begin.shape != (len(vectors), 2) or not np.isfinite(begin).all():
        raise BadInput(
            "The layout to begin with does not fit the vectors.",
            "Give one place in the plane for each.",
        )
    perplexity = _perplexity(perplexity, len(vectors))
    with one_thread():
        space = _space(vectors)
        if few := _too_few(vectors):
            return TsneMap(begin, 0.0, seed, few, space)
        affinities = _affinities(space.coordinates, perplexity, seed)
        moving = TSNEEmbedding(
            begin.copy(),
            affinities,
            random_state=seed,
            n_jobs=1,
            callbacks=[_callback(progress, _LATE)],
            callbacks_every_iters=_EVERY,
        )
        found = np.array(
            moving.optimize(n_iter=_LATE, momentum=0.8, inplace=True, propagate_exception=True)
        )
    return TsneMap(_centred(found), perplexity, seed, "", space)


def recalled_tsne(
    vectors: np.ndarray,
    coordinates: np.ndarray,
    *,
    seed: int = SEED,
    perplexity: float | None = None,
) -> TsneMap:
    """The map that ``tsne`` made before from the same vectors, rebuilt from its coordinates without
    arranging anything.
    """
    space = _space(vectors)
    few = _too_few(vectors)
    return TsneMap(
        np.asarray(coordinates, dtype=float),
        0.0 if few else _perplexity(perplexity, len(vectors)),
        seed,
        few,
        space,
    )


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
    data = _matrix(vectors)
    return pca(data, max(2, min(REDUCED, *data.shape)))


def _too_few(vectors: np.ndarray) -> str:
    different = distinct(vectors)
    if different > 3:
        return ""
    count = "1 different vector" if different == 1 else f"{different} different vectors"
    return (
        f"There {'is' if different == 1 else 'are'} only {count}, too few for t-SNE, so "
        "principal components are shown."
    )


def _perplexity(asked: float | None, count: int) -> float:
    if asked is not None and not asked >= 1:
        raise BadInput(
            f"A perplexity of {asked} is not possible.", "Choose 1 or more; 30 is usual."
        )
    return max(1.0, min(asked or PERPLEXITY, (count - 1) / 3))


def _affinities(coordinates: np.ndarray, perplexity: float, seed: int) -> object:
    from openTSNE.affinity import PerplexityBasedNN

    method = "exact" if len(coordinates) <= EXACT_NEIGHBOURS else "approx"
    return PerplexityBasedNN(
        coordinates, perplexity=perplexity, method=method, n_jobs=1, random_state=seed
    )


def _start(coordinates: np.ndarray, seed: int) -> np.ndarray:
    """The first two principal components, tiny, with a little seeded noise so that equal vectors do
    not start as one.
    """
    noise = np.random.default_rng(seed).normal(0, 1e-6, coordinates.shape)
    return coordinates / coordinates[:, 0].std() * 1e-4 + noise


def _centred(coordinates: np.ndarray) -> np.ndarray:
    """The frame that openTSNE places new points in: the middle between the extremes is zero."""
    return coordinates - (coordinates.max(axis=0) + coordinates.min(axis=0)) / 2


def _callback(progress: Progress, iterations: int) -> Callable[[int, float, np.ndarray], None]:
    """What openTSNE calls every 25 iterations of so many."""
    done = 0

    def report(_iteration: int, _error: float, _embedding: np.ndarray) -> None:
        nonlocal done
        done += _EVERY
        progress(done / iterations)

    return report
