"""Change by training: each head against what it was before."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.heads.attention_change import attention_of_both, jensen_shannon
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import before_training, shipped
from bertsent.training.runs.run import Run
from tests.ui.attention.page import PAGE, PUZZLE, cells, charts, said

CHANGE = "Change by training"


def test_a_run_is_compared_with_its_step_0(finished: Run, visit: Callable[..., AppTest]) -> None:
    """It was trained from a folder that is no built-in encoder, so its own first checkpoint is what
    it was before.
    """
    assert before_training(finished.id) == f"{finished.id}/step-0"
    app = visit(PAGE, look=CHANGE)
    assert not app.exception and not app.error
    before, after = attention_of_both(load(f"{finished.id}/step-0"), load(finished.id), PUZZLE)
    apart = jensen_shannon(before.weights, after.weights)
    (table,) = (found.value for found in app.dataframe if "divergence in nats" in found.value)
    np.testing.assert_allclose(
        table["divergence in nats"], sorted(apart.ravel(), reverse=True), atol=1e-9
    )
    grid = cells(charts(app)[0])
    np.testing.assert_allclose(grid[:7, :7], after.weights[0, 0] - before.weights[0, 0], atol=1e-6)
    linked = visit(PAGE, look=CHANGE, change_head="2·1", hide="true")
    assert not linked.exception and "Head 2·1 changed by" in said(linked)


@pytest.mark.skipif(not shipped(), reason="the model is not here")
def test_the_built_in_model_is_compared_with_the_backbone(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    assert before_training("builtin") == "backbone"
    app = visit(PAGE, look=CHANGE, units="whole words")
    assert not app.exception and not app.error and "(at most 0.693)" in said(app)
