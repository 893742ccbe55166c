"""Groups of runs that are trained in this process, and labs that begin with one."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bertsent.training.groups import run_group
from bertsent.training.groups.run_group import RunGroup, list_groups
from tests.ui.fine_tune.test_run import train_here


@contextmanager
def trained_in(home: Path) -> Iterator[None]:
    """Groups that are started meanwhile are in that home, and have finished at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        patch.setattr(run_group, "launch", train_here)
        yield


def copied_group(home: Path, lab: Path) -> RunGroup:
    """The only group of a home, copied with its runs into the lab of a test."""
    for part in ("runs", "groups"):
        shutil.copytree(home / part, lab / part)
    return list_groups()[0]
