"""Word to word, as a visitor meets it: one exact weight in a sentence, the heads where it is
largest, a link that shows the same.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.conftest import words

PAGE, VIEW = "4_Attention", "Word to word"
PUZZLE = "Great, another boring movie"
Visit = Callable[..., AppTest]


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_great_to_boring_is_the_models_own_weight(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, look=VIEW, layer="2", head="1")
    assert not app.exception and not app.error
    weights = load(finished.id).attend(PUZZLE).weights
    assert (
        f"Head 2·1: “great” gives {weights[1, 0, 1, 4]:.4f} of its attention to “boring”"
        in said(app)
    )
    (top,) = (found.value for found in app.dataframe if "rank in its row" in found.value)
    assert list(top["weight"]) == pytest.approx(
        sorted(100 * weights[:, :, 1, 4].ravel(), reverse=True)[:5]
    )
    first = np.unravel_index(weights[:, :, 1, 4].argmax(), (2, 2))
    assert top["head"].iloc[0] == f"{first[0] + 1}·{first[1] + 1}"


def test_means_and_another_pair_in_a_link(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, look=VIEW, from_word="4 another", to_word="6 movie", head="mean of all")
    maps = load(finished.id).attend(PUZZLE)
    assert (
        f"Mean of all 4 heads: “another” gives {maps.head_mean()[3, 5]:.4f} of its attention to "
        "“movie”" in said(app)
    )
    app.selectbox(key="to_word").set_value(4).run()
    assert "“another” gives" in said(app)
    app.selectbox(key="head").set_value("mean of the layer").run()
    assert "Mean of the 2 heads of layer 2" in said(app)
    app.selectbox(key="head").set_value("rollout").run()
    assert not app.exception and "Rollout of all layers: “another” gives" in said(app)


def test_whole_words_without_markers(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, look=VIEW, units="whole words", hide="true", layer="1", head="2")
    kept = (
        load(finished.id).attend(PUZZLE).without_special().weights[0, 1, 0, 3]
    )  # each of its words is one piece
    assert f"of what “Great” gives to the tokens shown, {kept:.4f} goes to “boring”" in said(app)
    assert "shares, not the model’s weights" in said(app)


def test_a_chosen_head_is_shown_in_all_views(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, look=VIEW)
    (top,) = (found.value for found in app.dataframe if "rank in its row" in found.value)
    layer, head = top["head"].iloc[1].split("·")
    app.session_state["layer"], app.session_state["head"] = (
        int(layer),
        head,
    )  # what choosing the row does
    app.run()
    assert f"Head {layer}·{head}: " in said(app)
    app.segmented_control(key="look").set_value("Query × key").run()
    assert f"Head {layer}·{head}, “" in said(app)


def test_an_empty_review_and_a_link_to_nothing(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, look=VIEW, from_word="99 x", to_word="<b>", layer="77")
    assert not app.exception and not app.error and "“great” gives" in said(app)
    app.text_input(key="review_box").set_value(" ").run()
    assert not app.exception and "nothing to classify" in app.error[0].value
