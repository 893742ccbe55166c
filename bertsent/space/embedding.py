"""Reviews and a learner in, one vector a review out, computed once: the answer is kept on disk
under a hash of its inputs.

A large set is embedded in parts of ``PART`` reviews, those of like length together, and every
finished part is kept at once: work
that was cancelled, or whose process died, goes on where it was. The parts are the same whoever
embeds them, so vectors that were
resumed equal vectors made in one go, bit by bit.

What is kept is data only (safetensors, never a pickle). A folder of kept work is bounded: past
``KEEP_BYTES`` (1 GB) the
files that were not used for longest go first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertsent.data.cache import cache_key, mark_used, write_to_cache
from bertsent.data.examples import Reviews
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.progress import Progress, no_progress, part

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

PART = 256  # reviews that are embedded, and kept, together
_PART_OF = "-from-"


@dataclass(frozen=True)
class Embeddings:
    """Where a learner places every review of a set, and what it answers to each."""

    vectors: np.ndarray  # (n, H) float32
    probabilities: (
        np.ndarray | None
    )  # (n, 2) float64, columns negative and positive; None: this learner gives no sentiment
    key: str  # equal keys mean equal vectors


def embed_reviews(
    learner: "LoadedModel",
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
        learner: the model; it has to give ``embedding``.
        pooling: ``cls``, ``mean`` without padding, or ``max``.
        layer: which layer's output, -1 for the last.
        cache: a folder for kept work; a damaged file in it is computed again.
        progress: told how far the work is, by how much there is to read; may raise ``Cancelled``,
            and then finished parts are kept.

    Raises:
        BadInput: there are no reviews, or no such pooling or layer.
        NotAvailable: the learner gives no embeddings.
        BertsentError: the model's vectors are not finite numbers.
    """
    _check(learner, reviews, pooling, layer)
    key = embeddings_key(learner, reviews, pooling, layer)
    path = cache / f"{key}.safetensors"
    found = _recall(path, len(reviews))
    if found is None:
        found = _in_parts(
            lambda texts, told: learner.embed_and_answer(
                texts, pooling=pooling, layer=layer, progress=told
            ),
            reviews.texts,
            path,
            progress,
        )
        write_to_cache(path, _packed(*found))
        for old in cache.glob(f"{key}{_PART_OF}*"):
            old.unlink(missing_ok=True)
    progress(1.0)
    return Embeddings(*found, key)


def is_embedded(
    learner: "LoadedModel",
    reviews: Reviews,
    *,
    pooling: Pooling = "cls",
    layer: int = -1,
    cache: Path,
) -> bool:
    """Whether the vectors lie in ``cache`` already, so that asking for them costs nothing."""
    return (cache / f"{embeddings_key(learner, reviews, pooling, layer)}.safetensors").is_file()


def embeddings_key(
    learner: "LoadedModel", reviews: Reviews, pooling: Pooling = "cls", layer: int = -1
) -> str:
    """The name under which vectors are kept."""
    return cache_key("embeddings", learner.key, reviews.sha256, pooling, layer, learner.max_length)


_Found = tuple[np.ndarray, np.ndarray | None]


def _in_parts(
    ask: Callable[[list[str], Progress], _Found],
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
    done, made = 0, []
    for number, chosen in enumerate(parts):
        kept = path.with_name(f"{path.stem}{_PART_OF}{number * PART}{path.suffix}")
        found = _recall(kept, len(chosen)) if len(parts) > 1 else None
        share = float(lengths[chosen].sum() / lengths.sum())
        if found is None:
            found = _checked(
                *ask([texts[i] for i in chosen], part(progress, done, min(done + share, 1.0))),
                len(chosen),
            )
            if len(parts) > 1:
                write_to_cache(kept, _packed(*found))
        done += share
        made.append(found)
        progress(min(done, 1.0))
    back = np.argsort(order, kind="stable")
    answered = made[0][1] is not None
    return (
        np.concatenate([vectors for vectors, _ in made])[back],
        np.concatenate([chances for _, chances in made])[back] if answered else None,
    )


def _check(learner: "LoadedModel", reviews: Reviews, pooling: str, layer: int) -> None:
    if not len(reviews):
        raise BadInput("There are no reviews to embed.", "Choose a set with at least one review.")
    if pooling not in POOLINGS:
        raise BadInput(
            f"There is no pooling “{str(pooling)[:40]}”.", f"Choose one of {', '.join(POOLINGS)}."
        )
    if not isinstance(layer, int) or isinstance(layer, bool) or not -1 <= layer <= learner.layers:
        raise BadInput(
            f"There is no layer {str(layer)[:20]}.",
            f"Choose from 0 to {learner.layers}, or -1 for the last.",
        )
    if "embedding" not in learner.gives:
        raise NotAvailable(f"{learner.name} gives no embeddings.", "Choose a BERT model.")


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
            "Its training went astray: choose an earlier checkpoint.",
        )
    return vectors, chances


def _packed(vectors: np.ndarray, probabilities: np.ndarray | None) -> bytes:
    from safetensors.numpy import save

    return save(
        {"vectors": vectors} | ({} if probabilities is None else {"probabilities": probabilities})
    )


def _recall(path: Path, count: int) -> _Found | None:
    """The kept vectors, or None when there are none or the file is damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
        found = _checked(tensors["vectors"], tensors.get("probabilities"), count)
    except (OSError, SafetensorError, KeyError, ValueError, BertsentError):
        return None
    mark_used(path)
    return found
