"""What the tests of the Map page share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def kept_space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors and maps that are computed once for all tests that ask for them."""
    return tmp_path_factory.mktemp("space")


@pytest.fixture
def shared_space(lab: Path, kept_space: Path) -> None:
    """A lab that finds the vectors and maps of the tests before it."""
    (lab / "cache").mkdir()
    (lab / "cache" / "space").symlink_to(kept_space)
