"""The training of the heads: it learns from what nobody is judged on, goes on after a kill as if
nothing had been, and what it writes can be shipped.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import expit, log_expit

from bertsent.models.backbone import load_backbone
from bertsent.recipe.task_heads import TRAINED, head_of_state
from bertsent.recipe.task_sets import held_out_sets, learned_sets
from bertsent.recipe.task_training import (
    LOGITS,
    SHARES,
    HeadTraining,
    Plan,
    loss_of,
    train_heads,
)
from bertsent.tasks.catalogue import FEELINGS
from tests.recipe.task_tables import PAWS_LEARNED, write_task_tables

PLAN = Plan(steps=4, batch_size=2, save_every=2, towards_sentiment=0.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_task_tables(tmp_path_factory.mktemp("public"))


def test_nothing_is_learned_that_is_judged(data) -> None:
    learned = learned_sets(data)
    assert set(learned) == set(SHARES) and math.isclose(sum(s for _, s in SHARES.values()), 1)
    assert {head for head, _ in SHARES.values()} == set(LOGITS) == set(TRAINED)
    assert learned["terms"].inputs == [("soup", "Cold soup.")] * 2
    assert learned["phrases"].texts == ["not so bad"] and len(learned["paws"]) == PAWS_LEARNED
    assert learned["sick"].targets == [5.0, 0.0]
    judged = {reviews.name: reviews for reviews in held_out_sets(data)}
    assert not set(judged["Restaurants, held out"].inputs) & set(learned["terms"].inputs)


def test_losses_by_hand() -> None:
    z, ones = np.array([0.3, -2.0]), torch.tensor([1.0, 1.0])
    logits = torch.tensor(z[:, None], dtype=torch.float)
    assert loss_of("par", logits, ones).item() == pytest.approx(-log_expit(z).mean())
    alike = 6 * ((expit(z) - 0.2) ** 2).mean()
    assert loss_of("sts", logits, ones).item() == pytest.approx(alike)
    assert loss_of("emo", logits, ones[:, None]).item() == pytest.approx(-2 * log_expit(z).mean())
    even = loss_of("sst", torch.zeros(2, 5), torch.tensor([0.0, 4.0])).item()
    assert even == pytest.approx(math.log(5))


def test_feelings_are_learned_in_alphabetical_order(data) -> None:
    training = HeadTraining(learned_sets(data), PLAN)
    _, targets = training.sets["tweets"].next()
    anger = sorted(FEELINGS.labels).index("anger")
    rows = {tuple(row) for row in targets.tolist()}
    assert rows == {tuple(float(place != anger) for place in range(11))} | {
        tuple(float(place == anger) for place in range(11))
    }


@pytest.mark.slow
def test_a_killed_training_goes_on_as_if_nothing_had_been(data, tmp_path) -> None:
    straight, again = tmp_path / "a" / "weights.pt", tmp_path / "b" / "weights.pt"
    lines = list(train_heads(data, straight, PLAN))
    assert len(lines) == 2 and not straight.with_suffix(".unfinished").exists()
    assert next(train_heads(data, again, PLAN)).startswith("Step 2")  # killed after it saved
    list(train_heads(data, again, PLAN))
    first, second = (torch.load(path, weights_only=True) for path in (straight, again))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert "4 steps" in straight.with_suffix(".md").read_text()
    for key, task in TRAINED.items():
        assert head_of_state(first, key)[0].shape == (task.outputs, 384)
    frozen = load_backbone("builtin").model.embeddings.state_dict()
    assert all(torch.equal(first[f"bert.embeddings.{n}"], value) for n, value in frozen.items())


def test_the_average_is_that_of_all_weights_so_far(data) -> None:
    training = HeadTraining(learned_sets(data), replace(PLAN, steps=2))
    weights = training.heads["sst"].bias
    place = next(i for i, each in enumerate(training.learned) if each is weights)
    mean = weights.detach().clone()
    for step in (1, 2):
        training.take_step()
        kept = step / (9 + step)
        mean = kept * mean + (1 - kept) * weights.detach()
        torch.testing.assert_close(training.mean[place], mean)
