"""Silence heads: the model's own numbers, heads silenced by a link, and those that support the
answer.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.heads.head_ablation import (
    LEAST_SUPPORT,
    MOST_LISTED,
    ablate_every_head,
    probabilities_without,
)
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import shipped
from bertsent.training.runs.run import Run
from bertsent.ui.shared import jobs as working
from tests.conftest import wait_until
from tests.ui.attention.page import PAGE, PUZZLE, cells, charts, said, values

SILENCE = "Silence heads"


def test_the_board_is_the_models_own_and_a_link_silences_heads(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    model = load(finished.id)
    board, whole = ablate_every_head(model, PUZZLE), model.predict([PUZZLE])[0].p_positive
    app = visit(PAGE, look=SILENCE)
    assert not app.exception and values(app)[:2] == [f"{100 * whole:.1f} %"] * 2
    shown = cells(charts(app)[0])
    np.testing.assert_allclose(shown[:, :2], board.logit_change[:, :-1], atol=1e-4)
    app.multiselect(key="silenced").set_value(["1·2", "2·1"]).run()
    after = probabilities_without(model, PUZZLE, [[(0, 1), (1, 0)]])[0]
    assert "Without 2 heads the answer" in said(app)
    assert values(app)[1] == f"{100 * after:.1f} %" and len(charts(app)[0]["layout"]["shapes"]) == 2
    linked = visit(PAGE, look=SILENCE, silenced=["1·2", "2·1"])
    assert values(linked) == values(app)
    linked.button(key="silence_none").click().run()
    assert linked.multiselect(key="silenced").value == [] and values(linked)[1] == values(linked)[0]


@pytest.mark.skipif(not shipped(), reason="the model is not here")
def test_the_heads_that_carry_the_irony_are_listed(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, look=SILENCE)
    board = ablate_every_head(load("builtin"), PUZZLE)
    (listed,) = (found.value for found in app.dataframe if "what it looks at" in found.value)
    expected = [f"{n + 1}·{h + 1}" for n, h in board.supporting_heads(LEAST_SUPPORT)[:MOST_LISTED]]
    assert listed["head"].tolist() == expected
    assert board.p_positive < 0.5 and "Heads that carry the irony" in said(app)
    app.button(key="silence_best").click().run()
    assert app.multiselect(key="silenced").value and not app.exception
    app.text_input(key="review_box").set_value("A warm and clever film.").run()
    assert "Heads that support the answer POSITIVE" in said(app)


def test_a_long_board_is_made_in_the_background_and_can_be_begun(
    finished: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "INLINE_TOKENS", 1)
    monkeypatch.setattr(working, "UNASKED_TOKENS", 2)
    app = visit(PAGE, look=SILENCE)
    (begin,) = (button for button in app.button if button.label == "Silence every head in turn")
    begin.click().run()
    wait_until(lambda: app.run() and app.metric)
    assert not app.exception and len(app.metric) == 3


def test_the_change_can_be_seen_in_probability(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    grid = ablate_every_head(load(finished.id), PUZZLE)
    app = visit(PAGE, look=SILENCE, silence_unit="probability")
    assert not app.exception
    shown = cells(charts(app)[0])
    np.testing.assert_allclose(shown[:, :2], 100 * grid.change[:, :-1], atol=1e-4)
    np.testing.assert_allclose(shown[:, 3], 100 * grid.change[:, -1], atol=1e-4)
