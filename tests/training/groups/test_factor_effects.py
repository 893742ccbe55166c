"""Effects and their intervals against arithmetic by hand and scipy's own t test."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bertsent.training.groups.factor_effects import effects_sentence, factor_effects
from bertsent.training.groups.published import FACTORIAL, published_factorial


def test_in_a_full_design_an_effect_is_the_difference_of_two_means() -> None:
    table = published_factorial()
    found = factor_effects(table, list(FACTORIAL), "mean").set_index("factor")
    for name in FACTORIAL:
        means = table.groupby(name)["mean"].mean()
        assert found.loc[name, "change"] == pytest.approx(means[True] - means[False])
    assert found.loc["SW", "low"] > 0 and found.loc["CLS", "high"] < 0
    assert found.loc["WL", "low"] < 0 < found.loc["WL", "high"]


def test_the_interval_of_one_factor_is_that_of_a_t_test() -> None:
    values = np.array([0.5, 0.62, 0.55, 0.7, 0.71, 0.66])
    table = pd.DataFrame({"a": [False] * 3 + [True] * 3, "r": values})
    found = factor_effects(table, ["a"], "r").iloc[0]
    interval = stats.ttest_ind(values[3:], values[:3]).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_a_factor_that_a_table_does_not_have_is_left_out() -> None:
    """A group that varied the overlap of tokens could not be drawn beside the printed table."""
    found = factor_effects(published_factorial(), ["CLS", "JS"], "mean")
    assert found["factor"].tolist() == ["CLS"]


def test_missing_runs_are_left_out_and_a_few_have_no_interval() -> None:
    table = published_factorial().astype({"mean": float})
    table.loc[3, "mean"] = None
    found = factor_effects(table, list(FACTORIAL), "mean")
    assert len(found) == 4 and found["low"].notna().all()
    few = factor_effects(table.iloc[[0, 1, 4, 2, 8]], list(FACTORIAL), "mean")
    assert (
        few["low"].isna().all()
        and len(few) == 4
        and "without intervals" in effects_sentence(few, "it")
    )
    assert not len(factor_effects(table.iloc[:1], list(FACTORIAL), "mean"))
    confused = pd.DataFrame({"a": [True, False], "b": [True, False], "r": [1.0, 2.0]})
    assert not len(factor_effects(confused, ["a", "b"], "r"))
