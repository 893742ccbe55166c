"""The views of Attention that take heads apart: each tells the model's own numbers, links carry
them, and whatever is typed is answered.
"""

import json
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.heads.attention_change import attention_of_both, jensen_shannon
from bertsent.probing.heads.head_ablation import (
    LEAST_SUPPORT,
    MOST_LISTED,
    ablate_every_head,
    probabilities_without,
)
from bertsent.probing.heads.head_measures import SHARES, head_measures
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import before_training, shipped
from bertsent.training.runs.run import Run
from bertsent.ui.shared import jobs as working
from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE = "4_Attention"
ARCS, SILENCE, CHANGE, MEASURES, PRODUCT = (
    "Arcs",
    "Silence heads",
    "Change by training",
    "Measures",
    "Query × key",
)
PUZZLE = "Great, another boring movie"
EVERY = (ARCS, SILENCE, CHANGE, MEASURES, PRODUCT)
LONG = "The plot is thin, the jokes are old and the acting is fine. " * 6


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def values(app: AppTest) -> list[str]:
    return [metric.value for metric in app.metric]


@pytest.mark.parametrize("view", EVERY)
@pytest.mark.parametrize(
    "text",
    [
        "Great",
        PUZZLE,
        "🎬",
        "<b>bold</b> *x* $y$ [a](javascript:b) \u202eevil\u202c",
        "[CLS] [SEP]",
        "word " * 1000,
        ".",
    ],
)
def test_every_review_is_answered(
    finished: Run, visit: Callable[..., AppTest], view: str, text: str
) -> None:
    app = visit(PAGE, look=view)
    app.text_input(key="review_box").set_value(text).run()
    assert not app.exception and not app.error
    assert "![x](" not in words(app) and "<b>bold" not in words(app)


@pytest.mark.parametrize("view", EVERY)
def test_an_empty_review_is_an_error_and_the_page_goes_on(
    finished: Run, visit: Callable[..., AppTest], view: str
) -> None:
    app = visit(PAGE, look=view)
    app.text_input(key="review_box").set_value(" ").run()
    assert not app.exception and "nothing to classify" in app.error[0].value
    app.text_input(key="review_box").set_value(PUZZLE).run()
    assert not app.exception and not app.error


@pytest.mark.parametrize("view", EVERY)
def test_a_link_to_nothing_opens_the_usual_view(
    finished: Run, visit: Callable[..., AppTest], view: str
) -> None:
    wrong = {
        "layer": "99",
        "head": "x",
        "silenced": "9·9",
        "change_head": "0·0",
        "qk_from": "99 x",
        "measure": "<b>",
        "arcs_of": "-7",
    }
    app = visit(PAGE, look=view, **wrong)
    assert not app.exception and not app.error


def test_the_board_is_the_models_own_and_a_link_silences_heads(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    model = load(finished.id)
    board, whole = ablate_every_head(model, PUZZLE), model.predict([PUZZLE])[0].p_positive
    app = visit(PAGE, look=SILENCE)
    assert not app.exception and values(app)[:2] == [f"{100 * whole:.1f} %"] * 2
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    shown = np.array(
        [[float("nan") if cell is None else cell for cell in row] for row in _cells(spec)]
    )
    np.testing.assert_allclose(shown[:, :2], 100 * board.change, atol=1e-4)
    app.multiselect(key="silenced").set_value(["1·2", "2·1"]).run()
    after = probabilities_without(model, PUZZLE, [[(0, 1), (1, 0)]])[0]
    assert "Without 2 heads the answer" in said(app)
    assert (
        values(app)[1] == f"{100 * after:.1f} %"
        and len(json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["shapes"]) == 2
    )
    linked = visit(PAGE, look=SILENCE, silenced=["1·2", "2·1"])
    assert values(linked) == values(app)
    linked.button(key="silence_none").click().run()
    assert linked.multiselect(key="silenced").value == [] and values(linked)[1] == values(linked)[0]


def _cells(spec: dict) -> list:
    """The pale and the strong cells of the board as one."""
    pale, strong = (decoded(trace["z"]) for trace in spec["data"])
    return np.where(np.isnan(pale), strong, pale).tolist()


def decoded(z: object) -> np.ndarray:
    """Plotly writes arrays as base64 where it can."""
    import base64

    if isinstance(z, dict):
        flat = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])
        return flat.reshape([int(n) for n in z["shape"].split(",")]).astype(float)
    return np.array([[np.nan if cell is None else cell for cell in row] for row in z], float)


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


def test_a_model_without_a_head_gets_an_explanation(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=SILENCE)
    assert not app.exception and not app.error and "was not fine-tuned" in said(app)
    app = visit(PAGE, look=CHANGE)
    assert not app.exception and not app.error and "nothing has changed it yet" in said(app)


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
    grid = decoded(json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["z"])
    np.testing.assert_allclose(grid[:7, :7], after.weights[0, 0] - before.weights[0, 0], atol=1e-6)
    linked = visit(PAGE, look=CHANGE, change_head="2·1", hide="true")
    assert not linked.exception and "Head 2·1 moved by" in said(linked)


@pytest.mark.skipif(not shipped(), reason="the model is not here")
def test_the_built_in_model_is_compared_with_the_backbone(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    assert before_training("builtin") == "backbone"
    app = visit(PAGE, look=CHANGE, units="whole words")
    assert not app.exception and not app.error and "of at most 0.693" in said(app)


def test_measures_are_those_of_the_head(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=MEASURES, measure="distance")
    (table,) = (found.value for found in app.dataframe if "entropy" in found.value)
    model = load(finished.id)
    expected = head_measures(model.attend(PUZZLE))
    expected[list(SHARES)] *= 100
    np.testing.assert_allclose(table[expected.columns], expected, atol=1e-7)
    np.testing.assert_allclose(
        table["ΔP if silenced"], ablate_every_head(model, PUZZLE).change.ravel(), atol=1e-6
    )
    assert "Most distance: head" in said(app)


def test_a_weight_is_multiplied_out(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=PRODUCT, layer="2", head="1", qk_from="4 another", qk_to="5 boring")
    assert not app.exception and not app.error
    weight = load(finished.id).attend(PUZZLE).weights[1, 0, 3, 4]
    assert values(app)[2] == values(app)[3] == f"{weight:.4f}"
    assert "“another” looks at “boring”: the 16 products" in said(app)
    (table,) = (found.value for found in app.dataframe if "softmax" in found.value)
    assert table["softmax"].sum() == pytest.approx(1)
    np.testing.assert_allclose(table["softmax"], table["the model’s own"], atol=1e-5)


def test_arcs_of_one_token_and_of_every_one(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=ARCS, layer="1", head="2", arcs_most="12")
    assert not app.exception and "The 12 arcs are" in said(app)
    app.selectbox(key="arcs_of").set_value(4).run()
    assert not app.exception and "The 6 arcs are" in said(app)
    app.text_input(key="review_box").set_value(LONG).run()
    assert not app.exception and not app.error


def test_views_share_the_head(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, layer="1", head="2")
    app.segmented_control(key="look").set_value(ARCS).run()
    assert (app.selectbox(key="layer").value, app.selectbox(key="head").value) == (1, "2")
    app.segmented_control(key="look").set_value(PRODUCT).run()
    assert "Head 1·2" in said(app)
