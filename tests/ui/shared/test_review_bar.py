"""The review bar: one review and one model on Probe, Attention and Map, however one comes there."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.settings import LIMITS
from bertsent.training.runs.run import Run
from bertsent.ui.shared.model_picker import MODEL
from bertsent.ui.shared.review_bar import BOX, PUZZLE, TEXT
from tests.ui.conftest import words

Visit = Callable[..., AppTest]
PROBE, ATTENTION, MAP = "3_Probe", "4_Attention", "6_Map"


def go(app: AppTest, page: str) -> AppTest:
    return app.switch_page(f"pages/{page}.py").run()


def box(app: AppTest) -> str:
    return app.text_input(key=BOX).value


@pytest.mark.parametrize("way", [(PROBE, ATTENTION), (ATTENTION, PROBE), (MAP, PROBE)])
def test_the_review_stays_when_the_page_changes(
    finished: Run, visit: Visit, way: tuple[str, str]
) -> None:
    """Home → Probe → Attention by the menu showed an empty box and an error."""
    app = visit(way[0])
    assert box(app) == PUZZLE and not app.error
    app.text_input(key=BOX).set_value("A quiet film").run()
    app = go(app, way[1])
    assert box(app) == "A quiet film" and not app.error
    app = go(go(app, "1_Home"), way[0])
    assert box(app) == "A quiet film" and app.query_params[TEXT] == "A quiet film"


def test_a_link_brings_its_review_and_keeps_it(finished: Run, visit: Visit) -> None:
    app = visit(PROBE, text="Not a bad film, is it?")
    assert box(app) == "Not a bad film, is it?"
    assert box(go(app, ATTENTION)) == "Not a bad film, is it?"


def test_a_review_that_is_too_long_is_cut_and_said_so(finished: Run, visit: Visit) -> None:
    """Pasting more than 5,000 characters left the old review and its old answer, without a word."""
    app = visit(PROBE)
    long = "a fine film " * 600
    app.text_input(key=BOX).set_value(long).run()
    assert app.session_state[TEXT] == long[: LIMITS.review_chars] and not app.error
    assert f"{len(long.strip()):,}" in app.warning[0].value
    app.text_input(key=BOX).set_value("A short one").run()
    assert not app.warning and app.session_state[TEXT] == "A short one"


def test_a_link_that_is_too_long_is_cut_as_well(finished: Run, visit: Visit) -> None:
    app = visit(PROBE, text="x" * (LIMITS.review_chars + 1))
    assert len(app.session_state[TEXT]) == LIMITS.review_chars and app.warning and not app.error


def test_an_empty_review_has_no_answer_on_the_page_nor_in_the_bar(
    finished: Run, visit: Visit
) -> None:
    app = visit(PROBE)
    assert "TIVE" in words(app)
    app.text_input(key=BOX).set_value("  ").run()
    assert box(app).strip() == "" and "TIVE" not in words(app) and not app.error
    app.text_input(key=BOX).set_value("fine").run()
    assert "TIVE" in words(app) and not app.error


def test_the_bar_has_the_answer_of_the_page(finished: Run, visit: Visit) -> None:
    app = visit(PROBE)
    label = app.subheader[0].value.split()[1]
    assert label in ("POSITIVE", "NEGATIVE")
    assert any(m.value.startswith("**") and label in m.value for m in app.markdown)


def test_a_model_that_one_page_does_not_offer_stays_chosen_on_the_others(
    finished: Run, visit: Visit
) -> None:
    """The backbone does not answer, so Probe shows another model; Attention lost it by that."""
    app = visit(ATTENTION)
    app.selectbox(key="model-box").set_value("backbone").run()
    app = go(app, PROBE)
    assert app.selectbox(key="model-box").value == finished.id and not app.error
    assert go(app, ATTENTION).selectbox(key="model-box").value == "backbone"


def test_the_checkpoint_is_the_same_on_every_page(finished: Run, visit: Visit) -> None:
    app = visit(PROBE, model=finished.id, step="5")
    slider = app.select_slider(key=f"checkpoint-{finished.id}")
    assert slider.value == "step 5"
    app = go(app, MAP)
    assert app.select_slider(key=f"checkpoint-{finished.id}").value == "step 5"


@pytest.mark.parametrize("step", ["9" * 6_000, "-3", "inf"])
def test_a_forged_step_falls_back_to_the_newest(finished: Run, visit: Visit, step: str) -> None:
    app = visit(PROBE, model=finished.id, step=step)
    assert app.select_slider(key=f"checkpoint-{finished.id}").value == "latest" and not app.error


def test_without_a_model_the_page_says_how_to_get_one(visit: Visit) -> None:
    app = visit(PROBE)
    assert "fine-tune a model" in words(app) and not app.error


@pytest.mark.parametrize("page", ["1_Home", "2_Fine-tune", PROBE, ATTENTION, MAP])
def test_every_page_has_the_bar_and_its_title_is_its_menu_word(
    finished: Run, visit: Visit, page: str
) -> None:
    app = visit(page)
    assert box(app) == PUZZLE and [t.value for t in app.title] == [page.partition("_")[2]]


def test_the_class_page_has_no_bar_that_would_give_an_answer_away(
    finished: Run, visit: Visit
) -> None:
    """The review and the model are kept for the next page all the same."""
    app = visit(PROBE, text="A quiet film", model=finished.id)
    app = go(app, "7_Class")
    assert not app.exception and not any(each.key == BOX for each in app.text_input)
    app = go(app, ATTENTION)
    assert box(app) == "A quiet film"
    assert app.session_state[MODEL].startswith(finished.id)
