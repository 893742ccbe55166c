"""A run's checkpoints and a few reviews in, the loss on a plane around the final weights out, with
the path training took.

Every point of the plane is a whole set of weights; its loss is the mean cross-entropy over the
reviews, dropout off. The loss of the checkpoints, the final weights among them, is exact; the rest
of the grid may be in bfloat16. All is computed on a model of its own and kept on disk under a hash
of what it depends on.
"""

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from bertsent.data.cache import cache_key, mark_used, write_to_cache
from bertsent.data.examples import Reviews
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.progress import Progress, no_progress, part
from bertsent.training.checkpoints import step_of

if TYPE_CHECKING:
    from bertsent.training.loss_landscape.directions import Trajectory
    from bertsent.training.loss_landscape.plane_loss import PlaneLoss

PlaneKind = Literal["path", "random"]
PLANES: dict[PlaneKind, str] = {"path": "Through the checkpoints", "random": "Random directions"}
MOST_CHECKPOINTS = 40
SIDES, COUNTS = (9, 13, 17, 21, 25), (64, 128, 256)  # points along an edge, and reviews
GUESSING = float(np.log(2))  # the loss of knowing nothing of two labels
# room around the path; the least height of its window, as a share of its width
_MARGIN, _THIN = 0.35, 0.5
_PREPARED = 0.03  # share of the progress when the directions are there
_FORMAT = 2  # part of the key: raise it when a landscape of the same inputs would look different


@dataclass(frozen=True)
class LandscapeOptions:
    """Which plane, and how finely it is looked at.

    Raises:
        BadInput: a value is impossible; the text says which are possible.
    """

    plane: PlaneKind = "path"
    side: int = 13  # points along each edge; odd, so that the final weights are one of them
    reviews: int = 64
    reach: float = 1.0  # of random directions: 1 moves every row by its own length
    seed: int = 42  # of the sample and of random directions

    def __post_init__(self) -> None:
        for fits, what, remedy in (
            (
                self.plane in PLANES,
                f"There is no plane “{self.plane}”.",
                f"Choose one of {', '.join(PLANES)}.",
            ),
            (
                9 <= self.side <= 25 and self.side % 2,
                f"A grid of {self.side} points an edge is not possible.",
                "Choose an odd number from 9 to 25.",
            ),
            (
                1 <= self.reviews <= max(COUNTS),
                f"A sample of {self.reviews} reviews is not possible.",
                f"Choose from 1 to {max(COUNTS)}.",
            ),
            (
                0 < self.reach <= 2,
                f"A reach of {self.reach} is not possible.",
                "Choose more than 0 and at most 2.",
            ),
        ):
            if not fits:
                raise BadInput(what, remedy)


@dataclass(frozen=True)
class Landscape:
    """The loss on a grid, and the checkpoints seen in its plane."""

    x: np.ndarray  # (side,) along the first direction; one of them is exactly 0
    y: np.ndarray  # (side,)
    # (side, side) float64: loss[j, i] at x[i], y[j]; not finite where the model overflows
    loss: np.ndarray
    steps: np.ndarray  # (m,) of the checkpoints, in order
    path: np.ndarray  # (m, 2); the last is (0, 0), the final weights
    path_loss: np.ndarray  # (m,) the loss of each checkpoint itself, not of its shadow in the plane
    kept: float  # share of the path's length that lies in the plane
    straight: bool  # the checkpoints lie on one line: the second direction is a random one
    numbers: int  # how many numbers training moved
    reviews: int
    # by how much bfloat16 changes the loss of the final weights; 0 when the grid is exact
    rounding: float = 0.0

    @property
    def centre(self) -> float:
        """The loss of the final weights, as the grid has it."""
        return self.loss[self.y == 0, self.x == 0].item()

    def table(self) -> pd.DataFrame:
        """One row a point: x, y, loss, step; the checkpoints come last and have a step."""
        across, up = np.meshgrid(self.x, self.y)
        grid = pd.DataFrame({"x": across.ravel(), "y": up.ravel(), "loss": self.loss.ravel()})
        own = pd.DataFrame(
            {"x": self.path[:, 0], "y": self.path[:, 1], "loss": self.path_loss, "step": self.steps}
        )
        return pd.concat([grid, own], ignore_index=True).astype({"step": "Int64"})

    @property
    def span(self) -> tuple[float, float]:
        """The range of losses that colour and height show; lower and higher ones look like its
        ends.

        From the lowest to twice the highest loss of the path, or twice that of guessing, where the
        grid goes that far up.
        """
        losses = np.append(self.loss, self.path_loss)
        known = losses[np.isfinite(losses)]
        top = max(2 * GUESSING, 2 * float(np.nanmax(self.path_loss)))
        low = max(float(known.min()), 1e-4)
        return low, max(min(float(known.max()), top), low * 1.01)


def sampled(reviews: Reviews, options: LandscapeOptions) -> Reviews:
    """The labelled reviews whose loss is drawn: chosen by the seed, in their own order, all of them
    where there are fewer.

    Raises:
        BadInput: none has a label.
    """
    known = [place for place, label in enumerate(reviews.labels) if label is not None]
    if not known:
        raise BadInput("None of these reviews has a label.", "Choose labelled reviews.")
    chosen = np.random.default_rng(options.seed).choice(
        known, min(options.reviews, len(known)), replace=False
    )
    return reviews.take(sorted(chosen.tolist()))


def spread_checkpoints(folders: Sequence[Path]) -> list[Path]:
    """At most ``MOST_CHECKPOINTS`` of a run's checkpoints, evenly spread, the first and the last
    among them.
    """
    places = np.linspace(0, len(folders) - 1, min(len(folders), MOST_CHECKPOINTS))
    return [folders[place] for place in places.round().astype(int)]


def landscape_key(
    folders: Sequence[Path], sample: Reviews, options: LandscapeOptions, precision: str = "fp32"
) -> str:
    """A hash of all that a landscape depends on: the checkpoints' weights, the reviews, the
    options, the precision.

    Raises:
        BadCheckpoint: a checkpoint's card is damaged.
    """
    from bertsent.models.checkpoint import read_card

    cards = [card and (card.sha256, card.bias, card.max_length) for card in map(read_card, folders)]
    return cache_key("landscape", _FORMAT, cards, sample.sha256, asdict(options), precision)


def compute_landscape(
    folders: Sequence[Path],
    sample: Reviews,
    options: LandscapeOptions,
    *,
    cache: Path,
    progress: Progress = no_progress,
    device: str = "cpu",
    precision: str = "fp32",
) -> Landscape:
    """Measure the loss on a grid around the last of these checkpoints, or open what was measured
    before.

    Args:
        folders: ``step-N`` folders of one run, in order. They are only read.
        sample: see ``sampled``.
        cache: a folder for kept work.
        progress: called with a fraction; may raise ``Cancelled``, and then nothing is kept.
        precision: ``fp32``, or ``bf16`` where that is faster; the checkpoints and the centre are
            exact in either.

    Raises:
        NotAvailable: fewer than two checkpoints, or nothing was moved between them.
        BadCheckpoint: one is damaged.
        BertsentError: the loss of the final weights is not a finite number.
    """
    from bertsent.models.checkpoint import load_checkpoint
    from bertsent.models.checkpoint_tensors import CheckpointTensors
    from bertsent.training.loss_landscape.directions import Trajectory, path_plane, random_plane
    from bertsent.training.loss_landscape.plane_loss import PlaneLoss

    if len(folders) < 2:
        raise NotAvailable("A landscape needs two checkpoints.", "Train further.")
    key = landscape_key(folders, sample, options, precision)
    found = recalled(cache, key)
    if found is None:
        last = load_checkpoint(folders[-1])
        trajectory = Trajectory(
            [CheckpointTensors(folder) for folder in folders],
            {name: tuple(value.shape) for name, value in last.model.named_parameters()},
            part(progress, 0.0, _PREPARED),
        )
        make_plane = {"path": path_plane, "random": random_plane}[options.plane]
        plane_loss = PlaneLoss(
            last, make_plane(trajectory, options.seed), sample, device, precision
        )
        steps = np.array([step_of(folder) for folder in folders])
        found = _measured(plane_loss, trajectory, steps, options, part(progress, _PREPARED, 1.0))
        arrays = {name: np.asarray(value, order="C") for name, value in vars(found).items()}
        write_to_cache(_place(cache, key), save(arrays))
    progress(1.0)
    return found


def recalled(cache: Path, key: str) -> Landscape | None:
    """The landscape kept under that key, None when there is none or it is damaged."""
    with suppress(OSError, SafetensorError, ValueError, TypeError):
        tensors = load_file(_place(cache, key))
        fields: dict[str, Any] = {n: t if t.ndim else t.item() for n, t in tensors.items()}
        found = Landscape(**fields)
        if np.isfinite(found.centre) and found.loss.shape == (len(found.y), len(found.x)):
            mark_used(_place(cache, key))
            return found
    return None


def edges(path: np.ndarray, options: LandscapeOptions) -> tuple[np.ndarray, np.ndarray]:
    """The grid's coordinates along both directions: around the path with some room, or from -reach
    to reach; 0 is always among them.
    """
    if options.plane == "random":
        ends = [(-options.reach, options.reach)] * 2
    else:
        low, high = path.min(axis=0), path.max(axis=0)
        middle, size = (low + high) / 2, high - low
        half = (0.5 + _MARGIN) * np.maximum(size, _THIN * size.max())
        ends = list(zip(middle - half, middle + half, strict=True))
    found = [np.linspace(start, end, options.side) for start, end in ends]
    return tuple(axis - axis[np.abs(axis).argmin()] for axis in found)


def _measured(
    plane_loss: "PlaneLoss",
    trajectory: "Trajectory",
    steps: np.ndarray,
    options: LandscapeOptions,
    progress: Progress,
) -> Landscape:
    plane, done = plane_loss.plane, itertools.count(1)
    x, y = edges(plane.path, options)
    passes = (x.size * y.size + len(steps) + plane_loss.fast) * len(plane_loss.batches)

    def tick() -> None:
        progress(next(done) / passes)

    path_loss = np.array([plane_loss.of(trajectory, number, tick) for number in range(len(steps))])
    if not np.isfinite(path_loss[-1]):
        raise BertsentError(
            "The loss of the final weights is not a finite number.",
            "The run diverged: choose another one.",
        )
    loss = np.array([[plane_loss.at(float(a), float(b), tick) for a in x] for b in y])
    centre, rounding = np.ix_(y == 0, x == 0), 0.0
    if plane_loss.fast:
        exact = plane_loss.at(0.0, 0.0, tick, exact=True)
        rounding, loss[centre] = abs(loss[centre].item() - exact), exact
    return Landscape(
        x,
        y,
        loss,
        steps,
        plane.path,
        path_loss,
        plane.kept,
        plane.straight,
        numbers=sum(tensor.numel() for tensor in plane.origin.values()),
        reviews=sum(len(labels) for *_, labels in plane_loss.batches),
        rounding=rounding,
    )


def _place(cache: Path, key: str) -> Path:
    return cache / f"{key}.safetensors"


def landscape_sentence(found: Landscape, plane: PlaneKind, reviews: str) -> str:
    """How the loss changed along the path, what else the grid holds, and how much of the path the
    plane keeps.

    Args:
        found: the landscape.
        plane: how its directions were chosen.
        reviews: whose loss it is, "validation" or "training".
    """
    (first, *_, last), known = found.path_loss, found.loss[np.isfinite(found.loss)]
    way = "fell" if last < first else "rose" if last > first else "stayed"
    sentences = [
        f"On {found.reviews:,} {reviews} reviews the loss {way} from {_loss(first)} at step "
        f"{found.steps[0]:,} to {_loss(last)} at step {found.steps[-1]:,}; the highest on this "
        f"grid is {_loss(known.max())}."
    ]
    if known.min() < last - 0.005:
        sentences.append(
            f"The lowest point of the grid, {_loss(known.min())}, is not where training ended."
        )
    if known.max() > found.span[1] * 1.001:
        sentences.append(f"Colour and height end at {_loss(found.span[1])}.")
    return " ".join([*sentences, _kept_sentence(found, plane)])


def _kept_sentence(found: Landscape, plane: PlaneKind) -> str:
    share = f"The plane keeps {100 * found.kept:.3g} % of the length of the path"
    if plane == "random" and found.kept < 0.05:
        return (
            f"{share}, as is usual: two random directions among millions miss almost all of it, so "
            "its points coincide."
        )
    if plane == "path" and found.straight:
        return f"{share}. All checkpoints lie on one line, so the second direction is random."
    return f"{share}."


def precision_sentence(found: Landscape) -> str:
    """In what precision the losses were computed."""
    moved = f"Training changed {found.numbers:,} numbers; only they change here."
    if not found.rounding:
        return f"{moved} Every loss is in full precision."
    return (
        f"{moved} Checkpoints and final weights are evaluated in full precision, the rest of the "
        "grid in bfloat16, as in training; at the final weights that changes the loss by "
        f"{found.rounding:.1g}."
    )


def _loss(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.3g}"
