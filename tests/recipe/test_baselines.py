"""The recipe's baselines on a few made-up rows: files, scores by hand, the same bytes again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bertsent.probing.baselines.shipped import (
    FULL_SIZE,
    HARD,
    ORDINARY,
    SCORE_COLUMNS,
    SHIPPED_SIZE,
    read_baselines,
)
from bertsent.probing.baselines.trainer import BASELINES
from bertsent.recipe import baselines
from bertsent.recipe.datasets import HELD_OUT


@pytest.fixture
def quick(monkeypatch):
    for name, sizes in baselines.SIZES.items():
        full = replace(sizes.full_lstm, epochs=1, embedding_size=8, hidden_size=8)
        small = replace(full, vocabulary_size=20)
        few = replace(sizes, words=12, pairs=15, full_lstm=full, small_lstm=small)
        monkeypatch.setitem(baselines.SIZES, name, few)


@pytest.mark.slow
def test_one_command_makes_weights_scores_and_card(quick, data, tmp_path):
    into = tmp_path / "out"
    lines = list(baselines.make_baselines(data, tmp_path / "work", into))
    assert len(lines) == 2 * (len(BASELINES) + 1) + 1
    scores = pd.read_csv(into / "scores.csv")
    assert list(scores.columns) == SCORE_COLUMNS
    assert len(scores) == 2 * len(BASELINES) * 2 * 4
    for trained_on in (ORDINARY, HARD):
        found = read_baselines(into / f"{trained_on}.safetensors")
        assert list(found) == list(BASELINES)
        assert len(found["BOW + SVM"].baseline.words) == 12
        held_out = data.held_out()
        p = found["LSTM"].p_positive(held_out.texts)
        right = int(((p > 0.5) == (np.array(held_out.labels) == 1)).sum())
        keys = scores.set_index(["trained_on", "method", "size", "set"])
        row = keys.loc[(trained_on, "LSTM", SHIPPED_SIZE, HELD_OUT)]
        assert (row["right"], row["n"]) == (right, len(held_out))
    card = (into / "README.md").read_text(encoding="utf-8")
    assert FULL_SIZE in card and SHIPPED_SIZE in card
    before = {path.name: path.read_bytes() for path in into.iterdir()}
    list(baselines.make_baselines(data, tmp_path / "work", into))
    assert before == {path.name: path.read_bytes() for path in into.iterdir()}


def test_nothing_judged_is_learned_from(data):
    learned = {row.text for reviews in baselines.learned_from(data).values() for row in reviews}
    assert learned.isdisjoint(data.held_out().texts)
