"""The loss landscape: its centre is the model, its directions are what they say, its path is where
the checkpoints are.
"""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, BertsentError, Cancelled, NotAvailable
from bertsent.models.checkpoint import load_checkpoint, save_checkpoint
from bertsent.models.checkpoint_tensors import CheckpointTensors
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.loss_landscape.directions import (
    Plane,
    Trajectory,
    filter_normalised,
    inner,
    path_plane,
    random_plane,
)
from bertsent.training.loss_landscape.landscape import (
    LandscapeOptions,
    compute_landscape,
    edges,
    landscape_key,
    recalled,
    sampled,
    spread_checkpoints,
)
from bertsent.training.loss_landscape.plane_loss import PlaneLoss, mean_loss
from bertsent.training.trainer_state import TrainerState
from tests.training.loop_harness import LoopHarness, recipe

SMALL = LandscapeOptions(side=9, reviews=12)


def nobody(*_: object) -> None:
    pass


@pytest.fixture(scope="module")
def course(
    tiny_backbone: Path, toy_reviews: Reviews, tmp_path_factory: pytest.TempPathFactory
) -> LoopHarness:
    """A run of three epochs: checkpoints of steps 0, 4, 8 and 12."""
    made = LoopHarness(
        tiny_backbone, toy_reviews, recipe(epochs=3), tmp_path_factory.mktemp("run") / "checkpoints"
    )
    made.go()
    return made


@pytest.fixture(scope="module")
def folders(course: LoopHarness) -> list[Path]:
    return list_checkpoints(course.store.folder)


def trail(folders: list[Path]) -> Trajectory:
    shapes = {
        name: tuple(p.shape) for name, p in load_checkpoint(folders[-1]).model.named_parameters()
    }
    return Trajectory([CheckpointTensors(folder) for folder in folders], shapes, nobody)


def plain_loss(folder: Path, reviews: Reviews) -> float:
    """One review at a time, without padding, by the library's own cross-entropy."""
    found = load_checkpoint(folder)
    with torch.no_grad():
        rows = found.tokenizer.ids(reviews.texts, found.card.max_length)
        logits = torch.cat(
            [
                found.model(torch.tensor([row]), torch.ones(1, len(row), dtype=torch.long))
                for row in rows
            ]
        )
    return cross_entropy(logits.double(), torch.tensor(reviews.labels)).item()


@pytest.mark.parametrize("kind", ["path", "random"])
def test_the_centre_is_the_loss_of_the_final_weights(
    kind: str, course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    options = replace(SMALL, plane=kind)
    sample = sampled(course.splits.validation, options)
    found = compute_landscape(folders, sample, options, cache=tmp_path)
    assert found.loss.shape == (9, 9) and found.reviews == len(sample)
    assert found.centre == pytest.approx(plain_loss(folders[-1], sample), abs=1e-6)
    assert found.path_loss == pytest.approx(
        [plain_loss(folder, sample) for folder in folders], abs=1e-6
    )
    assert found.path[-1].tolist() == [0, 0] and found.steps.tolist() == [0, 4, 8, 12]


def test_it_is_the_loss_that_the_run_states(
    course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    options = replace(SMALL, reviews=256)
    found = compute_landscape(
        folders, sampled(course.splits.validation, options), options, cache=tmp_path
    )
    learning = TrainerState(course.model, course.tokenizer, course.splits, course.config, "cpu")
    assert found.centre == pytest.approx(learning.evaluate(lambda: False).loss, abs=1e-6)
    assert found.path_loss == pytest.approx([e.loss for e in course.history.evaluations], abs=1e-6)


def test_in_bf16_the_centre_stays_exact_and_the_grid_is_nearly_the_same(
    course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    sample = sampled(course.splits.validation, SMALL)
    exact, fast = (
        compute_landscape(folders, sample, SMALL, cache=tmp_path, precision=p)
        for p in ("fp32", "bf16")
    )
    assert exact.rounding == 0 < fast.rounding < 0.05
    assert fast.centre == exact.centre and np.array_equal(fast.path_loss, exact.path_loss)
    assert not np.array_equal(fast.loss, exact.loss) and np.allclose(
        fast.loss, exact.loss, atol=0.1, rtol=0.05
    )


def test_random_directions_are_as_long_as_the_weights_row_by_row() -> None:
    weights = {
        "w": torch.randn(5, 7) * torch.tensor([[0.0], [1], [10], [0.1], [3]]),
        "LayerNorm.weight": torch.ones(4),
        "b": torch.randn(4),
    }
    direction = filter_normalised(weights, torch.Generator().manual_seed(1))
    assert torch.allclose(direction["w"].norm(dim=1), weights["w"].norm(dim=1), rtol=1e-6)
    assert not direction["b"].any() and not direction["LayerNorm.weight"].any()
    again = filter_normalised(weights, torch.Generator().manual_seed(1))
    assert torch.equal(direction["w"], again["w"])
    assert not torch.equal(
        direction["w"], filter_normalised(weights, torch.Generator().manual_seed(2))["w"]
    )


def test_the_planes_directions_are_orthonormal_and_training_runs_to_the_right(
    folders: list[Path],
) -> None:
    plane = path_plane(trail(folders), 42)
    gram = [[inner(a, b) for b in (plane.first, plane.second)] for a in (plane.first, plane.second)]
    assert np.allclose(gram, np.eye(2), atol=1e-6)
    assert plane.path[0, 0] < 0 and not plane.straight and 0.5 < plane.kept <= 1


def test_three_checkpoints_span_a_plane_and_come_back_exactly(folders: list[Path]) -> None:
    chosen = [folders[0], folders[1], folders[-1]]
    plane = path_plane(trail(chosen), 42)
    assert plane.kept == pytest.approx(1, abs=1e-6)
    for folder, (a, b) in zip(chosen, plane.path, strict=True):
        model = load_checkpoint(folder).model
        for name in plane.origin:
            there = plane.origin[name] + a * plane.first[name] + b * plane.second[name]
            assert torch.allclose(there, model.get_parameter(name), atol=2e-6), name


def test_a_checkpoint_s_place_is_its_least_squares_shadow(folders: list[Path]) -> None:
    """Among all points of the random plane none is nearer to the checkpoint: what is left is
    orthogonal to both directions.
    """
    found = trail(folders)
    plane = random_plane(found, 3)
    model = load_checkpoint(folders[0]).model
    a, b = plane.path[0]
    left = {
        n: model.get_parameter(n).detach()
        - plane.origin[n]
        - a * plane.first[n]
        - b * plane.second[n]
        for n in plane.origin
    }
    for direction in (plane.first, plane.second):
        cosine = inner(left, direction) / np.sqrt(inner(left, left) * inner(direction, direction))
        assert abs(cosine) < 1e-6
    assert 0 < plane.kept < 0.2, "two directions among thousands miss nearly all of the path"


def test_two_checkpoints_lie_on_a_line_and_a_random_direction_is_said_to_help(
    folders: list[Path],
) -> None:
    plane = path_plane(trail([folders[0], folders[-1]]), 42)
    assert plane.straight and plane.kept == pytest.approx(1)
    assert plane.path[:, 1].tolist() == [0, 0]
    assert inner(plane.first, plane.second) == pytest.approx(0, abs=1e-6) and inner(
        plane.second, plane.second
    ) == pytest.approx(1)


def test_along_one_axis_of_a_linear_model_the_loss_is_the_hand_worked_one() -> None:
    """Logits (w·x, 0) of x = 1 and label 0: the loss is ln(1 + exp(-w)). From w = 2 along a
    direction of length 1, w = 2 + a.
    """

    class Line(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor([[2.0], [0.0]]))

        def forward(self, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return inputs.float() @ self.weight.T

    model = Line()
    batches = [
        (torch.ones(1, 1), None, torch.tensor([0])),
        (torch.ones(2, 1), None, torch.tensor([0, 0])),
    ]
    plane = Plane(
        {"weight": model.weight.detach().clone()},
        {"weight": torch.tensor([[1.0], [0.0]])},
        {"weight": torch.zeros(2, 1)},
        np.zeros((1, 2)),
        1.0,
        False,
    )
    scorer = object.__new__(PlaneLoss)
    scorer._tensors, scorer._moving = (
        [plane.origin, plane.first, plane.second],
        dict(model.named_parameters()),
    )
    scorer._forward, scorer.batches, scorer.fast, scorer.device = model, batches, False, "cpu"
    for a in (-3.0, -2.0, 0.0, 1.5):
        assert scorer.at(a, 0.7, nobody) == pytest.approx(np.log1p(np.exp(-(2 + a))), abs=1e-6)
    assert mean_loss(model, batches, nobody) == pytest.approx(np.log1p(np.exp(-3.5)), abs=1e-6)


def test_only_what_was_trained_moves_and_a_run_of_the_head_alone_reads_the_reviews_once(
    tiny_backbone: Path, toy_reviews: Reviews, tmp_path: Path
) -> None:
    made = LoopHarness(tiny_backbone, toy_reviews, recipe(trains="head"), tmp_path / "checkpoints")
    made.go()
    folders = list_checkpoints(made.store.folder)
    assert trail(folders).moved == ["classifier.weight", "classifier.bias"]
    sample = sampled(made.splits.validation, SMALL)
    found = compute_landscape(folders, sample, SMALL, cache=tmp_path / "cache")
    assert found.numbers == 2 * 32 + 2
    assert found.path_loss == pytest.approx(
        [plain_loss(folder, sample) for folder in folders], abs=1e-6
    )


def test_equal_inputs_give_equal_grids_and_what_is_kept_comes_back(
    course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    sample = sampled(course.splits.train, SMALL)
    one = compute_landscape(folders, sample, SMALL, cache=tmp_path / "a")
    other = compute_landscape(folders, sample, SMALL, cache=tmp_path / "b")
    again = recalled(tmp_path / "a", landscape_key(folders, sample, SMALL))
    for name, value in vars(one).items():
        for twin in (other, again):
            assert np.array_equal(value, getattr(twin, name)), name
    (file,) = (tmp_path / "a").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert recalled(tmp_path / "a", landscape_key(folders, sample, SMALL)) is None
    seeds = {landscape_key(folders, sample, replace(SMALL, seed=seed)) for seed in (1, 2)}
    assert (
        len(
            seeds
            | {landscape_key(folders[1:], sample, SMALL), landscape_key(folders, sample, SMALL)}
        )
        == 4
    )


def test_what_is_cancelled_leaves_nothing_and_the_run_is_untouched(
    course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    def state() -> dict[str, str]:
        files = (path for path in course.store.folder.rglob("*") if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise Cancelled("Cancelled.")

    before, sample = state(), sampled(course.splits.train, SMALL)
    with pytest.raises(Cancelled):
        compute_landscape(folders, sample, SMALL, cache=tmp_path / "cache", progress=stop)
    assert not (tmp_path / "cache").exists()
    told: list[float] = []
    compute_landscape(folders, sample, SMALL, cache=tmp_path / "cache", progress=told.append)
    assert state() == before
    assert told == sorted(told) and told[-1] == 1 and len(told) > 81


def test_a_sample_is_seeded_labelled_and_in_order(toy_reviews: Reviews) -> None:
    mixed = Reviews("mixed", (Example("x", "who knows"), *toy_reviews.examples))
    options = LandscapeOptions(reviews=10)
    chosen = sampled(mixed, options)
    assert len(chosen) == 10 and None not in chosen.labels
    order = [mixed.examples.index(example) for example in chosen]
    assert order == sorted(order) and chosen == sampled(mixed, options) != sampled(
        mixed, replace(options, seed=1)
    )
    assert len(sampled(mixed, LandscapeOptions(reviews=256))) == 40
    with pytest.raises(BadInput, match="label"):
        sampled(mixed.take([0]), options)


def test_zero_is_on_every_grid_and_the_path_inside() -> None:
    path = np.array([[-3.0, 0.2], [-1.0, 0.9], [0.0, 0.0]])
    for options in (
        LandscapeOptions(side=9),
        LandscapeOptions(side=25),
        LandscapeOptions(plane="random", reach=0.25),
    ):
        for axis, along in zip(edges(path, options), path.T, strict=True):
            assert (axis == 0).sum() == 1 and len(axis) == options.side
            assert options.plane == "random" or (axis[0] < along.min() and along.max() < axis[-1])
    assert edges(path, LandscapeOptions(plane="random", reach=0.25))[0][[0, -1]].tolist() == [
        -0.25,
        0.25,
    ]


def test_what_cannot_be_drawn_is_said(
    course: LoopHarness, folders: list[Path], tmp_path: Path
) -> None:
    sample = sampled(course.splits.train, SMALL)
    with pytest.raises(NotAvailable, match="two checkpoints"):
        compute_landscape(folders[:1], sample, SMALL, cache=tmp_path)
    twin = tmp_path / "step-99"
    shutil.copytree(folders[-1], twin)
    with pytest.raises(NotAvailable, match="have not moved"):
        compute_landscape([folders[-1], twin], sample, SMALL, cache=tmp_path)
    found = load_checkpoint(folders[-1])
    torch.nn.init.constant_(found.model.classifier.weight, float("nan"))
    save_checkpoint(tmp_path / "step-100", found.model, found.tokenizer, found.card)
    with pytest.raises(BertsentError, match="NaN or infinite"):
        compute_landscape([folders[0], tmp_path / "step-100"], sample, SMALL, cache=tmp_path)
    for wrong in (
        {"side": 8},
        {"side": 27},
        {"side": 10},
        {"plane": "x"},
        {"reviews": 0},
        {"reach": 0},
    ):
        with pytest.raises(BadInput):
            LandscapeOptions(**wrong)


def test_many_checkpoints_are_thinned_to_forty_with_both_ends() -> None:
    many = [SimpleNamespace(name=f"step-{i}") for i in range(101)]
    found = spread_checkpoints(many)
    assert len(found) == 40 and found[0] is many[0] and found[-1] is many[-1]
    assert spread_checkpoints(many[:3]) == many[:3]
