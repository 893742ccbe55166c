"""A/B runs: what is laid down, kept, read back and compared, and what happens when something is
missing.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.data.paired_splits import HANDCRAFTED, SARCASM
from bertsent.data.sources import contrastive_reviews
from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.probing.ab_comparison import changed_answers, compare_arms
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.curves.series import epoch_bands
from bertsent.training.events import Evaluated, Finished, Started, Stepped
from bertsent.training.groups import run_group
from bertsent.training.groups.ab import arm_pairs, start_ab_runs
from bertsent.training.groups.run_group import (
    MemberState,
    ask_all,
    list_groups,
    resume_all,
    seconds_left,
    unreadable_groups,
)
from bertsent.training.runs import launcher
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Status, delete_run, list_runs
from bertsent.training.runs.run_tables import epoch_rows
from tests.conftest import wait_until
from tests.training.workers import Workers

RECIPE = TrainingConfig(
    epochs=2, batch_size=7, max_length=32, encoder_lr=3e-3, head_lr=1e-2, save_seconds=86_400.0
)


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the runs that were launched; none of them has a worker."""
    names = []
    monkeypatch.setattr(run_group, "launch", lambda run: names.append(run.id))
    return names


def test_two_runs_per_seed_that_differ_in_the_chosen_rows_alone(lab, tiny_backbone, launched):
    group = start_ab_runs(
        "toy", RECIPE, times=7, seeds=3, model=str(tiny_backbone), sentinels=("no fun",)
    )
    assert [(m.arm, m.seed, m.times) for m in group.members] == [
        (arm, seed, times) for seed in (42, 43, 44) for arm, times in (("without", 0), ("with", 7))
    ]
    assert launched == [m.run for m in group.members], "in order, each pair together"
    assert Counter(m.arm for m in group.members) == {"without": 3, "with": 3}
    for (_, without), (_, having) in zip(group.found()[::2], group.found()[1::2], strict=True):
        one, other = without.splits(), having.splits()
        extra = Counter(e.text for e in other.train) - Counter(e.text for e in one.train)
        assert extra == Counter({e.text: 7 for e in contrastive_reviews()})
        assert not Counter(e.text for e in one.train) - Counter(e.text for e in other.train)
        assert one.validation == other.validation
        for field in ("training", "model", "model_sha256", "sentinels", "device"):
            assert getattr(without.config, field) == getattr(having.config, field)
        assert (without.config.data.contrastive_share, having.config.data.contrastive_share) == (
            0.0,
            0.5,
        )


def test_a_group_is_read_back_as_it_was(lab, tiny_backbone, launched):
    first = start_ab_runs("toy", RECIPE, rows=SARCASM, model=str(tiny_backbone))
    second = start_ab_runs("toy", replace(RECIPE, seed=7), times=10, model=str(tiny_backbone))
    assert list_groups() == [second, first]
    assert (second.seeds, second.times, second.rows, second.source, second.epochs) == (
        (7,),
        10,
        HANDCRAFTED,
        "toy",
        2,
    )


DAMAGE = {
    "torn": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "a list": lambda text: "[]",
    "no members": lambda text: json.dumps({**json.loads(text), "members": []}),
    "an unknown arm": lambda text: text.replace('"without"', '"beside"'),
    "a path for a name": lambda text: text.replace('"name": "', '"name": "../'),
    "a newer field": lambda text: json.dumps({**json.loads(text), "colour": "blue"}),
    "words for numbers": lambda text: text.replace('"seed": 42', '"seed": "42"'),
    "deep nesting": lambda text: "[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_spoils_nothing(lab, tiny_backbone, launched, damage):
    broken = start_ab_runs("toy", RECIPE, model=str(tiny_backbone))
    whole = start_ab_runs("toy", RECIPE, model=str(tiny_backbone))
    path = lab / "groups" / f"{broken.name}.json"
    path.write_text(DAMAGE[damage](path.read_text()))
    assert list_groups() == [whole] and unreadable_groups() == [broken.name]


def test_deleted_members_are_named_and_a_namesake_is_not_taken_for_one(
    lab, tiny_backbone, launched
):
    group = start_ab_runs("toy", RECIPE, seeds=2, model=str(tiny_backbone))
    gone, other = group.found()[0][1], group.found()[3][1]
    delete_run(gone)
    assert group.lost() == (gone.id,) and [m.run for m, _ in group.found()] == [
        m.run for m in group.members[1:]
    ]
    delete_run(other)
    config = replace(group.found()[0][1].config, id=other.id)
    other.folder.mkdir()
    config.save(other.folder / "config.json")
    assert other.id in group.lost(), "another run under its name"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": 0}, "0 seeds"),
        ({"seeds": 6}, "6 seeds"),
        ({"seeds": True}, "True seeds"),
        ({"times": 0}, "repeated 0 times"),
        ({"rows": "irony"}, "irony"),
        ({"model": "nowhere/no-such"}, "not on this machine"),
        ({"source": "nothing.csv"}, "nothing.csv"),
        ({"training": replace(RECIPE, max_length=512)}, "512"),
        ({"training": replace(RECIPE, seed=2**32 - 1), "seeds": 2}, "seed cannot be"),
    ],
)
def test_what_is_wrong_is_found_before_anything_is_written(
    lab, tiny_backbone, launched, change, said
):
    with pytest.raises((BadInput, NotAvailable), match=said):
        start_ab_runs(
            **{"source": "toy", "training": RECIPE, "model": str(tiny_backbone), **change}
        )
    assert not list_runs() and not launched and not list_groups()


@pytest.mark.parametrize("step", ["write_note", "_save"])
def test_a_full_disk_leaves_nothing_behind(lab, tiny_backbone, launched, monkeypatch, step):
    """The file of the group was saved before the notes: a disk that filled up in between left a
    group of deleted runs.
    """

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_group, step, full)
    with pytest.raises(NotAvailable, match="No space left"):
        start_ab_runs("toy", RECIPE, model=str(tiny_backbone))
    assert not list_runs() and not launched
    assert not list_groups() and not [f for f in lab.rglob("*") if f.suffix == ".json"]


def test_who_cancels_while_runs_are_prepared_keeps_none(lab, tiny_backbone, launched):
    told: list[float] = []

    def progress(share: float) -> None:
        told.append(share)
        if share > 0.5:
            raise Cancelled("Nobody wants it any more.", "")

    with pytest.raises(Cancelled):
        start_ab_runs("toy", RECIPE, seeds=2, model=str(tiny_backbone), progress=progress)
    assert told == [0.25, 0.5, 0.75]
    assert not list_runs() and not list_groups() and not launched


def _history(
    losses: list[float], *, begun: float = 0.0, spe: int = 2, done: bool = True
) -> History:
    """A run of so many epochs, a second a step."""
    started = Started(
        step=0,
        time=begun,
        total_steps=spe * 4,
        steps_per_epoch=spe,
        epochs=4,
        train_rows=8,
        validation_rows=4,
        tokens_per_epoch=1,
        trainable=1,
        parameters=1,
        device="cpu",
        precision="fp32",
    )
    events = [started]
    for epoch, loss in enumerate(losses, start=1):
        for step in range((epoch - 1) * spe + 1, epoch * spe + 1):
            events.append(
                Stepped(
                    step=step,
                    time=begun + step,
                    epoch=step / spe,
                    loss=loss,
                    accuracy=0.5,
                    learning_rate=0,
                    head_learning_rate=0,
                    grad_norm=1,
                    tokens=1,
                    tokens_per_second=1,
                    seconds=float(step),
                    eta_seconds=0,
                )
            )
        events.append(
            Evaluated(
                step=epoch * spe,
                time=begun + epoch * spe,
                epoch=epoch,
                loss=loss,
                accuracy=1 - loss,
                macro_f1=0,
                seconds=0,
                train_loss=loss,
                train_accuracy=0.5,
            )
        )
    if done:
        events.append(Finished(step=len(losses) * spe, time=begun + len(losses) * spe, seconds=1.0))
    return History().add(events)


def test_bands_reach_from_the_lowest_to_the_highest_seed():
    losses = {
        ("without", 1): [0.6, 0.5],
        ("without", 2): [0.8, 0.1],
        ("without", 3): [0.7, 0.3],
        ("with", 1): [0.4],
    }
    rows = pd.concat(
        [
            epoch_rows(_history(values)).assign(arm=arm, seed=seed)
            for (arm, seed), values in losses.items()
        ]
    )
    found = epoch_bands(rows, "val_loss").set_index(["arm", "epoch"])
    assert found.loc[("without", 1), ["mean", "low", "high", "seeds"]].tolist() == pytest.approx(
        [0.7, 0.6, 0.8, 3]
    )
    assert found.loc[("without", 2), ["mean", "low", "high", "seeds"]].tolist() == pytest.approx(
        [0.3, 0.1, 0.5, 3]
    )
    assert found.loc[("with", 1), ["low", "high", "seeds"]].tolist() == [0.4, 0.4, 1]


def test_the_time_left_is_measured_with_the_loading_of_runs_to_come():
    done, begun = _history([0.5] * 4, begun=100.0), _history([0.5, 0.4], begun=115.0, done=False)
    states = [
        (done, Status("finished")),
        (begun, Status("running")),
        (History(), Status("queued", 1)),
    ]
    loading = 115.0 - (100.0 + 8)
    assert seconds_left(states, [8, 8, 8]) == pytest.approx(4 + 8 + loading)
    assert seconds_left([(History(), Status("queued"))], [8]) is None


def test_pairs_are_compared_after_the_last_epoch_that_both_have_done(lab, tiny_backbone, launched):
    group = start_ab_runs("toy", RECIPE, seeds=2, model=str(tiny_backbone))
    states = []
    for (member, run), epochs in zip(group.found(), (4, 2, 3, 0), strict=True):
        history = _history([0.5] * epochs)
        for evaluation in history.evaluations:
            run.save_scores(evaluation.step, np.full(15, evaluation.step / 100))
        states.append(MemberState(member, run, history, Status("paused")))
    (pair,) = arm_pairs(states)
    assert (pair.seed, pair.epoch, pair.steps) == (42, 2, (4, 4))
    assert pair.models == tuple(f"{member.run}/step-4" for member in group.members[:2])
    assert [p[0] for p in pair.answers] == [0.04, 0.04]
    assert arm_pairs(states[1:]) == [], "a run without the other arm is not compared"


def test_live_runs_are_asked_and_those_not_done_are_launched(
    lab, tiny_backbone, launched, monkeypatch
):
    group = start_ab_runs("toy", RECIPE, model=str(tiny_backbone))
    (_, without), (_, having) = group.found()
    ask_all([without, having], "pause")
    assert without.requested() == having.requested() == "", "nobody lives"
    monkeypatch.setattr(type(without), "alive", lambda run: run.id == having.id)
    ask_all([without, having], "pause")
    assert (without.requested(), having.requested()) == ("", "pause")
    launched.clear()
    resume_all([without, having])
    assert launched == [without.id]


@pytest.mark.slow
def test_toy_ab_runs_from_the_start_to_the_report(
    lab: Path, tiny_backbone: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
):
    """Two seeds on the tiny BERT: four workers that wait for each other, then curves, pairs, flips
    and a sentence.
    """
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    group = start_ab_runs(
        "toy", RECIPE, times=7, seeds=2, model=str(tiny_backbone), sentinels=("no fun",)
    )
    runs = [run for _, run in group.found()]
    wait_until(lambda: all(run.status().state == "finished" for run in runs), 240, every=0.5)
    histories = [run.history() for run in runs]
    assert [h.started.steps_per_epoch for h in histories] == [8, 16, 8, 16], (
        "as in the published figures"
    )
    spans = sorted((h.started.time, h.last.time) for h in histories)
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:], strict=False)), (
        "one at a time"
    )
    pairs = arm_pairs(
        [MemberState(m, run, run.history(), run.status()) for m, run in group.found()]
    )
    assert [(pair.seed, pair.epoch) for pair in pairs] == [(42, 2), (43, 2)]
    reviews = runs[0].splits().validation
    without, having = (
        np.stack(sides) for sides in zip(*(pair.answers for pair in pairs), strict=True)
    )
    found = compare_arms(reviews, without, having)
    assert found.n == 15 and len(found.by_seed) == 2
    accuracies = [h.evaluations[-1].accuracy for h in histories]
    assert found.by_seed == pytest.approx(
        [accuracies[1] - accuracies[0], accuracies[3] - accuracies[2]]
    )
    for pair in pairs:
        changed = {
            e.id for e, a, b in zip(reviews, *pair.answers, strict=True) if (a > 0.5) != (b > 0.5)
        }
        assert set(changed_answers(reviews, *pair.answers, pair.seed)["id"]) == changed
    assert str(found.n) in found.sentence("validation reviews")


@pytest.mark.slow
def test_all_runs_stop_when_asked_keep_what_they_have_and_are_resumed(
    lab: Path, tiny_backbone: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
):
    """The one that trains stops after its step and keeps its weights; those that wait never begin;
    resumed, all come to their end.
    """
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    long = replace(RECIPE, epochs=20)
    group = start_ab_runs("toy", long, times=7, seeds=1, model=str(tiny_backbone))
    runs = [run for _, run in group.found()]
    wait_until(lambda: runs[0].history().step > 3, 240, every=0.1)
    ask_all(runs, "stop")
    wait_until(lambda: not any(run.alive() for run in runs), every=0.2)
    assert [run.status().state for run in runs] == ["stopped", "stopped"]
    reached = runs[0].history().step
    assert 3 < reached < 160 and list_checkpoints(runs[0].checkpoints)[-1].name == f"step-{reached}"
    assert runs[1].history().step == 0
    resume_all(runs)
    wait_until(lambda: all(run.status().state == "finished" for run in runs), 240, every=0.5)
    assert (
        [run.history().step for run in runs]
        == [run.history().started.total_steps for run in runs]
        == [160, 320]
    )
