"""The training of the recipe: it learns from what nobody is judged on, goes on after a kill as if
nothing had been, and what it writes can be shipped.
"""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import expit, log_expit

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.recipe.learned_rows import BatchStream, LearnedRows
from bertsent.recipe.learning import SetLearning, learn
from bertsent.recipe.losses import HEAD_KINDS, PAIR_SHARE, pair_order
from bertsent.recipe.plan import Plan, Stage
from bertsent.recipe.task_heads import TRAINED, head_of_state
from bertsent.recipe.task_plan import LEARN_FROM, TASKS_PLAN, task_rows
from bertsent.recipe.task_sets import held_out_sets, learned_sets
from bertsent.tasks.catalogue import FEELINGS
from tests.recipe.task_tables import PAWS_LEARNED, write_task_tables

STAGE = replace(TASKS_PLAN.stages[0], steps=4)
PLAN = replace(TASKS_PLAN, stages=(STAGE,), batch_size=2, save_every=2, towards_sentiment=0.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_task_tables(tmp_path_factory.mktemp("public"))


@pytest.fixture(scope="module")
def sets(data):
    return task_rows(learned_sets(data))


def pairs_of(*sides: tuple[str, str, float]) -> LearnedRows:
    """Rows of one text each: (text, pair, how positive)."""
    truth = np.array([positive for _, _, positive in sides])
    inputs = [(text, "") for text, _, _ in sides]
    return LearnedRows(inputs, {"sentiment": truth}, [pair for _, pair, _ in sides])


def test_nothing_is_learned_that_is_judged(data) -> None:
    learned = learned_sets(data)
    drawn = set().union(*(stage.shares for stage in TASKS_PLAN.stages))
    assert set(learned) == set(LEARN_FROM) == drawn
    for stage in TASKS_PLAN.stages:
        assert math.isclose(sum(stage.shares.values()), 1), stage.name
    assert set(LEARN_FROM.values()) == set(TASKS_PLAN.heads) == set(TRAINED)
    assert learned["terms"].inputs == [("soup", "Cold soup.")] * 2
    assert learned["phrases"].texts == ["not so bad"] and len(learned["paws"]) == PAWS_LEARNED
    assert learned["sick"].targets == [5.0, 0.0]
    assert learned["categories"].inputs == [("food", "Cold soup.")]
    assert learned["sts swapped"].inputs == [(b, a) for a, b in learned["sts"].inputs]
    judged = {reviews.name: reviews for reviews in held_out_sets(data)}
    restaurants = {
        text
        for name in ("Restaurants, held out", "Restaurant categories, held out")
        for _, text in judged[name].inputs
    }
    for name in ("terms", "categories", "restaurants", "own aspects"):
        assert not restaurants & {text for _, text in learned[name].inputs}, name
    for name, reviews in judged.items():
        if name.startswith("Own"):
            assert not set(reviews.inputs) & {i for rows in learned.values() for i in rows.inputs}


def loss(kind: str, logits: torch.Tensor, targets: torch.Tensor) -> float:
    return HEAD_KINDS[kind].loss(logits, targets).item()


def test_losses_by_hand() -> None:
    z, ones = np.array([0.3, -2.0]), torch.tensor([1.0, 1.0])
    logits = torch.tensor(z[:, None], dtype=torch.float)
    assert loss("one logit", logits, ones) == pytest.approx(-log_expit(z).mean())
    assert loss("rating to 5", logits, ones) == pytest.approx(6 * ((expit(z) - 0.2) ** 2).mean())
    assert loss("eleven labels", logits, ones[:, None]) == pytest.approx(-2 * log_expit(z).mean())
    five = loss("five classes", torch.zeros(2, 5), torch.tensor([0.0, 4.0]))
    assert five == pytest.approx(math.log(5))


def test_a_text_that_judges_nothing_is_best_answered_even() -> None:
    """The loss is that of torch's smoothed cross-entropy where a label is sure, and least at one
    half where none is.
    """
    logits = torch.tensor([[0.2, 1.7], [-1.0, 0.4]])
    sure = torch.nn.functional.cross_entropy(logits, torch.tensor([1, 0]), label_smoothing=0.03)
    assert loss("two labels", logits, torch.tensor([1.0, 0.0])) == pytest.approx(sure.item())
    undecided = torch.tensor([0.5])
    even, leaning = (torch.tensor([[0.0, z]]) for z in (0.0, 0.4))
    assert loss("two labels", even, undecided) < loss("two labels", leaning, undecided)


def test_the_order_of_a_pair_by_hand() -> None:
    logits = torch.tensor([[0.0, 1.0], [0.0, 0.5], [0.0, -3.0]])
    found = pair_order(logits, torch.tensor([[0, 1], [2, 1]]))
    expected = np.mean([math.log1p(math.exp(0.5)), math.log1p(math.exp(-3.5))])
    assert found.item() == pytest.approx(expected)


def test_both_sides_of_a_pair_come_in_one_batch_with_the_negative_first() -> None:
    rows = pairs_of(
        ("a good film", "x", 1.0), ("a bad film", "x", 0.0), ("so", "", 0.5), ("fine", "y", 1.0)
    )
    stream = BatchStream(rows, load_backbone("builtin").tokenizer, longest=16, batch_size=4, seed=1)
    batch = stream.next()
    texts = [rows.inputs[place][0] for place in batch.tokens.positions]
    assert [[texts[side] for side in pair] for pair in batch.sides.tolist()] == [
        ["a bad film", "a good film"]
    ]
    assert sorted(batch.targets["sentiment"].tolist()) == [0, 0.5, 1, 1]


def test_a_step_adds_the_order_of_pairs_to_the_labels() -> None:
    stage = Stage("s", 2, {"pairs": 1.0}, longest=16, encoder_lr=0.0, head_lr=0.0, sets_a_step=1)
    plan = Plan({"sentiment": "two labels"}, (stage,), "cls", batch_size=2)
    rows = pairs_of(("a good film", "x", 1.0), ("a bad film", "x", 0.0))
    training = SetLearning({"pairs": rows}, plan, stage)
    training.model.eval()
    batch = training.streams["pairs"].next()
    both = training.loss(batch).item()
    single = training.loss(replace(batch, sides=batch.sides[:0])).item()
    assert both > single and both - single < PAIR_SHARE * 5


def test_feelings_are_learned_in_alphabetical_order(sets) -> None:
    targets = SetLearning(sets, PLAN, STAGE).streams["tweets"].next().targets["feelings"]
    anger = sorted(FEELINGS.labels).index("anger")
    rows = {tuple(row) for row in targets.tolist()}
    assert rows == {tuple(float(place != anger) for place in range(11))} | {
        tuple(float(place == anger) for place in range(11))
    }


@pytest.mark.slow
def test_a_killed_training_goes_on_as_if_nothing_had_been(sets, tmp_path) -> None:
    """In the second of two stages too, which begins with the average of the first."""
    second = replace(STAGE, name="second", longest=32, kept=0.5)
    plan = replace(PLAN, stages=(STAGE, second))
    straight, again = tmp_path / "a" / "weights.pt", tmp_path / "b" / "weights.pt"
    lines = list(learn(sets, plan, straight))
    assert len(lines) == 4 and not straight.with_suffix(".unfinished").exists()
    for kept in ("heads: step 2", "heads: step 4", "second: step 2"):  # killed after it saved
        assert next(learn(sets, plan, again)).startswith(kept)
    with pytest.raises(BadInput, match="begun with other data"):
        next(learn({**sets, "sts": sets["sick"]}, plan, again))
    list(learn(sets, plan, again))
    first, second = (torch.load(path, weights_only=True) for path in (straight, again))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    whole = tmp_path / "c" / "weights.pt"
    list(learn(sets, replace(plan, stages=(STAGE, replace(plan.stages[1], kept=1.0))), whole))
    before = torch.load(straight.with_name(f"{STAGE.name}.pt"), weights_only=True)
    after = torch.load(whole, weights_only=True)
    for name, weights in first.items():
        torch.testing.assert_close(weights, (before[name] + after[name]) / 2)
    log = [json.loads(line) for line in again.with_suffix(".jsonl").read_text().splitlines()]
    assert log[0] == {"sets": {name: rows.sha256() for name, rows in sets.items()}}
    assert [line["step"] for line in log[1:]] == [2, 4, 2, 4]
    for key, task in TRAINED.items():
        assert head_of_state(first, key)[0].shape == (task.outputs, 384)
    frozen = load_backbone("builtin").model.embeddings.state_dict()
    assert all(torch.equal(first[f"bert.embeddings.{n}"], value) for n, value in frozen.items())


def test_a_first_stage_has_nothing_to_keep_of_what_was_before() -> None:
    with pytest.raises(ValueError, match="no heads to mix"):
        replace(PLAN, stages=(replace(STAGE, kept=0.5),))


def test_the_average_is_that_of_all_weights_so_far(sets) -> None:
    training = SetLearning(sets, PLAN, replace(STAGE, steps=2))
    weights = training.heads["five-steps"].bias
    place = next(i for i, each in enumerate(training.learned) if each is weights)
    mean = weights.detach().clone()
    for step in (1, 2):
        training.take_step()
        kept = step / (9 + step)
        mean = kept * mean + (1 - kept) * weights.detach()
        torch.testing.assert_close(training.mean[place], mean)
