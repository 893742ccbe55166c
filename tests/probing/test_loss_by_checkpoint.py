"""The loss of one review over a run: what each checkpoint answers by itself."""

import math

import numpy as np
import pytest

from bertsent.errors import Cancelled
from bertsent.figures.loss_by_checkpoint import loss_by_checkpoint_figure
from bertsent.probing import loss_by_checkpoint as module
from bertsent.probing.loaded_model import load_folder
from bertsent.probing.loss_by_checkpoint import ReviewByCheckpoint, loss_by_checkpoint
from bertsent.training.checkpoints import kept_checkpoints
from tests.probing.test_before_fine_tuning import trained  # noqa: F401 - a fixture

TEXT = "a dull cold film"


def test_every_checkpoint_is_asked_once(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = kept_checkpoints(request.getfixturevalue("trained").checkpoints)
    heard: list[float] = []
    found = loss_by_checkpoint(folders, TEXT, progress=heard.append)
    answers = [load_folder(folder).predict([TEXT])[0] for folder in folders]
    assert found.steps[0] == 0 and len(found.steps) == len(folders) >= 2
    for label in range(2):
        own = [-math.log(a.p_positive if label else 1 - a.p_positive) for a in answers]
        assert np.allclose(found.losses(label), own, atol=1e-5)
        assert np.allclose(found.table(label)["loss"], own, atol=1e-5)
    assert heard == sorted(heard) and heard[0] == 0
    monkeypatch.setattr(module, "load_folder", None)
    assert np.array_equal(loss_by_checkpoint(folders, TEXT).logits, found.logits)


def test_it_can_be_cancelled(request: pytest.FixtureRequest) -> None:
    def cancel(_fraction: float) -> None:
        raise Cancelled("Cancelled.")

    folders = kept_checkpoints(request.getfixturevalue("trained").checkpoints)
    with pytest.raises(Cancelled):
        loss_by_checkpoint(folders, TEXT, progress=cancel)


def test_the_sentence_and_the_curve_are_of_the_numbers() -> None:
    found = ReviewByCheckpoint((0, 1_000, 2_000), np.array([[0, 0], [0, 1], [0, 3]]))
    losses = [math.log(2), math.log(1 + math.exp(-1)), math.log(1 + math.exp(-3))]
    assert np.allclose(found.losses(1), losses)
    assert "0.693 at step 0 and 0.049 at step 2,000" in found.sentence(1)
    assert "between steps 0 and 1,000, by 0.380" in found.sentence(1)
    assert "never fell" in found.sentence(0)
    figure = loss_by_checkpoint_figure(found.steps, found.losses(1), 1, 1_000)
    curve, ring = figure.data
    assert np.allclose(curve.y, losses) and tuple(curve.x) == found.steps
    assert tuple(ring.x) == (1_000,) and np.allclose(ring.y, losses[1])
    assert len(loss_by_checkpoint_figure(found.steps, found.losses(1), 1, None).data) == 1
