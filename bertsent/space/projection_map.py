"""A model and reviews in, a finished map out: one row a review with its place, its cluster and what
the model says.

A map is kept on disk (Parquet) beside the vectors that it was made from, under a hash of everything
it depends on, so that it opens again at once.
"""

import io
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import save

from bertsent.data.cache import cache_key, mark_used, write_to_cache
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.progress import Progress, no_progress, part
from bertsent.space.clustering import cluster_label_matrix, distinct, kmeans
from bertsent.space.embedding import Embedder, Embeddings, embed_reviews, embeddings_key, recalled
from bertsent.space.projection import Projection, TsneMap, pca, recalled_tsne, tsne
from bertsent.tasks.task import OneLabel

Method = Literal["pca", "tsne"]
METHODS: dict[Method, str] = {"pca": "PCA", "tsne": "t-SNE"}
MOST_CLUSTERS = 20
_FORMAT = 2  # part of the key: raise it when a map of the same inputs would look different
_EMBEDDED = 0.6  # share of the progress bar
_NOTES = b"bertsent"


@dataclass(frozen=True)
class MapOptions:
    """How a map is drawn; checked when made.

    Raises:
        BadInput: an unknown method or pooling, an impossible number, or three dimensions with
            t-SNE.
    """

    pooling: Pooling = "cls"
    layer: int = -1
    method: Method = "pca"
    dimensions: int = 2
    clusters: int = 2
    seed: int = 42

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise BadInput(
                f"There is no pooling “{str(self.pooling)[:40]}”.",
                f"Choose one of {', '.join(POOLINGS)}.",
            )
        if self.method not in METHODS:
            raise BadInput(
                f"There is no map method “{str(self.method)[:40]}”.",
                f"Choose one of {', '.join(METHODS)}.",
            )
        for name, low, high in (
            ("layer", -1, 48),
            ("dimensions", 2, 3),
            ("clusters", 1, MOST_CLUSTERS),
            ("seed", 0, 2**32 - 1),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise BadInput(
                    f"{name} = {str(value)[:20]} is not possible.",
                    f"Choose a whole number from {low} to {high:,}.",
                )
        if self.method == "tsne" and self.dimensions == 3:
            raise BadInput("A t-SNE map has two dimensions here.", "Choose PCA for three.")


@dataclass(frozen=True)
class ProjectionMap:
    """A finished map, and the way to place something new on it."""

    # id, text, label, prediction, p_positive, confidence, cluster, x, y (and z)
    points: pd.DataFrame
    matrix: pd.DataFrame | None  # cluster × label counts; None: no review has a label
    explained: np.ndarray | None  # PCA: each axis' share of the variance
    note: str  # one sentence: how this map was made
    options: MapOptions
    embeddings: Embeddings

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Where new vectors (m, H) of the same model, pooling and layer lie on this map: (m,
        dimensions).

        Raises:
            BadInput: vectors of another width.
        """
        return self._chart.place(vectors)

    def nearest(self, vector: np.ndarray, n: int = 5) -> pd.DataFrame:
        """The ``n`` points whose vectors lie nearest to ``vector`` (H,), with their ``distance``,
        the nearest first.
        """
        from scipy.spatial.distance import cdist

        distance = cdist([np.asarray(vector, dtype=np.float64)], self.embeddings.vectors)[0]
        order = np.argsort(distance, kind="stable")[:n]
        return self.points.iloc[order].assign(distance=distance[order]).reset_index(drop=True)

    @cached_property
    def _chart(self) -> Projection | TsneMap:
        if self.options.method == "pca":
            return pca(self.embeddings.vectors, self.options.dimensions)
        return recalled_tsne(
            self.embeddings.vectors, self.points[["x", "y"]].to_numpy(), seed=self.options.seed
        )


def build_map(
    model: Embedder,
    reviews: Reviews,
    options: MapOptions,
    *,
    cache: Path,
    progress: Progress = no_progress,
) -> ProjectionMap:
    """Embed, project and cluster a set of reviews, or open the map that was made of them before.

    Args:
        cache: a folder for vectors and maps; see ``bertsent.space.embedding`` for its bound.
        progress: called with a fraction (0.6 when everything is embedded); may raise ``Cancelled``,
            and then what was embedded is kept.

    Returns:
        The map. Without sentiment (an untouched backbone) ``prediction`` is empty and
        ``p_positive`` and ``confidence`` are NaN. More clusters than different vectors are not
        possible: then there are as many as can be, and ``note`` says so.

    Raises:
        BadInput: there are no reviews, or no such layer.
        NotAvailable: the model gives no embeddings.
        BertsentError: the model's vectors are not finite numbers.
    """
    first, second = part(progress, 0.0, _EMBEDDED), part(progress, _EMBEDDED, 1.0)
    embeddings = embed_reviews(
        model, reviews, pooling=options.pooling, layer=options.layer, cache=cache, progress=first
    )
    path = _path(cache, embeddings.key, options)
    found = _recall(path, reviews, options)
    if found is None:
        found = _drawn(embeddings, reviews, options, cache, second)
        write_to_cache(path, _packed(*found))
    progress(1.0)
    points, explained, note = found
    matrix = None
    names = label_names(reviews)
    if names and any(label is not None for label in reviews.labels):
        matrix = cluster_label_matrix(points["cluster"].to_numpy(), reviews.labels, names)
    return ProjectionMap(
        points,
        matrix,
        None if explained is None else np.array(explained),
        note,
        options,
        embeddings,
    )


def is_kept(model: Embedder, reviews: Reviews, options: MapOptions, *, cache: Path) -> bool:
    """Whether ``build_map`` would open a map that was made before."""
    key = embeddings_key(model, reviews, options.pooling, options.layer)
    return (cache / f"{key}.safetensors").is_file() and _path(cache, key, options).is_file()


_Drawn = tuple[pd.DataFrame, list[float] | None, str]


def _drawn(
    embeddings: Embeddings,
    reviews: Reviews,
    options: MapOptions,
    cache: Path,
    progress: Progress,
) -> _Drawn:
    vectors = embeddings.vectors
    clusters = min(options.clusters, distinct(vectors))
    chart: Projection | TsneMap
    if options.method == "pca":
        chart = pca(vectors, options.dimensions)
    else:
        chart = _arranged(embeddings, options.seed, cache, part(progress, 0.0, 0.9))
    progress(0.9)
    ids = kmeans(vectors, clusters, seed=options.seed).ids
    points = _answers(embeddings, reviews).assign(cluster=ids)
    for axis, values in zip("xyz", chart.coordinates.T, strict=False):
        points[axis] = values
    explained = chart.explained.tolist() if isinstance(chart, Projection) else None
    return points, explained, _note(chart, len(reviews), options, clusters)


def _arranged(embeddings: Embeddings, seed: int, cache: Path, progress: Progress) -> TsneMap:
    """The t-SNE map of these vectors, made once whatever the number of clusters."""
    path = cache / f"{cache_key('tsne', _FORMAT, embeddings.key, seed)}.safetensors"
    coordinates = read_layout(path, len(embeddings.vectors))
    if coordinates is not None:
        return recalled_tsne(embeddings.vectors, coordinates, seed=seed)
    found = tsne(embeddings.vectors, seed=seed, progress=progress)
    write_layout(path, found.coordinates)
    return found


def read_layout(path: Path, count: int) -> np.ndarray | None:
    """The kept places (count, 2), None where there are none or the file is damaged."""

    def places(kept: dict[str, np.ndarray]) -> np.ndarray:
        if kept["coordinates"].shape != (count, 2) or not np.isfinite(kept["coordinates"]).all():
            raise ValueError("not a layout of these reviews")
        return kept["coordinates"]

    return recalled(path, places)


def write_layout(path: Path, layout: np.ndarray) -> None:
    """Keep places (n, 2) for the next time."""
    write_to_cache(path, save({"coordinates": np.ascontiguousarray(layout)}))


def review_rows(reviews: Reviews) -> pd.DataFrame:
    """One row a review: id, text, and label, empty where it is not known or not one of some."""
    names = label_names(reviews)
    labels = ["" if label is None or not names else names[label] for label in reviews.labels]
    return pd.DataFrame({"id": [e.id for e in reviews], "text": reviews.texts, "label": labels})


def label_names(reviews: Reviews) -> tuple[str, ...]:
    """The names of the labels, one of which each review has; none where the truth is something
    else: several labels at once, a number, or different tasks.
    """
    return reviews.task.labels if isinstance(reviews.task, OneLabel) else ()


def _answers(embeddings: Embeddings, reviews: Reviews) -> pd.DataFrame:
    chances, rows = embeddings.probabilities, review_rows(reviews)
    if chances is None:
        return rows.assign(prediction="", p_positive=np.nan, confidence=np.nan)
    return rows.assign(
        prediction=[LABELS[i] for i in chances.argmax(axis=1)],
        p_positive=chances[:, 1],
        confidence=chances.max(axis=1),
    )


def _path(cache: Path, embeddings: str, options: MapOptions) -> Path:
    return cache / f"{cache_key('map', _FORMAT, embeddings, asdict(options))}.parquet"


def _note(chart: Projection | TsneMap, count: int, options: MapOptions, clusters: int) -> str:
    reviews = f"{count:,} review{'' if count == 1 else 's'}"
    if isinstance(chart, Projection):
        made = (
            f"PCA of {reviews}, its {options.dimensions} axes keeping "
            f"{100 * chart.explained.sum():.0f} % of the variance"
        )
    elif chart.note:
        made = f"PCA in place of t-SNE, for {reviews} with fewer than four different vectors"
    else:
        made = (
            f"t-SNE of {reviews}, perplexity {chart.perplexity:.3g}, seed {chart.seed}, started "
            "from PCA"
        )
    fewer = f" (of {options.clusters}: there are no more different vectors)"
    return (
        f"{made}; K-Means with {clusters} cluster{'' if clusters == 1 else 's'}"
        f"{'' if clusters == options.clusters else fewer}, seed {options.seed}."
    )


def _packed(points: pd.DataFrame, explained: list[float] | None, note: str) -> bytes:
    table = pa.Table.from_pandas(points, preserve_index=False)
    notes = {_NOTES: json.dumps({"explained": explained, "note": note}).encode()}
    out = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata({**(table.schema.metadata or {}), **notes}),
        out,
        compression="zstd",
    )
    return out.getvalue()


def _recall(path: Path, reviews: Reviews, options: MapOptions) -> _Drawn | None:
    try:
        table = pq.read_table(io.BytesIO(path.read_bytes()))
        points = table.to_pandas()
        notes = json.loads(table.schema.metadata[_NOTES])
        points["label"] = review_rows(reviews)["label"].to_numpy()  # named anew in each version
        found = points, notes["explained"], notes["note"]
        wanted = {*"xyz"[: options.dimensions], "cluster"}
        if points["id"].tolist() != [e.id for e in reviews] or not wanted <= set(points):
            return None
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return None
    mark_used(path)
    return found
