"""Models of every build in the parts of an answer: each part shows what that model does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.ui.probe.take_apart.parts import PARTS
from tests.probing.forward_pass.conftest import tiny, tiny_distilbert
from tests.ui.attention.page import said

__all__ = ["tiny", "tiny_distilbert"]
KINDS = [
    ("distilbert", "cls"),
    pytest.param("bert", "mean", marks=pytest.mark.slow),
    pytest.param("distilbert", "max", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("family", "pooling"), KINDS)
def test_every_part_shows_what_that_model_does(
    lab: Path, tiny: Callable, visit: Callable[..., AppTest], family: str, pooling: str
) -> None:
    model, name = tiny(pooling, family), f"{family}-{pooling}"
    card = CheckpointCard(pooling=pooling, max_length=64)
    save_checkpoint(lab / "models" / name, model.model, model.tokenizer, card)
    for part in PARTS:
        app = visit("3_Probe", part=part.key, model=name)
        assert not app.exception and not app.error, (part.key, app.exception, app.error)
        assert "recomputed ≠ the model" not in said(app), part.key
        if part.key == "input":
            columns = list(app.dataframe[0].value.columns)
            assert ("segment" in columns) == (family == "bert")
            assert "recomputed = the model" in said(app)
