"""A lab's runs differ in the chosen settings only; main effects are means; the published ones come
out of the published cells.
"""

import numpy as np
import pandas as pd
import pytest

from bertsent.data.splits import split
from bertsent.errors import BadInput
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.effects import FACTORS, main_effects, published, varied
from bertsent.training.groups.grid import combinations, list_labs, results, start_lab
from bertsent.training.runs import launcher
from tests.conftest import wait_until
from tests.training.workers import Workers

BASE = TrainingConfig(epochs=1, batch_size=8, max_length=32, kept_checkpoints=0, hidden_dropout=0.0)
LEVELS = {"pooling": ["cls", "mean"], "trains": ["everything", "head"]}


def test_the_published_main_effects_come_out_of_the_published_cells():
    effects = main_effects(published(), FACTORS, "mean").set_index(["factor", "level"])["mean"]
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


@pytest.mark.slow
def test_a_lab_trains_all_its_runs_is_found_again_and_is_compared(
    lab, tiny_backbone, toy_reviews, monkeypatch
):
    workers = Workers()
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    try:
        begun = start_lab(split(toy_reviews), BASE, LEVELS, source="toy", model=str(tiny_backbone))
        (again,) = list_labs()  # from disk, as another app would
        assert again == begun and len(again.found()) == 4
        configs = [run.config for run in again.found()]
        assert len({c.data.sha256 for c in configs}) == 1
        assert varied([vars(c.training) for c in configs]) == ["pooling", "trains"]
        wait_until(lambda: not any(run.alive() for run in again.found()), 120)
        table = results(again)
        assert set(table["state"]) == {"finished"} and table["accuracy"].notna().all()
        assert table.loc[table["trains"] == "head", "parameters"].unique().tolist() == [2 * 32 + 2]
    finally:
        workers.end()


def test_a_damaged_group_is_left_out(lab):
    folder = lab / "labs"
    folder.mkdir()
    for name, text in (
        ("a-b-lab", "{"),
        ("../x-lab", "[]".replace("/", "")),
        ("c-d-lab", '{"name": "other"}'),
    ):
        (folder / f"{name.replace('/', '')}.json").write_text(text)
    assert list_labs() == []
