"""The models whose heads are taken apart, and one with a tanh pooler."""

from collections.abc import Callable

import pytest
import torch

from bertsent.probing.loaded_model import LoadedModel
from tests.probing.heads.conftest import builtin, tiny, tiny_distilbert

__all__ = ["builtin", "tiny", "tiny_distilbert"]


@pytest.fixture(scope="session")
def with_pooler(tiny: Callable[..., LoadedModel]) -> LoadedModel:
    """A BERT with what a stock checkpoint puts between [CLS] and its classifier."""
    model = tiny()
    torch.manual_seed(2)
    model.model.pooler = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh()).eval()
    return model
