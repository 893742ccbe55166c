"""A table of reviews that carries its vectors: written beside a large job, opened by the Map, which
then asks no model for them.

It is a Parquet file with the columns ``id``, ``text`` and ``vector``, ``p_positive`` where the
model gives it, and a note of what computed the vectors. A file for another model, pooling or layer
is a table of reviews like any other.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bertsent.data.cache import write_to_cache
from bertsent.data.examples import Reviews
from bertsent.models.pooling import Pooling
from bertsent.space.embedding import (
    Embedder,
    embeddings_key,
    is_embedded,
    model_key,
    packed_embeddings,
)

_NOTE = b"bertsent vectors"


def with_vectors_note(table: pa.Table, model: tuple[str, Pooling, int], how: str) -> pa.Table:
    """A table with the columns above and the note that lets ``remember_vectors`` know it.

    Args:
        table: id, text, vector and perhaps p_positive.
        model: what ``space.embedding.model_key`` gives.
        how: pooling and layer, as ``how_embedded`` writes them.
    """
    note = json.dumps({"model": list(model), "how": how}).encode()
    return table.replace_schema_metadata({_NOTE: note})


def how_embedded(pooling: str, layer: int, layers: int) -> str:
    """Pooling and layer in one word; the last layer has two names."""
    return f"{pooling}, layer {layers if layer == -1 else layer}"


def remember_vectors(
    model: Embedder,
    reviews: Reviews,
    path: Path,
    *,
    pooling: Pooling,
    layer: int,
    cache: Path,
) -> bool:
    """Put the vectors that a file carries for some of its reviews where ``embed_reviews`` looks
    first; True where they are there now.

    Args:
        reviews: all rows of the file, or some of them.
        path: the file; one without vectors, or with those of another model, changes nothing.
    """
    if is_embedded(model, reviews, pooling=pooling, layer=layer, cache=cache):
        return True
    found = _vectors(model, reviews, path, how_embedded(pooling, layer, model.layers))
    if found is None:
        return False
    key = embeddings_key(model, reviews, pooling, layer)
    write_to_cache(cache / f"{key}.safetensors", packed_embeddings(*found))
    return True


def _vectors(
    model: Embedder, reviews: Reviews, path: Path, how: str
) -> tuple[np.ndarray, np.ndarray | None] | None:
    try:
        note = json.loads((pq.read_schema(path).metadata or {})[_NOTE])
        if note != {"model": list(model_key(model)), "how": how}:
            return None
        table = pq.read_table(path)
        place = {name: row for row, name in enumerate(table["id"].to_pylist())}
        chosen = table.take([place[example.id] for example in reviews])
        if chosen["text"].to_pylist() != reviews.texts:
            return None
        flat = chosen["vector"].combine_chunks().flatten().to_numpy()
        vectors = flat.astype(np.float32).reshape(len(chosen), -1)
        if "p_positive" not in chosen.column_names:
            return vectors, None
        positive = chosen["p_positive"].to_numpy().astype(np.float64)
        return vectors, np.stack([1 - positive, positive], axis=1)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
        return None
