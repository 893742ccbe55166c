"""Twin curves: three seeds are three lines an arm, the band is lowest to highest, and nothing but
the data changes while they live.
"""

import numpy as np
import pandas as pd
import pytest

from bertsent.figures.paired_runs import (
    ARM_COLOURS,
    TITLES,
    paired_run_curves,
    slice_intervals,
)
from bertsent.training.curves.series import epoch_bands
from bertsent.training.groups.published import PUBLISHED
from bertsent.training.runs.run_tables import MEASURES


def rows(seeds: int, epochs: int = 4) -> pd.DataFrame:
    chance = np.random.default_rng(1)
    found = [
        {
            "arm": arm,
            "seed": seed,
            "epoch": epoch,
            **dict(zip(MEASURES, chance.random(4), strict=True)),
        }
        for arm in ARM_COLOURS
        for seed in range(seeds)
        for epoch in range(epochs + 1)
    ]
    table = pd.DataFrame(found)
    table.loc[table["epoch"] == 0, ["loss", "accuracy"]] = np.nan
    return table


def layers(chart) -> dict[str, list[dict]]:
    """The rows that each kind of mark draws, in order of the layers."""
    made = chart.to_dict()
    return [
        (layer["mark"]["type"], made["datasets"][layer["data"]["name"]], layer["encoding"])
        for layer in made["layer"]
    ]


@pytest.mark.parametrize("measure", TITLES)
def test_three_seeds_are_three_curves_an_arm(measure):
    chart = paired_run_curves(rows(3), epochs=4)[measure]
    each = next(
        data for mark, data, encoding in layers(chart) if mark == "line" and "detail" in encoding
    )
    drawn = pd.DataFrame(each).groupby("arm")["seed"].nunique()
    assert drawn.to_dict() == {"without": 3, "with": 3}
    assert all(row[measure] is not None for row in each), "what is missing is not drawn"


def test_the_band_and_the_mean_line_are_those_of_the_seeds():
    table = rows(3)
    chart = paired_run_curves(table, epochs=4)["val_accuracy"]
    band = next(data for mark, data, _ in layers(chart) if mark == "area")
    assert len(band) == 2 * 5
    for row in band:
        here = table.query("arm == @row['arm'] and epoch == @row['epoch']")["val_accuracy"]
        assert (row["low"], row["high"], row["seeds"]) == (here.min(), here.max(), 3)
        assert row["mean"] == pytest.approx(here.mean())


def test_one_seed_has_no_band():
    chart = paired_run_curves(rows(1), epochs=4)["loss"]
    assert next(data for mark, data, _ in layers(chart) if mark == "area") == []


def test_an_epoch_that_not_every_seed_has_come_to_says_how_many():
    table = rows(3)
    found = epoch_bands(table[~((table["seed"] == 2) & (table["epoch"] == 4))], "val_loss")
    assert found.query("epoch == 4")["seeds"].tolist() == [2, 2]


def test_the_published_figures_are_drawn_as_printed():
    printed = pd.concat([run.rows().assign(arm=arm) for arm, run in PUBLISHED.items()])
    chart = paired_run_curves(rows(1, 6), epochs=6, published=printed)["val_accuracy"]
    broken = next(data for mark, data, encoding in reversed(layers(chart)) if mark == "line")
    assert [row["val_accuracy"] for row in broken if row["arm"] == "without"] == [
        0.6923,
        0.6923,
        0.9231,
        0.9462,
        0.9231,
        0.5385,
    ]


@pytest.mark.parametrize("measure", TITLES)
def test_only_the_data_change_while_the_runs_live(measure):
    def specification(table: pd.DataFrame) -> dict:
        made = paired_run_curves(table, epochs=4)[measure].to_dict()
        made.pop("datasets")
        for layer in made["layer"]:
            layer.pop("data"), layer.pop("name", None)
        return made

    whole = rows(3)
    assert (
        specification(whole) == specification(whole[whole["epoch"] < 2]) == specification(whole[:0])
    )


def test_slices_show_their_intervals():
    table = pd.DataFrame(
        [(arm, "sarcasm", 10, 5, 0.5, 0.2, 0.8) for arm in ARM_COLOURS],
        columns=["arm", "slice", "n", "right", "accuracy", "low", "high"],
    )
    (_, data, encoding), *_ = [
        layer for layer in layers(slice_intervals(table)) if "x2" in layer[2]
    ]
    assert encoding["x"]["field"] == "low" and encoding["x2"]["field"] == "high" and len(data) == 2
