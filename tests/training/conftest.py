"""What the tests of training share: encoders, real workers, and the course of eight steps that
nobody interrupted.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bertsent.data.examples import Reviews
from tests.models.conftest import tiny_backbone, tiny_distilbert  # noqa: F401 - fixtures
from tests.training.loop_harness import SENTINELS, LoopHarness, recipe
from tests.training.workers import Workers


@pytest.fixture
def workers(lab: Path) -> Iterator[Workers]:
    found = Workers()
    yield found
    found.end()


@pytest.fixture(scope="module")
def alone(tiny_backbone: Path, toy_reviews: Reviews) -> LoopHarness:  # noqa: F811
    """The course of eight steps, done in this process without any interruption."""
    course = LoopHarness(tiny_backbone, toy_reviews, recipe(), None, SENTINELS)
    course.go()
    return course
