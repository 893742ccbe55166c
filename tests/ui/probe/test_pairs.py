"""Pairs, as a visitor meets it."""

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.probe import pairs as pairs_tab
from bertsent.ui.probe.pairs import PRESETS
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, press


@pytest.fixture
def pairs(finished: Run, visit: Visit) -> AppTest:
    return settled(visit(PAGE, probe="Pairs"))


def test_a_pair_shows_both_answers_and_what_turns(pairs: AppTest, finished: Run) -> None:
    assert not pairs.error, words(pairs)
    learner = load(finished.id)
    first, second = (
        learner.predict(["Great, another boring movie"])[0],
        learner.predict(["Great, another gripping movie"])[0],
    )
    shown = [s.value for s in pairs.subheader]
    assert any(
        f"{first.label} {100 * max(first.p_positive, 1 - first.p_positive):.1f} %" in s
        for s in shown
    )
    assert f"from {100 * first.p_positive:.1f} % to {100 * second.p_positive:.1f} %" in words(
        pairs
    ).replace("\\", "")
    assert "1 change, 4 words stay" in words(pairs).replace("\\", "")
    marks = "".join(str(h.proto.body) for h in pairs.get("html") if "pair" in str(h.proto.body))
    assert "<mark>−boring</mark>" in marks and "<mark>+gripping</mark>" in marks


def test_presets_swap_and_the_link(pairs: AppTest, finished: Run, visit: Visit) -> None:
    first, second = (pairs.text_input(key=key) for key in ("pair_first", "pair_second"))
    first.set_value("This is not a bad film")
    app = second.set_value("This is a bad film").run()
    app = press(app, "pair-swap")
    assert (app.text_input(key="pair_first").value, app.text_input(key="pair_second").value) == (
        "This is a bad film",
        "This is not a bad film",
    )
    animal, street, source = PRESETS["it → animal / street"]
    app = visit(PAGE, probe="Pairs", pair_first=animal, pair_second=street, pair_from=source)
    app = settled(app)
    assert app.selectbox(key="pair_from").value.startswith("it (") and not app.exception
    app.selectbox(key="pair_head").set_value("the head that changes most").run()
    assert "changes most at" in words(app)
    linked = settled(visit(PAGE, probe="Pairs", pair_first="A good film", pair_second="A bad film"))
    assert linked.text_input(
        key="pair_first"
    ).value == "A good film" and "1 change, 2 words stay" in words(linked)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<script>alert(1)</script> <br> &amp; x",
        "\u202eevil\u202c",
        "$$x$$ **b** [a](javascript:b)",
    ],
)
def test_odd_texts_in_a_pair(pairs: AppTest, text: str) -> None:
    pairs.text_input(key="pair_first").set_value(text).run()
    app = settled(pairs)
    assert bool(app.error) == (not text)
    bodies = "".join(
        str(h.proto.body) for h in app.get("html") if "class='pair'" in str(h.proto.body)
    )
    assert "<script" not in bodies and "<br>" not in bodies
    if "<script>" in text:
        assert "<mark>−&lt;</mark><mark>−script</mark>" in bodies


def test_a_text_of_a_pair_becomes_the_review(pairs: AppTest) -> None:
    app = press(pairs, "pair-take-second")
    assert (
        app.text_input(key="review_box").value == "Great, another gripping movie"
        and app.session_state["probe"] == "Answer"
    )


def test_an_example_fills_both_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    for chosen in (*PRESETS, pairs_tab.SURPRISE):
        state = {pairs_tab.EXAMPLES: chosen}
        monkeypatch.setattr(pairs_tab.st, "session_state", state)
        pairs_tab._choose_example()
        first, second = (state[key] for key in pairs_tab.TEXTS)
        assert first and second and first != second
        assert chosen == pairs_tab.SURPRISE or (first, second) == PRESETS[chosen][:2]
