"""A run's checkpoints and reviews in, where each review stood under every one of them out: its
vector, its answer, its place on two maps.

Nothing is held in memory but one model at a time. Vectors and layouts are kept on disk under hashes
of what they depend on, so a
journey that goes on with a run only computes its new stop.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertsent.data.cache import cache_key, mark_used, write_to_cache
from bertsent.data.examples import Reviews
from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.models.pooling import Pooling
from bertsent.progress import Progress, no_progress, part
from bertsent.space.animation_layout import fixed_plane, moving_layouts
from bertsent.space.embedding import Embeddings, embed_reviews
from bertsent.space.projection_map import Method

MOST_FRAMES = 16  # checkpoints of one journey
SEED = 42
_FORMAT = 1  # part of the key: raise it when a journey of the same inputs would look different
_EMBEDDED = 0.8  # share of the progress when every checkpoint has read every review


@dataclass(frozen=True)
class CheckpointAnimation:
    """The same n reviews under m checkpoints, in the order of their steps."""

    steps: np.ndarray  # (m,)
    epochs: np.ndarray  # (m,)
    p_positive: np.ndarray  # (m, n)
    pca: np.ndarray  # (m, n, 2), all in one plane
    tsne: np.ndarray  # (m, n, 2), each laid out from the one before
    explained: (
        np.ndarray
    )  # (2,) share of the last checkpoint's variance along each axis of that plane
    # (m, n) how far each vector is from where the stop before had it, in its full width; 0 at the
    # first
    moved: np.ndarray
    note: str  # why a t-SNE layout stands still, or empty

    def places(self, method: Method) -> np.ndarray:
        """(m, n, 2): where the reviews are at each stop."""
        return self.pca if method == "pca" else self.tsne

    def stop(self, step: int) -> int:
        """Which stop shows a step: the last one that is not later, or the first."""
        return max(0, int(np.searchsorted(self.steps, step, side="right")) - 1)


class _LazyCheckpoint:
    """As much of a checkpoint's learner as a kept answer needs; the model is loaded when something
    has to be computed.
    """

    gives = frozenset({"embedding", "sentiment"})

    def __init__(self, folder: Path, device: str) -> None:
        from bertsent.models.checkpoint import read_card
        from bertsent.models.folders import inspect_folder

        card = read_card(folder)
        if card is None:
            raise BadCheckpoint(f"{folder.name} is no checkpoint of a run.", "Choose another run.")
        self.folder, self.device, self.name = folder, device, folder.name
        self.key, self.max_length, self.layers = (
            card.sha256,
            card.max_length,
            inspect_folder(folder).layers,
        )
        self.step, self.epoch = card.step, card.epoch

    def embed_and_answer(
        self, texts: Sequence[str], **options: object
    ) -> tuple[np.ndarray, np.ndarray | None]:
        from bertsent.probing.loaded_model import load_folder

        return load_folder(self.folder, device=self.device).embed_and_answer(texts, **options)


def animation_checkpoints(folders: Sequence[Path], most: int = MOST_FRAMES) -> list[Path]:
    """At most so many of a run's checkpoints, evenly spread, the first and the last among them."""
    places = np.linspace(0, len(folders) - 1, min(len(folders), most)).round().astype(int)
    return [folders[place] for place in places]


def animation_key(folders: Sequence[Path], reviews: Reviews, pooling: Pooling = "cls") -> str:
    """A hash of all that a journey depends on: the checkpoints' weights, the reviews, the pooling.

    Raises:
        BadCheckpoint: a checkpoint's card is damaged.
    """
    from bertsent.models.checkpoint import read_card

    cards = [card and (card.sha256, card.step, card.max_length) for card in map(read_card, folders)]
    return cache_key("journey", _FORMAT, cards, reviews.sha256, pooling, SEED)


def animate_checkpoints(
    folders: Sequence[Path],
    reviews: Reviews,
    *,
    pooling: Pooling = "cls",
    cache: Path,
    progress: Progress = no_progress,
    device: str = "cpu",
) -> CheckpointAnimation:
    """Let every checkpoint read the same reviews, and lay them out so that the map moves from stop
    to stop.

    Args:
        folders: ``step-N`` folders of one run, in order. They are only read.
        pooling: how token vectors become one vector a review.
        cache: a folder for kept work (``bertsent.space.embedding``).
        progress: told a fraction; may raise ``Cancelled``; what is finished by then is kept for the
            next time.

    Raises:
        BadInput: there are no reviews.
        NotAvailable: fewer than two checkpoints.
        BadCheckpoint: one of them is damaged.
        BertsentError: one gives vectors that are not finite numbers.
    """
    if not len(reviews):
        raise BadInput("There are no reviews to follow.", "Choose a set with at least one review.")
    if len(folders) < 2:
        raise NotAvailable("A journey needs two checkpoints.", "Train on: the next one comes soon.")
    found, learners = [], [_LazyCheckpoint(folder, device) for folder in folders]
    for number, learner in enumerate(learners):
        told = part(
            progress, _EMBEDDED * number / len(folders), _EMBEDDED * (number + 1) / len(folders)
        )
        found.append(embed_reviews(learner, reviews, pooling=pooling, cache=cache, progress=told))
    plane = fixed_plane(found[-1].vectors)
    layouts, note = _layouts(found, cache, part(progress, _EMBEDDED, 1.0))
    progress(1.0)
    return CheckpointAnimation(
        steps=np.array([learner.step for learner in learners]),
        epochs=np.array([learner.epoch for learner in learners]),
        p_positive=np.stack([each.probabilities[:, 1] for each in found]),
        pca=np.stack([plane.place(each.vectors) for each in found]),
        tsne=np.stack(layouts),
        explained=plane.explained,
        moved=_moved(found),
        note=note,
    )


def answers_by_checkpoint(
    folders: Sequence[Path], text: str, *, progress: Progress = no_progress, device: str = "cpu"
) -> np.ndarray:
    """P(positive) of one text under each checkpoint: (m,). Nothing of it is kept.

    Raises:
        BadCheckpoint: one of them is damaged.
    """
    from bertsent.probing.loaded_model import load_folder

    found = []
    for number, folder in enumerate(folders, start=1):
        found.append(float(load_folder(folder, device=device).probabilities([text])[0, 1]))
        progress(number / len(folders))
    return np.array(found)


def _moved(found: list[Embeddings]) -> np.ndarray:
    vectors = [each.vectors.astype(np.float64) for each in found]
    steps = [
        np.linalg.norm(after - before, axis=1)
        for before, after in zip(vectors, vectors[1:], strict=False)
    ]
    return np.stack([np.zeros(len(vectors[0])), *steps])


def _layouts(
    found: list[Embeddings], cache: Path, progress: Progress
) -> tuple[list[np.ndarray], str]:
    """The t-SNE layout of every stop, each kept on disk under what it and all before it depend
    on.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file, save

    paths, trail = [], ""
    for each in found:
        trail = cache_key("moving layout", _FORMAT, trail, each.key, SEED)
        paths.append(cache / f"{trail}.safetensors")
    known = []
    for path in paths:
        with suppress(OSError, SafetensorError, KeyError):
            layout = load_file(path)["coordinates"]
            if layout.shape == (len(found[0].vectors), 2) and np.isfinite(layout).all():
                mark_used(path)
                known.append(layout)
                continue
        break
    layouts, note = moving_layouts(
        [each.vectors for each in found], known=known, seed=SEED, progress=progress
    )
    for path, layout in list(zip(paths, layouts, strict=True))[len(known) :]:
        write_to_cache(path, save({"coordinates": np.ascontiguousarray(layout)}))
    return layouts, note
