"""The models whose code is executed and whose numbers take part in examples: fixtures of the
heads.
"""

from collections.abc import Callable

import pytest

from bertsent.probing.loaded_model import LoadedModel
from tests.probing.heads.conftest import tiny, tiny_distilbert  # noqa: F401 - fixtures


@pytest.fixture(params=["bert", "distilbert"])
def tiny_model(
    request: pytest.FixtureRequest,
    tiny: Callable[..., LoadedModel],  # noqa: F811 - the fixture
) -> LoadedModel:
    return tiny(family=request.param)
