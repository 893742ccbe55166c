"""What was measured of a head stands beside it, and beside no other model."""

import shutil

import pandas as pd
import pytest

from bertsent.probing import registry
from bertsent.probing.loaded_model import load, load_head
from bertsent.probing.tasks import head_scores as module
from bertsent.probing.tasks.head_scores import head_scores, heads_card
from bertsent.recipe.task_scores import COLUMNS


@pytest.fixture
def shipped(heads_folder, tmp_path, monkeypatch):
    folder = shutil.copytree(heads_folder, tmp_path / "tasks")
    for each in (registry, module):
        monkeypatch.setattr(each, "SHIPPED_HEADS", folder)
    return folder


def test_a_head_that_ships_has_its_own_rows(shipped, lab) -> None:
    assert head_scores(load("builtin/five-steps")) is None  # nothing was measured
    rows = [
        ("SST-5", "five-steps", "accuracy", 1000, 0.5123, 0.4812, 0.5431),
        ("SST-5", "five-steps", "neutral recall", 200, 0.367, 0.307, 0.432),
        ("SST-5", "five-steps", "macro_f1", 1000, 0.5, 0.47, 0.53),
        ("STS-B", "similarity", "pearson", 900, 0.86, 0.84, 0.88),
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(shipped / "scores.csv", index=False)
    found = head_scores(load("builtin/five-steps"))
    assert found["score"].tolist() == ["51.2 % (48.1 to 54.3) right"]
    assert found["other measures"].tolist() == ["36.7 % neutral ones right, 0.500 macro-F1"]
    assert len(head_scores(load("builtin/similarity"))) == 1
    assert head_scores(load_head(shipped, "five-steps", title="a run")) is None
    assert heads_card() == b""
    (shipped / "README.md").write_bytes(b"# Heads")
    assert heads_card() == b"# Heads"
