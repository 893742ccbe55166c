"""The models whose code is executed: fixtures of the heads."""

from tests.probing.heads.conftest import tiny, tiny_distilbert  # noqa: F401 - fixtures
