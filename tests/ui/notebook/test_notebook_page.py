"""From a figure into the notebook, and from there back to the same figure: journeys of one
visitor.
"""

import json
import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.report.notebook import Notebook, notebook_of
from bertsent.report.pins import Pin
from bertsent.training.runs.run import Run
from bertsent.ui.notebook.page import _file
from tests.conftest import wait_until
from tests.ui.conftest import words

Visit = Callable[..., AppTest]
TEXT = "Great, another <b>boring</b> movie & more"
NOTEBOOK = "9_Notebook"


def press(app: AppTest, key: str) -> AppTest:
    """Press a button, when the work before it is done."""
    wait_until(lambda: key in [each.key for each in app.button] or not app.run())
    return app.button(key=key).click().run()


def stand(app: AppTest) -> AppTest:
    assert not app.exception and not app.error, [e.value for e in (*app.exception, *app.error)]
    return app


@pytest.fixture
def why(finished: Run, visit: Visit) -> AppTest:
    """Why, of a review with markup in it and a run that was trained here."""
    return stand(visit("3_Probe", probe="Why", text=TEXT, model=finished.id))


def test_a_link_opens_what_was_pinned_with_the_same_probability(
    finished: Run, why: AppTest, visit: Visit
) -> None:
    stand(press(why, "attributions_pin"))
    (first,) = notebook_of("").pins()
    name = json.dumps(first.card)
    assert finished.config.data.sha256 in name and '"Seed": "42"' in name
    path, query = urlsplit(first.link).path, dict(parse_qsl(urlsplit(first.link).query))
    assert path == "/Probe" and query["step"] == str(finished.history().step)
    again = stand(visit("3_Probe", **query))
    stand(press(again, "attributions_pin"))
    second = notebook_of("").pins()[1]
    expected = load(f"{finished.id}/step-{query['step']}").predict([TEXT])[0].p_positive
    assert first.p_positive == pytest.approx(expected, abs=1e-6)
    assert second.p_positive == pytest.approx(first.p_positive, abs=1e-6)
    assert (second.review, second.finding, second.link) == (TEXT, first.finding, first.link)


def test_the_numbers_in_it_are_those_on_the_screen(why: AppTest) -> None:
    press(why, "attributions_pin")
    shown = next(found.value for found in why.dataframe if "leave-one-out" in found.value)
    book = notebook_of("")
    (table,) = book.content(book.pins()[0].id).tables
    kept = table.frame()
    for column in ("leave-one-out", "integrated gradients", "attention"):
        assert kept[column].to_numpy() == pytest.approx(shown[column].to_numpy(), abs=1e-12)
    drawn = book.content(book.pins()[0].id).drawings
    columns = ("attention", "integrated gradients", "leave-one-out")
    for column, drawing in zip(columns, drawn, strict=True):
        values = [row["value"] for row in next(iter(drawing.spec["datasets"].values()))]
        assert values == pytest.approx(shown[column].tolist(), abs=1e-12)


def test_the_notebook_is_ordered_annotated_and_emptied(why: AppTest, visit: Visit) -> None:
    assert "Notebook (" not in words(why)
    for _ in range(2):
        press(why, "attributions_pin")
    book = notebook_of("")
    first, second = book.pins()
    app = stand(visit(NOTEBOOK))
    assert words(app).count("Why") >= 2
    press(app, f"down_{first.id}")
    assert [pin.id for pin in book.pins()] == [second.id, first.id]
    app.text_area(key=f"note_{first.id}").set_value("# <b>Mine</b>").run()
    assert book.pins()[1].note == "# <b>Mine</b>"
    stand(press(app, f"out_{second.id}"))
    assert [pin.id for pin in book.pins()] == [first.id]
    stand(press(app, "notebook_delete_all"))
    assert book.pins() == () and not book.folder.exists()
    assert "empty" in " ".join(told.value for told in app.info)


def test_a_pin_that_was_taken_out_in_another_tab_is_told(why: AppTest, visit: Visit) -> None:
    press(why, "attributions_pin")
    book = notebook_of("")
    app = visit(NOTEBOOK)
    (pin,) = book.pins()
    book.take_out(pin.id)
    app.text_area(key=f"note_{pin.id}").set_value("late").run()
    assert not app.exception and any("gone" in error.value for error in app.error)


def test_a_figure_that_rubbish_replaced_is_told_and_the_rest_stands(
    why: AppTest, visit: Visit
) -> None:
    for _ in range(3):
        press(why, "attributions_pin")
    book = notebook_of("")
    one, two, _ = book.pins()
    (book.folder / f"{one.id}.json").write_bytes(b"\x00rubbish")
    spec = {"library": "plotly", "spec": {"data": [{"type": "no such"}]}}
    (book.folder / f"{two.id}.json").write_text(json.dumps({"drawings": [spec], "tables": []}))
    app = stand(visit(NOTEBOOK))
    assert len(app.warning) == 2
    assert b"damaged" in _file(book, "")


def test_many_pins_are_drawn_a_few_at_once(lab: object, visit: Visit) -> None:
    from bertsent.report.pins import PinContent

    book = notebook_of("")
    for number in range(7):
        book.keep(Pin(page="Map", link="/Map", finding=f"Number {number}"), PinContent())
    app = stand(visit(NOTEBOOK))
    assert "Number 4" in words(app) and "Number 5" not in words(app)
    assert "Number 6" in words(stand(press(app, "notebook_more")))


def test_a_full_notebook_is_told_where_the_pin_was_pressed(
    why: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertsent.report.notebook.MOST_PINS", 0)
    stand(press(why, "attributions_pin"))
    assert notebook_of("").pins() == ()
    assert any("Take something out" in told.value for told in why.toast)


def test_a_run_s_curves_are_pinned_with_its_card(finished: Run, visit: Visit) -> None:
    app = stand(press(stand(visit("2_Fine-tune", run=finished.id)), "run_pin"))
    (pin,) = notebook_of("").pins()
    assert pin.model == finished.id and pin.review == ""
    assert pin.card["Data SHA-256"] == finished.config.data.sha256
    assert pin.link.startswith("/Fine-tune?") and f"run={finished.id}" in pin.link
    assert len(Notebook(notebook_of("").folder).content(pin.id).drawings) == 3
    assert re.search(r"validation loss", pin.finding) and app.session_state["page_drawn"]
