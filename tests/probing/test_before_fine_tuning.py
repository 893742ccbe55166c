"""How a model began: the same head that its training started from."""

import shutil
from pathlib import Path

import pytest
import torch

from bertsent.data.examples import Reviews
from bertsent.errors import NotAvailable
from bertsent.probing.before_fine_tuning import beginning
from bertsent.training.runs.run import Run, create_run
from tests.training.loop_harness import LoopHarness, recipe

TEXT = "a fine warm film"


@pytest.fixture
def trained(lab: Path, tiny_backbone: Path, toy_reviews: Reviews) -> Run:
    config = recipe()
    splits = LoopHarness(tiny_backbone, toy_reviews, config).splits
    run = create_run(splits, config, source="toy", model=str(tiny_backbone))
    LoopHarness(tiny_backbone, toy_reviews, config, folder=run.checkpoints).go()
    return run


def test_a_run_began_as_its_step_0_says_and_the_same_is_drawn_again_without_it(
    trained: Run, tiny_backbone: Path
) -> None:
    kept = beginning(f"{trained.id}/step-0")
    assert kept.checkpoint == f"{trained.id}/step-0"
    first = kept.load(max_length=32)
    shutil.rmtree(trained.checkpoints / "step-0")
    drawn = beginning(trained.id)
    assert not drawn.checkpoint and str(drawn.config.seed) in drawn.sentence()
    assert str(tiny_backbone) not in drawn.sentence(), "never a path of the server"
    again = drawn.load(max_length=32)
    own, other = first.model.state_dict(), again.model.state_dict()
    assert own.keys() == other.keys()
    assert all(torch.allclose(own[name], other[name], atol=1e-6) for name in own)
    assert again.predict([TEXT])[0].p_positive == pytest.approx(first.predict([TEXT])[0].p_positive)
    assert first.key != again.key and not torch.any(again.model.classifier.bias)


def test_nobody_knows_how_a_folder_of_the_host_began(trained: Run, lab: Path) -> None:
    shutil.copytree(trained.checkpoints / "step-0", lab / "models" / "visitor")
    with pytest.raises(NotAvailable, match="visitor"):
        beginning("visitor")
