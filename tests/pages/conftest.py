"""Fixtures of tests/ui, until every test stands there."""

from tests.ui.conftest import *  # noqa: F403
