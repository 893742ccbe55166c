"""Reviews and a model in, one vector a review out, computed once: the answer is kept on disk under
a hash of its inputs.

A large set is embedded in parts of ``PART`` reviews, those of like length together, and every
finished part is kept at once: work that was cancelled, or whose process died, goes on where it was.
The parts are the same whoever embeds them, so vectors that were resumed equal vectors made in one
go, bit by bit.

What is kept is data only (safetensors, never a pickle). A folder of kept work is bounded: past
``KEEP_BYTES`` (1 GB) the files that were not used for longest go first.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from bertsent.data.cache import cache_key, mark_used, write_to_cache
from bertsent.data.examples import Reviews
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.progress import Progress, no_progress, part

PART = 256  # reviews that are embedded, and kept, together
_PART_OF = "-from-"
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Embeddings:
    """Where a model places every review of a set, and what it answers to each."""

    vectors: np.ndarray  # (n, H) float32
    # (n, 2) float64, columns negative and positive; None: this model gives no sentiment
    probabilities: np.ndarray | None
    key: str  # equal keys mean equal vectors

    @property
    def p_positive(self) -> np.ndarray:
        """(n,) P(positive), NaN where the model gives no sentiment."""
        if self.probabilities is None:
            return np.full(len(self.vectors), np.nan)
        return self.probabilities[:, 1]


class Embedder(Protocol):
    """What is needed of a model to embed reviews; a ``LoadedModel`` is one."""

    name: str
    key: str  # a hash of the weights
    pooling: Pooling  # of its own head
    max_length: int
    layers: int
    gives: frozenset[str]

    def embed_and_answer(
        self, texts: Sequence[str], *, pooling: Pooling, layer: int, progress: Progress
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Vectors (n, H) and, where it gives sentiment, probabilities (n, 2)."""


def embed_reviews(
    model: Embedder,
    reviews: Reviews,
    *,
    pooling: Pooling = "cls",
    layer: int = -1,
    cache: Path,
    progress: Progress = no_progress,
) -> Embeddings:
    """Embed every review, or recall the vectors when the same weights have embedded the same
    reviews before.

    Args:
        model: the model; it has to give ``embedding``.
        pooling: ``cls``, ``mean`` without padding, or ``max``.
        layer: which layer's output, -1 for the last.
        cache: a folder for kept work; a damaged file in it is computed again.
        progress: called with how far the work is, by how much there is to read; may raise
            ``Cancelled``, and then finished parts are kept.

    Raises:
        BadInput: there are no reviews, or no such pooling or layer.
        NotAvailable: the model gives no embeddings.
        BertsentError: the model's vectors are not finite numbers.
    """
    _check(model, reviews, pooling, layer)
    key = embeddings_key(model, reviews, pooling, layer)
    path = cache / f"{key}.safetensors"
    found = _recall(path, len(reviews))
    if found is None:
        found = _in_parts(
            functools.partial(model.embed_and_answer, pooling=pooling, layer=layer),
            reviews.texts,
            path,
            progress,
        )
        write_to_cache(path, packed_embeddings(*found))
        for old in cache.glob(f"{key}{_PART_OF}*"):
            old.unlink(missing_ok=True)
    progress(1.0)
    return Embeddings(*found, key)


def is_embedded(
    model: Embedder,
    reviews: Reviews,
    *,
    pooling: Pooling = "cls",
    layer: int = -1,
    cache: Path,
) -> bool:
    """Whether the vectors lie in ``cache`` already, so that asking for them costs nothing."""
    return (cache / f"{embeddings_key(model, reviews, pooling, layer)}.safetensors").is_file()


def embeddings_key(
    model: Embedder, reviews: Reviews, pooling: Pooling = "cls", layer: int = -1
) -> str:
    """A hash of all that vectors and answers depend on, under which they are kept."""
    return cache_key("embeddings", model_key(model), reviews.sha256, pooling, layer)


def model_key(model: Embedder) -> tuple[str, Pooling, int]:
    """All of a model that its answers depend on.

    ``model.key`` is a hash of the weights, and leaves out the pooling of its own head and how many
    tokens it reads: step 0 of two runs may differ in nothing else.
    """
    return model.key, model.pooling, model.max_length


_Found = tuple[np.ndarray, np.ndarray | None]


def _in_parts(
    ask: Callable[..., _Found],
    texts: list[str],
    path: Path,
    progress: Progress,
) -> _Found:
    """Vectors and probabilities of all texts, the longest first; parts that are kept beside
    ``path`` are not asked for again.
    """
    lengths = np.array([len(text) + 40 for text in texts])  # what reading one costs, roughly
    order = np.argsort(-lengths, kind="stable") if len(texts) > PART else np.arange(len(texts))
    parts = [order[start : start + PART] for start in range(0, len(order), PART)]
    done, made = 0.0, []
    for number, chosen in enumerate(parts):
        kept = path.with_name(f"{path.stem}{_PART_OF}{number * PART}{path.suffix}")
        found = _recall(kept, len(chosen)) if len(parts) > 1 else None
        share = float(lengths[chosen].sum() / lengths.sum())
        if found is None:
            own = part(progress, done, min(done + share, 1.0))
            found = _checked(*ask([texts[i] for i in chosen], progress=own), len(chosen))
            if len(parts) > 1:
                write_to_cache(kept, packed_embeddings(*found))
        done += share
        made.append(found)
        progress(min(done, 1.0))
    back = np.argsort(order, kind="stable")
    vectors, chances = zip(*made, strict=True)
    answers = None if chances[0] is None else np.concatenate(chances)[back]
    return np.concatenate(vectors)[back], answers


def _check(model: Embedder, reviews: Reviews, pooling: str, layer: int) -> None:
    if not len(reviews):
        raise BadInput("There are no reviews to embed.", "Choose a set with at least one review.")
    if pooling not in POOLINGS:
        raise BadInput(
            f"There is no pooling “{str(pooling)[:40]}”.", f"Choose one of {', '.join(POOLINGS)}."
        )
    if not isinstance(layer, int) or isinstance(layer, bool) or not -1 <= layer <= model.layers:
        raise BadInput(
            f"There is no layer {str(layer)[:20]}.",
            f"Choose from 0 to {model.layers}, or -1 for the last.",
        )
    if "embedding" not in model.gives:
        raise NotAvailable(f"{model.name} gives no embeddings.", "Choose a BERT model.")


def _checked(vectors: np.ndarray, probabilities: np.ndarray | None, count: int) -> _Found:
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    chances = (
        None if probabilities is None else np.ascontiguousarray(probabilities, dtype=np.float64)
    )
    fitting = (
        vectors.ndim == 2
        and len(vectors) == count
        and (chances is None or chances.shape == (count, 2))
    )
    if not fitting:
        raise BertsentError("The model's vectors do not fit the reviews.", "Choose another model.")
    if not np.isfinite(vectors).all() or (chances is not None and not np.isfinite(chances).all()):
        raise BertsentError(
            "The model's vectors are not finite numbers.",
            "Its training diverged: choose an earlier checkpoint.",
        )
    return vectors, chances


def packed_embeddings(vectors: np.ndarray, probabilities: np.ndarray | None) -> bytes:
    """Vectors and probabilities as the bytes of a kept file."""
    more = {} if probabilities is None else {"probabilities": probabilities}
    return save({"vectors": vectors, **more})


def _recall(path: Path, count: int) -> _Found | None:
    return recalled(path, lambda kept: _checked(kept["vectors"], kept.get("probabilities"), count))


def recalled(path: Path, check: Callable[[dict[str, np.ndarray]], Kept]) -> Kept | None:
    """What ``check`` makes of the arrays that are kept in a file; None where there are none or the
    file is damaged.
    """
    try:
        found = check(load_file(path))
    except (OSError, SafetensorError, KeyError, ValueError, BertsentError):
        return None
    mark_used(path)
    return found
