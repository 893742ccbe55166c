"""The README: short, its pictures there, and its commands run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from bertsent.data.examples import Reviews
from bertsent.settings import PROJECT

README = (PROJECT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_it_is_read_in_five_minutes():
    assert len(README.split()) < 900  # two hundred a minute


def test_its_pictures_and_links_are_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (PROJECT / target).exists(), target


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_its_commands_run_as_they_stand(toy_reviews: Reviews, tmp_path: Path) -> None:
    """One after the other in one folder that holds a ``reviews.csv``, then the Python block."""
    rows = pd.concat([toy_reviews.frame()[["text", "label"]]] * 2, ignore_index=True)
    rows["text"] += [f" and again {i}" for i in range(len(rows))]
    rows.to_csv(tmp_path / "reviews.csv", index=False)
    command = f"{sys.executable} -m bertsent"
    script = "set -e\n" + re.sub(r"\bbertsent (?=[a-z])", f"{command} ", "\n".join(blocks("bash")))
    env = {**os.environ, "BERTSENT_HOME": str(tmp_path / "lab"), "BERTSENT_DEVICE": "cpu"}
    env["PYTHONPATH"] = str(PROJECT)
    shell = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert shell.returncode == 0, shell.stderr
    python = "\n".join(blocks("python")) + '\nprint(classify("A lovely film")[0]["label"])'
    answer = subprocess.run(
        [sys.executable, "-c", python], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert answer.stdout.strip() in ("POSITIVE", "NEGATIVE"), answer.stderr
