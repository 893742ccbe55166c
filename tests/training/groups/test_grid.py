"""The runs of a grid differ in the chosen settings only; main effects are means; the published ones
come out of the published cells.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.errors import BadInput
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.grid import (
    combinations,
    grid_table,
    main_effects,
    sample_splits,
    start_grid,
    varied,
)
from bertsent.training.groups.published import FACTORIAL, published_factorial
from bertsent.training.groups.run_group import MemberState, list_groups
from bertsent.training.runs import launcher
from bertsent.training.runs.accuracy import run_answers
from tests.conftest import wait_until
from tests.training.workers import Workers

BASE = TrainingConfig(epochs=1, batch_size=8, max_length=32, kept_checkpoints=0, hidden_dropout=0.0)
LEVELS = {"pooling": ["cls", "mean"], "trains": ["everything", "head"]}


def test_the_published_main_effects_come_out_of_the_published_cells():
    effects = main_effects(published_factorial(), list(FACTORIAL), "mean").set_index(
        ["factor", "level"]
    )["mean"]
    printed = {
        "CLS": (0.693, 0.661),
        "SW": (0.644, 0.710),
        "WL": (0.679, 0.675),
        "ED": (0.672, 0.682),
    }  # without, with
    for factor, (without, having) in printed.items():
        assert effects[factor, False] == pytest.approx(without, abs=6e-4), factor
        assert effects[factor, True] == pytest.approx(having, abs=6e-4), factor


def test_main_effects_are_the_means_of_the_levels():
    table = pd.DataFrame(
        {"a": [0, 0, 1, 1], "b": ["x", "y", "x", "y"], "r": [1.0, 2.0, 4.0, np.nan]}
    )
    found = main_effects(table, ["a", "b"], "r")
    assert found[["factor", "level", "mean", "low", "high", "cells"]].values.tolist() == [
        ["a", 0, 1.5, 1.0, 2.0, 2],
        ["a", 1, 4.0, 4.0, 4.0, 1],
        ["b", "x", 2.5, 1.0, 4.0, 2],
        ["b", "y", 2.0, 2.0, 2.0, 1],
    ]
    assert varied([{"a": 1, "b": 2}, {"a": 1, "b": 3}]) == ["b"]


def test_combinations_differ_in_the_factors_only_and_are_bounded():
    found = combinations(BASE, {**LEVELS, "seed": [1, 2]})
    assert len(found) == len(set(found)) == 8
    for config in found:
        assert {name: getattr(config, name) for name in ("epochs", "batch_size", "head_lr")} == {
            "epochs": 1,
            "batch_size": 8,
            "head_lr": 1e-3,
        }
    for levels in (
        {"colour": ["red"]},
        {"pooling": []},
        {"seed": list(range(25))},
        {"pooling": ["sum"]},
    ):
        with pytest.raises(BadInput):
            combinations(BASE, levels)


def test_a_sample_has_as_many_of_each_label_and_keeps_to_its_part():
    reviews = load_reviews("builtin", contrastive=False)
    whole, found = split(reviews), sample_splits(reviews, 40)
    assert Counter(found.train.labels) == {0: 20, 1: 20} and len(found.validation) == 500
    assert {e.id for e in found.train} <= {e.id for e in whole.train}
    assert {e.id for e in found.validation} <= {e.id for e in whole.validation}
    assert sample_splits(reviews, 40).sha256 == found.sha256, "seeded"


@pytest.mark.slow
def test_a_grid_trains_all_its_runs_is_found_again_and_is_compared(
    lab, tiny_backbone, toy_reviews, monkeypatch
):
    workers = Workers()
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    try:
        begun = start_grid(split(toy_reviews), BASE, LEVELS, source="toy", model=str(tiny_backbone))
        (again,) = list_groups()  # from disk, as another app would
        assert again == begun and len(again.found()) == 4
        configs = [run.config for _, run in again.found()]
        assert len({c.data.sha256 for c in configs}) == 1
        assert varied([vars(c.training) for c in configs]) == ["pooling", "trains"]
        wait_until(lambda: not any(run.alive() for _, run in again.found()))
    finally:
        workers.end()
    reviews = split(toy_reviews).validation
    states = [MemberState(m, run, run.history(), run.status()) for m, run in again.found()]
    answers = {s.run.id: run_answers(s.run, s.history, reviews) for s in states}
    table = grid_table(again, states, answers)
    assert set(table["state"]) == {"finished"}
    for row, state in zip(table.itertuples(), states, strict=True):
        assert row.accuracy == pytest.approx(state.history.evaluations[-1].accuracy)
        assert row.low < row.accuracy < row.high or row.accuracy in (0, 1)
    assert table.loc[table["trains"] == "head", "parameters"].unique().tolist() == [2 * 32 + 2]
