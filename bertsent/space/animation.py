"""A run's checkpoints and reviews in, where each review stands under every one of them out: its
vector, its answer, its place on two maps that can be compared from checkpoint to checkpoint.

**One plane for all** (PCA): its directions are those of the *last* checkpoint, what training has
made of the reviews; a plane of all checkpoints together would spend its first direction on the
drift of the whole cloud. **A layout that goes on** (t-SNE): each begins where the one before ended,
as Rauber, Falcão and Telea (2016), "Visualizing time-dependent data using dynamic t-SNE", motivate;
without it two runs of t-SNE differ in rotation and arrangement.

Nothing is held in memory but one model at a time. Vectors and layouts are kept on disk under hashes
of what they depend on, so that the animation of a run that goes on computes its new frame only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.models.checkpoint import read_card
from bertsent.models.folders import inspect_folder
from bertsent.models.pooling import Pooling
from bertsent.probing.loaded_model import load_folder
from bertsent.progress import Progress, no_progress, part
from bertsent.space.embedding import Embeddings, embed_reviews
from bertsent.space.projection import SEED, pca, too_few, tsne
from bertsent.space.projection_map import Method, read_layout, write_layout

MOST_FRAMES = 16  # checkpoints of one animation
_FORMAT = 2  # part of the key: raise it when an animation of the same inputs would look different
_EMBEDDED = 0.8  # share of the progress when every checkpoint has read every review


@dataclass(frozen=True)
class CheckpointAnimation:
    """The same n reviews under m checkpoints, in the order of their steps."""

    steps: np.ndarray  # (m,)
    epochs: np.ndarray  # (m,)
    p_positive: np.ndarray  # (m, n)
    pca: np.ndarray  # (m, n, 2), all in one plane
    tsne: np.ndarray  # (m, n, 2), each laid out from the one before
    explained: np.ndarray  # (2,) share of the last checkpoint's variance along each axis
    moved: np.ndarray  # (m, n) distance of each vector from the frame before; 0 in the first
    note: str  # why a t-SNE layout stands still, or empty

    def places(self, method: Method) -> np.ndarray:
        """(m, n, 2): where the reviews are in each frame."""
        return self.pca if method == "pca" else self.tsne

    def frame(self, step: int) -> int:
        """Which frame shows a step: the last one that is not later, or the first."""
        return max(0, int(np.searchsorted(self.steps, step, side="right")) - 1)


class _LazyCheckpoint:
    """As much of a checkpoint's model as a kept answer needs; the model is loaded when something
    has to be computed.
    """

    gives = frozenset({"embedding", "sentiment"})

    def __init__(self, folder: Path, device: str) -> None:
        card = read_card(folder)
        if card is None:
            raise BadCheckpoint(f"{folder.name} is no checkpoint of a run.", "Choose another run.")
        self.folder, self.device, self.name = folder, device, folder.name
        self.key, self.max_length, self.pooling = card.sha256, card.max_length, card.pooling
        self.step, self.epoch, self.layers = card.step, card.epoch, inspect_folder(folder).layers

    def embed_and_answer(
        self, texts: Sequence[str], **options: Any
    ) -> tuple[np.ndarray, np.ndarray | None]:
        return load_folder(self.folder, device=self.device).embed_and_answer(texts, **options)


def animation_checkpoints(folders: Sequence[Path], most: int = MOST_FRAMES) -> list[Path]:
    """At most so many of a run's checkpoints, evenly spread, the first and the last among them."""
    places = np.linspace(0, len(folders) - 1, min(len(folders), most)).round().astype(int)
    return [folders[place] for place in places]


def animation_key(folders: Sequence[Path], reviews: Reviews, pooling: Pooling = "cls") -> str:
    """A hash of all that an animation depends on: the checkpoints, the reviews, the pooling.

    Raises:
        BadCheckpoint: a checkpoint's card is damaged.
    """
    cards = [
        card and (card.sha256, card.pooling, card.step, card.max_length)
        for card in map(read_card, folders)
    ]
    return cache_key("animation", _FORMAT, cards, reviews.sha256, pooling, SEED)


def animate_checkpoints(
    folders: Sequence[Path],
    reviews: Reviews,
    *,
    pooling: Pooling = "cls",
    cache: Path,
    progress: Progress = no_progress,
    device: str = "cpu",
) -> CheckpointAnimation:
    """Let every checkpoint read the same reviews, and lay them out so that the map moves from frame
    to frame.

    Args:
        folders: ``step-N`` folders of one run, in order. They are only read.
        pooling: how token vectors become one vector a review.
        cache: a folder for kept work (``bertsent.space.embedding``).
        progress: called with a fraction; may raise ``Cancelled``; what is finished by then is kept
            for the next time.

    Raises:
        BadInput: there are no reviews.
        NotAvailable: fewer than two checkpoints.
        BadCheckpoint: one of them is damaged.
        BertsentError: one gives vectors that are not finite numbers.
    """
    if not len(reviews):
        raise BadInput("There are no reviews to follow.", "Choose a set with at least one review.")
    if len(folders) < 2:
        raise NotAvailable("An animation needs two checkpoints.", "Train further.")
    found, models = [], [_LazyCheckpoint(folder, device) for folder in folders]
    for number, model in enumerate(models):
        start, end = (_EMBEDDED * each / len(folders) for each in (number, number + 1))
        own = part(progress, start, end)
        found.append(embed_reviews(model, reviews, pooling=pooling, cache=cache, progress=own))
    plane = pca(found[-1].vectors)
    layouts, note = _layouts(found, cache, part(progress, _EMBEDDED, 1.0))
    progress(1.0)
    return CheckpointAnimation(
        steps=np.array([model.step for model in models]),
        epochs=np.array([model.epoch for model in models]),
        p_positive=np.stack([each.p_positive for each in found]),
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
    found = []
    for number, folder in enumerate(folders, start=1):
        found.append(float(load_folder(folder, device=device).probabilities([text])[0, 1]))
        progress(number / len(folders))
    return np.array(found)


def _moved(found: list[Embeddings]) -> np.ndarray:
    vectors = np.stack([each.vectors for each in found]).astype(np.float64)
    return np.linalg.norm(np.diff(vectors, axis=0, prepend=vectors[:1]), axis=2)


def moving_layouts(
    vectors: Sequence[np.ndarray],
    *,
    known: Sequence[np.ndarray] = (),
    progress: Progress = no_progress,
) -> tuple[list[np.ndarray], str]:
    """A t-SNE layout (n, 2) for each of several sets of vectors (n, H), each begun from the one
    before.

    Vectors that did not move at all keep their layout, number by number.

    Args:
        known: the first layouts, where they were made before.
        progress: called with a fraction; may raise ``Cancelled``.

    Returns:
        The layouts, and a sentence where nothing could be arranged (fewer than four different
        vectors), else "".
    """
    found = list(known)
    for number in range(len(found), len(vectors)):
        here, start = vectors[number], found[-1] if number else None
        if start is not None and np.array_equal(here, vectors[number - 1]):
            found.append(start)
            continue
        own = part(progress, number / len(vectors), (number + 1) / len(vectors))
        found.append(tsne(here, start=start, progress=own).coordinates)
    return found, next(filter(None, map(too_few, vectors)), "")


def _layouts(
    found: list[Embeddings], cache: Path, progress: Progress
) -> tuple[list[np.ndarray], str]:
    """The t-SNE layout of every frame, each kept on disk under what it and all before it depend
    on.
    """
    paths, trajectory = [], ""
    for each in found:
        trajectory = cache_key("moving layout", _FORMAT, trajectory, each.key, SEED)
        paths.append(cache / f"{trajectory}.safetensors")
    known: list[np.ndarray] = []
    for path in paths:
        layout = read_layout(path, len(found[0].vectors))
        if layout is None:
            break
        known.append(layout)
    layouts, note = moving_layouts([each.vectors for each in found], known=known, progress=progress)
    for path, layout in list(zip(paths, layouts, strict=True))[len(known) :]:
        write_layout(path, layout)
    return layouts, note
