"""Groups that were saved before version 0.2 are read as groups of today."""

import json
from pathlib import Path

import pytest

from bertsent.training.groups.run_group import list_groups, unreadable_groups

AB = {
    "name": "keen-fox-twins",
    "created": 1_760_000_000.5,
    "source": "toy",
    "rows": "handcrafted",
    "times": 7,
    "model": "builtin",
    "epochs": 6,
    "members": [
        {"run": "calm-owl", "arm": "without", "seed": 42, "times": 0, "sha256": "a" * 64},
        {"run": "calm-yak", "arm": "with", "seed": 42, "times": 7, "sha256": "b" * 64},
    ],
}
GRID = {
    "name": "glad-hare-lab",
    "created": 1_760_000_100.0,
    "source": "400 of reviews.csv",
    "factors": ["pooling", "seed"],
    "runs": ["snug-lark", "snug-vole"],
}


def save(lab: Path, folder: str, values: dict) -> None:
    (lab / folder).mkdir(exist_ok=True)
    (lab / folder / f"{values['name']}.json").write_text(json.dumps(values))


def test_groups_of_the_version_before_are_read(lab: Path) -> None:
    save(lab, "twins", AB)
    save(lab, "labs", GRID)
    grid, ab = list_groups()
    assert (ab.kind, ab.rows, ab.times, ab.epochs, ab.seeds) == ("ab", "handcrafted", 7, 6, (42,))
    assert [(m.run, m.arm, m.sha256[:1]) for m in ab.members] == [
        ("calm-owl", "without", "a"),
        ("calm-yak", "with", "b"),
    ]
    assert (grid.kind, grid.factors, grid.source) == ("grid", ("pooling", "seed"), GRID["source"])
    assert grid.lost() == ("snug-lark", "snug-vole")
    assert unreadable_groups() == []


@pytest.mark.parametrize("values", [{}, {"runs": 3}, {"factors": ["colour"]}, {"name": "other"}])
def test_a_damaged_grid_is_left_out(lab: Path, values: dict) -> None:
    save(lab, "labs", GRID)
    path = lab / "labs" / f"{GRID['name']}.json"
    path.write_text(json.dumps(GRID | values) if values else "{")
    assert list_groups() == [] and unreadable_groups() == [GRID["name"]]
