"""A run's checkpoints in, a plane through its final weights out: along random directions, or along
the path that training took.

Li, Xu, Taylor, Studer and Goldstein (2018), "Visualizing the Loss Landscape of Neural Nets",
https://arxiv.org/abs/1712.09913: filter normalisation is their section 4, the plane through
checkpoints their section 7. Checkpoints are read a few rows at a time, so that forty of a large
model fit in memory.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bertsent.errors import NotAvailable
from bertsent.models.checkpoint_tensors import CheckpointTensors

Tensors = dict[str, torch.Tensor]
_BLOCK = 2**20  # numbers of a tensor that are read at once
# a second direction with less of the squared distance than this is rounding, not a direction
_FLAT = 1e-9


@dataclass(frozen=True)
class Plane:
    """The weights ``origin + a * first + b * second``, and where the checkpoints lie when seen in
    it.
    """

    origin: Tensors  # the final weights; only what training moved is here
    first: Tensors
    second: Tensors
    path: np.ndarray  # (m, 2) coordinates a, b; the last row is the origin
    kept: float  # share of the path's length that lies in the plane, 0 to 1
    straight: bool  # the checkpoints lie on one line, so that the second direction is a random one


class Trajectory:
    """Checkpoints in the order of training, each seen from the last one."""

    def __init__(
        self,
        checkpoints: Sequence[CheckpointTensors],
        shapes: Mapping[str, Sequence[int]],
        tick: Callable[[float], None],
    ) -> None:
        """Measure how far every checkpoint lies from the last.

        Args:
            checkpoints: at least two, of one model.
            shapes: the parameters and their shapes.
            tick: called with a fraction; may raise ``Cancelled``.

        Raises:
            NotAvailable: nothing was moved.
        """
        self.checkpoints, self._shapes = checkpoints, shapes
        # inner products of the differences
        self.gram = np.zeros((len(checkpoints), len(checkpoints)))
        self.moved: list[str] = []
        for place, name in enumerate(shapes, start=1):
            blocks = [block.double() for _, block in self._differences(name)]
            gram = np.sum([(block @ block.T).numpy() for block in blocks], axis=0)
            if gram.any():
                self.moved.append(name)
                self.gram += gram
            tick(place / len(shapes))
        if not self.moved:
            raise NotAvailable(
                "The weights of this run have not moved: every checkpoint holds the same.",
                "Train it further.",
            )

    def origin(self) -> Tensors:
        """The last checkpoint's weights, as far as training moved them."""
        return {name: self.checkpoints[-1].read(name) for name in self.moved}

    def combined(self, shares: np.ndarray) -> Tensors:
        """The sum of the differences, each times its share (m,)."""
        weights = torch.tensor(shares, dtype=torch.float64)
        return {
            name: torch.cat(
                [(weights @ block.double()).float() for _, block in self._differences(name)]
            ).reshape(self._shapes[name])
            for name in self.moved
        }

    def along(self, direction: Tensors) -> np.ndarray:
        """(m,) inner products of the differences with a direction."""
        found = np.zeros(len(self.checkpoints))
        for name in self.moved:
            flat = direction[name].reshape(-1)
            for place, block in self._differences(name):
                found += (block.double() @ flat[place].double()).numpy()
        return found

    def kept(self, path: np.ndarray, metric: np.ndarray) -> float:
        """What share of the length of the path through the checkpoints a projection (m, 2)
        keeps.
        """
        own, steps = np.diag(self.gram), np.diff(path, axis=0)
        squared = own[1:] + own[:-1] - 2 * np.diag(self.gram, 1)
        seen = np.einsum("ij,jk,ik->i", steps, metric, steps)
        # ``moved`` is not empty, so the whole path is longer than 0
        lengths = [np.sqrt(np.maximum(each, 0)).sum() for each in (seen, squared)]
        return min(1.0, float(lengths[0] / lengths[1]))

    def _differences(self, name: str) -> Iterator[tuple[slice, torch.Tensor]]:
        """A parameter's differences to the last checkpoint, (m, numbers), some rows at a time, and
        which numbers these are.
        """
        count, *shape = self._shapes[name]
        row = math.prod(shape)
        step = max(1, _BLOCK // row)
        for start in range(0, count, step):
            rows = slice(start, min(start + step, count))
            blocks = torch.stack([each.read(name, rows).reshape(-1) for each in self.checkpoints])
            yield slice(rows.start * row, rows.stop * row), blocks - blocks[-1]


def random_plane(trajectory: Trajectory, seed: int) -> Plane:
    """Two filter-normalised random directions; equal seeds give equal planes."""
    origin, generator = trajectory.origin(), torch.Generator().manual_seed(seed)
    first, second = (filter_normalised(origin, generator) for _ in range(2))
    metric = np.array([[inner(a, b) for b in (first, second)] for a in (first, second)])
    path = (
        np.linalg.pinv(metric) @ np.stack([trajectory.along(first), trajectory.along(second)])
    ).T
    return Plane(origin, first, second, path, trajectory.kept(path, metric), straight=False)


def path_plane(trajectory: Trajectory, seed: int) -> Plane:
    """The plane through the final weights that lies closest to all checkpoints, its directions
    orthonormal.

    They are the first two right singular vectors of the differences to the final weights. Training
    runs from left to right. With only one direction in the differences, the second is a random one
    of that seed, made orthogonal to the first.
    """
    origin = trajectory.origin()
    sizes, shares = np.linalg.eigh(trajectory.gram)
    straight = len(sizes) < 3 or sizes[-2] <= _FLAT * sizes[-1]
    first = _unit(trajectory.combined(shares[:, -1]))
    other = (
        filter_normalised(origin, torch.Generator().manual_seed(seed))
        if straight
        else trajectory.combined(shares[:, -2])
    )
    part = inner(other, first)  # Gram-Schmidt
    second = _unit({name: tensor - part * first[name] for name, tensor in other.items()})
    path = np.stack([trajectory.along(first), trajectory.along(second)], axis=1)
    if straight:
        path[:, 1] = 0.0  # what is left there is rounding
    farthest = path[np.abs(path[:, 1]).argmax(), 1]
    signs = np.array([-1.0 if path[0, 0] > 0 else 1.0, -1.0 if farthest < 0 else 1.0])
    first, second = (
        {name: tensor * sign for name, tensor in direction.items()}
        for direction, sign in zip((first, second), signs.tolist(), strict=True)
    )
    path = path * signs + 0.0  # no minus zero
    return Plane(origin, first, second, path, trajectory.kept(path, np.eye(2)), straight)


def filter_normalised(weights: Tensors, generator: torch.Generator) -> Tensors:
    """A random direction in which every row is as long as the same row of the weights; biases and
    LayerNorm vectors stay still.
    """
    found = {}
    for name, tensor in weights.items():
        found[name] = torch.randn(tensor.shape, generator=generator)
        if tensor.ndim < 2:
            found[name].zero_()
        else:
            rows, lengths = found[name].flatten(1), tensor.flatten(1).norm(dim=1, keepdim=True)
            rows *= lengths / rows.norm(dim=1, keepdim=True)
    return found


def inner(one: Tensors, other: Tensors) -> float:
    """The inner product of two directions."""
    return sum(float(one[name].double().flatten() @ other[name].double().flatten()) for name in one)


def _unit(direction: Tensors) -> Tensors:
    length = math.sqrt(inner(direction, direction))
    return {name: tensor / length for name, tensor in direction.items()}
