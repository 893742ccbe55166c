"""A run's checkpoints and reviews in, where each review stands under every one of them out: its
vector, its answer, its place on two maps that can be compared from checkpoint to checkpoint; and
what one frame shows in numbers: accuracy, what has changed, which reviews moved farthest.

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
import pandas as pd

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.models.checkpoint import read_card
from bertsent.models.folders import inspect_folder
from bertsent.models.pooling import Pooling
from bertsent.probing.loaded_model import load_folder
from bertsent.progress import Progress, no_progress, part
from bertsent.space.embedding import Embeddings, embed_reviews
from bertsent.space.projection import SEED, pca, too_few, tsne
from bertsent.space.projection_map import METHODS, Method, read_layout, review_rows, write_layout
from bertsent.statistics import (
    Interval,
    accuracy_interval,
    majority_class_accuracy,
    majority_class_sentence,
)

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


@dataclass(frozen=True)
class FrameEvaluation:
    """How the labelled reviews are answered in one frame."""

    n: int
    accuracy: float
    interval: Interval  # 95 %, minimal pairs counted together
    corrected: int  # since the frame before
    broken: int
    majority: float  # accuracy of always answering the majority class


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


def spread_checkpoints(folders: Sequence[Path], most: int = MOST_FRAMES) -> list[Path]:
    """At most ``most`` of a run's checkpoints, evenly spread, the first and the last among them."""
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
    models = [_LazyCheckpoint(folder, device) for folder in folders]
    parts = np.linspace(0, _EMBEDDED, len(models) + 1).tolist()
    owns = (part(progress, *ends) for ends in zip(parts, parts[1:], strict=False))
    found = [
        embed_reviews(model, reviews, pooling=pooling, cache=cache, progress=own)
        for model, own in zip(models, owns, strict=True)
    ]
    plane = pca(found[-1].vectors)
    vectors = np.stack([each.vectors for each in found]).astype(np.float64)
    layouts, note = _layouts(found, cache, part(progress, _EMBEDDED, 1.0))
    progress(1.0)
    return CheckpointAnimation(
        steps=np.array([model.step for model in models]),
        epochs=np.array([model.epoch for model in models]),
        p_positive=np.stack([each.p_positive for each in found]),
        pca=np.stack([plane.place(each.vectors) for each in found]),
        tsne=np.stack(layouts),
        explained=plane.explained,
        moved=np.linalg.norm(np.diff(vectors, axis=0, prepend=vectors[:1]), axis=2),
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


def evaluate_frame(
    animation: CheckpointAnimation, reviews: Reviews, at: int
) -> FrameEvaluation | None:
    """Accuracy with its 95 % interval, and what changed since the frame before;
    None where no review has a label.
    """
    known = np.array([label is not None for label in reviews.labels])
    if not known.any():
        return None
    some = reviews.where(known)
    truth = np.array(some.labels, dtype=np.int64)
    guess = (animation.p_positive[:, known] > 0.5).astype(int)
    right = guess == truth
    before = right[max(at - 1, 0)]
    return FrameEvaluation(
        n=len(truth),
        accuracy=float(right[at].mean()),
        interval=accuracy_interval(right[at], review_groups(some)),
        corrected=int((right[at] & ~before).sum()),
        broken=int((before & ~right[at]).sum()),
        majority=majority_class_accuracy(some.labels),
    )


def accuracy_frame(animation: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """One row a frame: step, epoch, accuracy, low and high (its 95 % interval); empty without
    labels.
    """
    found = [evaluate_frame(animation, reviews, at) for at in range(len(animation.steps))]
    rows = [
        (int(step), float(epoch), each.accuracy, *each.interval)
        for step, epoch, each in zip(animation.steps, animation.epochs, found, strict=True)
        if each is not None
    ]
    return pd.DataFrame(rows, columns=["step", "epoch", "accuracy", "low", "high"])


def coin_interval(count: int) -> Interval:
    """The range of a coin's accuracies on ``count`` reviews in 99 of 100 tries (binomial)."""
    from scipy.stats import binom

    low, high = binom.interval(0.99, count, 0.5)
    return float(low / count), float(high / count)


def changes_between(
    animation: CheckpointAnimation, reviews: Reviews, at: int, since: int
) -> pd.DataFrame:
    """Every review with its P(positive) in two frames, the one that changed most first.

    Columns: id, text, label, before, after, change, moved (how far its vector went meanwhile, frame
    by frame), course (P(positive) in every frame). Equal changes are ordered as the reviews are.
    """
    before, after = animation.p_positive[since], animation.p_positive[at]
    found = review_rows(reviews).assign(
        before=before,
        after=after,
        change=after - before,
        moved=animation.moved[since + 1 : at + 1].sum(axis=0),
        course=animation.p_positive.T.tolist(),
    )
    return found.sort_values("change", key=lambda change: -change.abs(), kind="stable").reset_index(
        drop=True
    )


def animation_table(animation: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """All that can be downloaded: one row a frame and review."""
    about, facts = review_rows(reviews), {"p_positive": animation.p_positive}  # (m, n) each
    facts["moved"] = animation.moved
    for method in METHODS:
        facts[f"{method}_x"], facts[f"{method}_y"] = np.moveaxis(animation.places(method), 2, 0)
    return pd.concat(
        [
            about.assign(step=step, **{name: values[at] for name, values in facts.items()})
            for at, step in enumerate(animation.steps.tolist())
        ],
        ignore_index=True,
    )


def frame_sentence(animation: CheckpointAnimation, reviews: Reviews, at: int) -> str:
    """What one frame shows, from the numbers."""
    found, step = evaluate_frame(animation, reviews, at), f"Step {animation.steps[at]:,}"
    if found is None:
        return f"{step}: the reviews have no labels, so the answers cannot be evaluated."
    low, high = found.interval
    score = (
        f"{step}: {100 * found.accuracy:.1f} % of {found.n:,} reviews are answered correctly (95 % "
        f"interval {100 * low:.1f} to {100 * high:.1f} %)."
    )
    if at:
        far = animation.moved[at]
        moved = (
            f"On average a vector moved by {far.mean():.2g} meanwhile."
            if far.any()
            else "No vector moved meanwhile: only the head was trained."
        )
        return (
            f"{score} Since step {animation.steps[at - 1]:,}, {found.corrected:,} answers were "
            f"corrected and {found.broken:,} broken. {moved}"
        )
    if animation.steps[0]:
        return f"{score} {majority_class_sentence(reviews.labels)}"
    low, high = coin_interval(found.n)
    inside = "inside" if low <= found.accuracy <= high else "outside"
    return (
        f"{score} The head is random here. Tossing a coin would answer {100 * low:.1f} to "
        f"{100 * high:.1f} % correctly in 99 of 100 tries; this accuracy lies {inside} that range."
    )


def changes_sentence(found: pd.DataFrame, start: int, step: int) -> str:
    """The review whose answer changed most between two steps, and the one that moved farthest;
    ``found`` is of ``changes_between``.
    """
    first, far = found.iloc[0], found.iloc[int(found["moved"].to_numpy().argmax())]
    moved = (
        f"The vector of “{shorten(far.text, 80)}” moved farthest."
        if far.moved > 0
        else "No vector moved: only the head was trained."
    )
    return (
        f"From step {start:,} to step {step:,} the answer to “{shorten(first.text, 80)}” changed "
        f"most: P(positive) from {100 * first.before:.1f} to {100 * first.after:.1f} %. {moved}"
    )


def flips_sentence(text: str, steps: Sequence[int], p_positive: np.ndarray) -> str:
    """At which checkpoints the answer to a text changed its side."""
    sides = [LABELS[int(share > 0.5)].lower() for share in p_positive]
    turns = [
        f"{side} at step {step:,}"
        for step, before, side in zip(steps[1:], sides, sides[1:], strict=False)
        if side != before
    ]
    begin, end = (f"{100 * p_positive[at]:.1f} %" for at in (0, -1))
    first = f"“{shorten(text, 60)}” is {sides[0]} at step {steps[0]:,} ({begin})"
    last = f"{end} at step {steps[-1]:,}."
    if not turns:
        return f"{first} and at every other checkpoint; {last}"
    return f"{first}, then becomes {', '.join(turns)}; {last}"


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
