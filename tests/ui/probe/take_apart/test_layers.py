"""The parts with the input vectors and the layers: their numbers are the model's, choices follow
the link and hold on both pages, odd reviews show what the model does.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.attention.page import cells, charts, said, values

PAGE, PUZZLE = "3_Probe", "Great, another boring movie"
PAIR = {"layer": "2", "head": "1", "qk_from": "4 another", "qk_to": "5 boring"}


def checks(app: AppTest) -> tuple[int, int]:
    """How often the page says that recomputed numbers are the model's own, and are not."""
    words = said(app)
    return words.count("recomputed = the model"), words.count("recomputed ≠ the model")


def test_the_input_is_a_sum_whose_numbers_are_the_models(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, part="input", token="5 boring")
    assert not app.exception and not app.error and checks(app) == (1, 0)
    table = app.dataframe[0].value
    bert = load(finished.id).model.bert.embeddings
    ids = load(finished.id).tokens(PUZZLE).ids
    np.testing.assert_allclose(
        table["word"], bert.word_embeddings.weight[ids[4]].detach().numpy(), atol=1e-6
    )
    np.testing.assert_allclose(table["word"] + table["position"] + table["segment"], table["sum"])
    np.testing.assert_allclose(
        table["(sum − μ) / √(σ² + ε)"] * table["gain"] + table["shift"], table["after LayerNorm"]
    )
    assert "“boring” at position 5" in said(app)
    app.selectbox(key="token").set_value(2).run()
    assert "“great” at position 2" in said(app)


def test_a_layer_is_that_of_attention_with_the_same_pair(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, part="layers", **PAIR)
    assert not app.exception and not app.error and checks(app) == (4, 0)
    weight = load(finished.id).attend(PUZZLE).weights[1, 0, 3, 4]
    assert values(app)[2] == values(app)[3] == f"{weight:.4f}"
    there = visit("4_Attention", look="Query × key", **PAIR)
    assert values(there) == values(app)


def test_every_box_opens_to_its_matrix(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, part="layers", **PAIR, box="attention weights")
    weights = load(finished.id).attend(PUZZLE).weights[1, 0]
    np.testing.assert_allclose(cells(charts(app)[-1]), weights, atol=1e-5)
    model = load(finished.id).model.bert.encoder.layer[1]
    query = model.attention.self.query.weight.detach().numpy()[:16].T
    app.pills(key="box").set_value("query weights").run()
    np.testing.assert_allclose(cells(charts(app)[-1]), query[:32], atol=1e-6)
    assert not app.exception and not app.error


@pytest.mark.parametrize("text", ["a", "🎬🍿", "good film " * 60])
@pytest.mark.parametrize("part", ["input", "layers"])
def test_odd_reviews_are_worked_out_as_well(
    finished: Run, visit: Callable[..., AppTest], part: str, text: str
) -> None:
    app = visit(PAGE, part=part, text=text)
    assert not app.exception and not app.error
    same, different = checks(app)
    assert same >= 1 and not different
