"""From the weights of a multitask training to the folder that ships."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.special import expit
from sklearn.metrics import f1_score, recall_score

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.probing.loaded_model import load_head
from bertsent.recipe import task_heads, task_scores
from bertsent.recipe.task_heads import TRAINED, head_of_state, measure_heads, release_heads
from bertsent.recipe.task_scores import score_rows
from bertsent.recipe.task_sets import held_out_sets, own_tests
from bertsent.statistics import wilson_interval
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS
from tests.recipe.task_tables import write_task_tables

ALPHABETICAL = "anger anticipation disgust fear joy love optimism pessimism sadness surprise trust"


EARLIER = {
    "five-steps": "sst",
    "aspects": "asp",
    "feelings": "emo",
    "similarity": "sts",
    "paraphrase": "par",
}


@pytest.fixture(scope="module")
def state():
    """What a training saves: the encoder, and heads of as many logits as it had."""
    random = torch.Generator().manual_seed(3)
    sizes = {"five-steps": 5, "aspects": 3, "feelings": 11, "similarity": 1, "paraphrase": 1}
    bert = load_backbone("builtin").model.state_dict()
    return {f"bert.{name}": value for name, value in bert.items()} | {
        f"heads.{key}.{part}": torch.randn(shape, generator=random)
        for key, size in sizes.items()
        for part, shape in (("weight", (size, 384)), ("bias", (size,)))
    }


def test_feelings_keep_their_names_in_another_order(state):
    bias = head_of_state(state, "feelings")[1]
    by_name = dict(zip(ALPHABETICAL.split(), state["heads.feelings.bias"].tolist(), strict=True))
    assert [by_name[label] for label in FEELINGS.labels] == bias.tolist()


def test_two_logits_give_the_probability_of_one(state):
    weight, bias = head_of_state(state, "paraphrase")
    vector = torch.randn(4, 384)
    pair = (vector @ weight.T + bias).softmax(-1)[:, 1]
    one_weight, one_bias = (state[f"heads.paraphrase.{part}"] for part in ("weight", "bias"))
    one = (vector @ one_weight.T + one_bias)[:, 0]
    np.testing.assert_allclose(pair.numpy(), expit(one.numpy()), atol=1e-6)


def test_weights_without_a_head_are_refused():
    with pytest.raises(BadInput, match="five-steps"):
        head_of_state({}, "five-steps")


def test_heads_of_earlier_trainings_are_read(state):
    """They had the names of data sets."""
    earlier = {
        key.replace(f".{name}.", f".{EARLIER[name]}."): value
        for name in EARLIER
        for key, value in state.items()
        if key.startswith(f"heads.{name}.")
    }
    assert "heads.sst.bias" in earlier and len(earlier) == 2 * len(TRAINED)
    for name in TRAINED:
        for now, then in zip(*(head_of_state(s, name) for s in (state, earlier)), strict=True):
            assert torch.equal(now, then)


def test_it_writes_scores_and_a_card(state, tmp_path, monkeypatch):
    few = [reviews.take(range(12)) for reviews in own_tests()[:3]]
    monkeypatch.setattr(task_heads, "held_out_sets", lambda folder: few)
    monkeypatch.setattr(task_scores, "RESAMPLES", 20)
    torch.save(state, tmp_path / "weights.pt")
    (tmp_path / "weights.md").write_text("It took 7 steps.", encoding="utf-8")
    lines = list(release_heads(tmp_path / "weights.pt", tmp_path, tmp_path / "tasks"))
    assert lines[-1] == f"Written: {tmp_path / 'tasks'}"
    scores = pd.read_csv(tmp_path / "tasks" / "scores.csv")
    assert set(scores["task"]) == {"five-steps", "aspects"}
    assert (scores["low"] <= scores["high"]).all()
    card = (tmp_path / "tasks" / "README.md").read_text(encoding="utf-8")
    assert all(f"{value:.3f}" in card for value in scores["value"]) and "7 steps" in card
    assert sum(file.stat().st_size for file in (tmp_path / "tasks").iterdir()) <= 25_000_000
    for task in TRAINED.values():
        assert load_head(tmp_path / "tasks", task.name).task == task
    (tmp_path / "tasks" / "scores.csv").unlink()
    list(measure_heads(tmp_path / "tasks", tmp_path))
    assert (tmp_path / "tasks" / "README.md").read_text(encoding="utf-8") == card
    assert pd.read_csv(tmp_path / "tasks" / "scores.csv").equals(scores)


class Answers:
    """A model whose answers are given."""

    def __init__(self, task, answers):
        self.task, self._answers = task, np.asarray(answers)

    def answers(self, inputs):
        return self._answers


def test_scores_are_those_of_scikit_learn(monkeypatch):
    monkeypatch.setattr(task_scores, "RESAMPLES", 200)
    random = np.random.default_rng(0)
    truth = [2, 0, 4, 2, 1, 3, 2, 0]
    probabilities = random.dirichlet(np.ones(5), 8)
    rows = tuple(Example(f"e{i}", f"text {i}", label) for i, label in enumerate(truth))
    reviews = Reviews("steps", rows, task=FIVE_STEPS)
    found = {row["metric"]: row for row in score_rows(Answers(FIVE_STEPS, probabilities), reviews)}
    given = probabilities.argmax(1)
    right = int((given == truth).sum())
    assert found["accuracy"]["value"] == right / 8
    low, high = wilson_interval(right, 8)
    assert (found["accuracy"]["low"], found["accuracy"]["high"]) == pytest.approx((low, high))
    assert found["neutral recall"]["n"] == 3
    assert found["macro_f1"]["value"] == pytest.approx(
        f1_score(truth, given, labels=range(5), average="macro", zero_division=0)
    )


def test_of_aspects_the_recall_of_each_label_is_that_of_scikit_learn(monkeypatch):
    monkeypatch.setattr(task_scores, "RESAMPLES", 20)
    truth, given = [0, 2, 1, 2, 0, 2, 1, 2], [0, 2, 2, 1, 0, 2, 1, 2]
    rows = tuple(
        Example(f"e{i}", f"soup {i}", label, second="soup") for i, label in enumerate(truth)
    )
    reviews = Reviews("restaurants", rows, task=ASPECTS)
    answers = Answers(ASPECTS, np.eye(3)[given])
    found = {row["metric"]: row["value"] for row in score_rows(answers, reviews)}
    recalls = recall_score(truth, given, average=None).tolist()
    assert [found[f"{label} recall"] for label in ASPECTS.labels] == recalls


def test_the_project_s_own_feelings_are_judged_on_their_eight(monkeypatch):
    monkeypatch.setattr(task_scores, "RESAMPLES", 5)
    reviews = next(each for each in own_tests() if "feelings" in each.name)
    truth = np.array(reviews.targets) > 0
    answers = np.zeros((len(reviews), 11))
    answers[:, [FEELINGS.labels.index(label) for label in reviews.task.labels]] = truth
    answers[:, FEELINGS.labels.index("love")] = 1  # which the set does not ask
    found = {row["metric"]: row["value"] for row in score_rows(Answers(FEELINGS, answers), reviews)}
    assert found == {"jaccard": 1.0, "micro_f1": 1.0}


def test_the_public_sets_are_read_by_their_columns(tmp_path):
    with pytest.raises(NotAvailable, match="sst_dev"):
        held_out_sets(tmp_path)
    sets = {reviews.name: reviews for reviews in held_out_sets(write_task_tables(tmp_path))}
    assert sets["SST-5, development"].targets == [3]
    assert sets["STS-B, development"].targets == [4.5, 0.0]
    assert sets["Restaurants, held out"].inputs == [("soup", "Nice soup.")]
    assert sets["Restaurant categories, held out"].inputs == [("food", "Nice soup.")]
    assert len(sets["PAWS-Wiki, held out"]) == 2
    assert sets["SemEval-2018 E-c, development"].targets == [[1.0] * 11, [0.0] * 11]
