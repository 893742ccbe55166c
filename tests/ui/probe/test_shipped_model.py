"""The lab as it is delivered, before anybody trained anything: its first answers come from the
model that ships.
"""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.probing.shipped_scores import shipped_scores, slice_of

pytestmark = pytest.mark.usefixtures("with_shipped_model", "lab")


def test_probe_answers_at_once(visit: Callable[..., AppTest]) -> None:
    app = visit("3_Probe")
    assert not app.exception and not app.error
    answer = load("builtin").predict(["Great, another boring movie"])[0]
    assert answer.label == "NEGATIVE"
    assert any(f"NEGATIVE {100 * (1 - answer.p_positive):.1f} %" in s.value for s in app.subheader)


def test_home_shows_how_good_it_is_beside_counted_words(visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception and not app.error
    assert "How good is the built-in model?" in {h.value for h in app.header}
    app = app.button_group(key="scores_of").set_value("public").run()
    drawn = " ".join(html.proto.body for html in app.get("html"))
    imdb = slice_of(shipped_scores(), "IMDb, held-out films", "all")
    assert f"{100 * imdb.accuracy:.1f}" in drawn and "BOW + SVM" in drawn


@pytest.mark.parametrize("model", ["builtin", "backbone"])
def test_attention_shows_the_model_before_and_after(
    visit: Callable[..., AppTest], model: str
) -> None:
    app = visit("4_Attention", model=model)
    assert not app.exception and not app.error
