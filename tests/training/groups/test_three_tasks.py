"""The experiment on three tasks: which rows and settings each run has, and what its table says."""

from collections import Counter
from dataclasses import replace

import pytest

from bertsent.data.no_opinion import no_opinion
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import load
from bertsent.tasks.mixed import THREE_TASKS, WEIGHTED
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.published import FACTORIAL, published_factorial
from bertsent.training.groups.run_group import MemberState, list_groups
from bertsent.training.groups.three_tasks import (
    PRINTED,
    TaskSets,
    combinations_of,
    configuration_name,
    small_task_sets,
    start_three_tasks,
    tasks_table,
    three_task_splits,
    training_with,
)
from bertsent.training.runs import launcher
from tests.conftest import wait_until
from tests.own_mixture import pair_sets, steps_set
from tests.training.workers import Workers

BASE = TrainingConfig(
    epochs=1, batch_size=12, epoch_rows=36, max_length=32, encoder_lr=3e-3, head_lr=1e-2
)


def test_the_sixteen_runs_are_those_of_the_printed_table_in_its_order() -> None:
    found = [{name: name in on for name in PRINTED} for on in combinations_of(PRINTED)]
    assert found == published_factorial()[list(FACTORIAL)].to_dict("records")
    names = [configuration_name(on, PRINTED) for on in combinations_of(PRINTED)]
    assert names[6] == "!CLS, SW, WL, !ED" and len(set(names)) == 16
    assert all({"JS", "FF"} <= on for on in combinations_of(PRINTED))


@pytest.mark.parametrize("factors", [(), ("CLS", "XY"), ("CLS", "SW", "WL", "ED", "JS")])
def test_impossible_factors_are_refused(factors) -> None:
    with pytest.raises(BadInput):
        combinations_of(factors)


def test_every_setting_does_what_it_says() -> None:
    off = training_with(BASE, ())
    assert (off.pooling, off.heads) == ("mean", "linear")
    assert not off.share_pairs and not off.jaccard
    on = training_with(BASE, ("CLS", "SW", "JS", "FF"))
    assert (on.pooling, on.share_pairs, on.jaccard) == ("cls", True, True)
    assert on.heads == "feed-forward" and replace(on, **vars(off)) == off


def test_extra_data_is_trained_on_alone_and_leaves_the_questions_as_they_are() -> None:
    sets = small_task_sets()
    plain, more = three_task_splits(sets, ()), three_task_splits(sets, ("ED", "WL"))
    assert plain.train.task == THREE_TASKS and more.train.task == WEIGHTED
    assert plain.validation.examples == more.validation.examples
    added = more.train.examples[len(plain.train) :]
    assert {(e.part, e.label) for e in added} == {("five-steps", 2)}
    assert len(added) == sum(e.split == "train" for e in no_opinion())
    held = {e.text for e in plain.validation}
    assert not held & {e.text for e in added}
    counts = Counter(e.part for e in plain.validation)
    assert counts["paraphrase"] == counts["similarity"] > 60 < counts["five-steps"]


def test_without_extra_data_it_cannot_be_a_factor() -> None:
    sets = TaskSets((steps_set(), *pair_sets()))
    with pytest.raises(BadInput):
        three_task_splits(sets, ("ED",))


@pytest.mark.slow
def test_a_group_trains_all_its_runs_and_is_found_again(lab, tiny_backbone, monkeypatch) -> None:
    workers = Workers()
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    sets = TaskSets((steps_set(), *pair_sets()))
    try:
        begun = start_three_tasks(sets, BASE, ("CLS", "SW"), model=str(tiny_backbone))
        (again,) = list_groups()
        assert again == begun and again.kind == "tasks" and len(again.found()) == 4
        wait_until(lambda: not any(run.alive() for _, run in again.found()))
    finally:
        workers.end()
    states = [MemberState(m, run, run.history(), run.status()) for m, run in again.found()]
    table = tasks_table(again, states)
    assert set(table["state"]) == {"finished"}
    assert table[["CLS", "SW"]].to_numpy().tolist() == [[a, b] for a in (0, 1) for b in (0, 1)]
    means = table[["SST", "PARA", "STS"]].mean(axis=1)
    assert table["mean"].tolist() == pytest.approx(means.tolist())
    for row, state in zip(table.itertuples(), states, strict=True):
        training = state.run.config.training
        assert (training.pooling == "cls", training.share_pairs) == (row.CLS, row.SW)
        assert load(row.run).part("paraphrase").answers([("a", "b")]).shape == (1, 2)
