"""What the tests of training share with those of models."""

from tests.models.conftest import tiny_backbone, tiny_distilbert  # noqa: F401 - fixtures
