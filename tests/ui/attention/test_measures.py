"""Measures: those of the head, with what silencing it changes."""

from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from bertsent.probing.heads.head_ablation import (
    ablate_every_head,
)
from bertsent.probing.heads.head_measures import SHARES, head_measures
from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.attention.page import PAGE, PUZZLE, said

MEASURES = "Measures"


def test_measures_are_those_of_the_head(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=MEASURES, measure="distance")
    (table,) = (found.value for found in app.dataframe if "entropy" in found.value)
    model = load(finished.id)
    expected = head_measures(model.attend(PUZZLE))
    expected[list(SHARES)] *= 100
    np.testing.assert_allclose(table[expected.columns], expected, atol=1e-7)
    np.testing.assert_allclose(
        table["Δ logit difference if silenced"],
        ablate_every_head(model, PUZZLE).logit_change[:, :-1].ravel(),
        atol=1e-6,
    )
    assert "Most distance: head" in said(app)
