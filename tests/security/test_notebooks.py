"""A notebook belongs to the browser that filled it, and what is typed into it is text."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from bertsent.report.notebook import DAYS, MOST_NOTEBOOKS, MOST_PINS, notebook_of, notebooks_folder
from bertsent.report.pins import Pin, PinContent
from bertsent.settings import PROJECT
from bertsent.ui.notebook.page import _file
from bertsent.ui.shared.visitor import NOBODY
from tests.security.conftest import ANN, BEN

Visit, Looks = Callable[..., AppTest], Callable[..., None]
MARKUP = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def kept(visitor: str, text: str = "mine") -> str:
    book = notebook_of(visitor)
    book.keep(Pin(page="Map", link="/Map", finding=text, review=text), PinContent())
    return book.pins()[-1].id


def test_nobody_sees_another_s_notebook(lab: object, visit: Visit, looks: Looks) -> None:
    name = kept(ANN)
    for who, host in ((BEN, False), (BEN, True), (NOBODY.id, False)):
        looks(who, host=host)
        app = visit("9_Notebook")
        assert not [b for b in app.button if name in str(b.key)]
        assert not app.text_area
    looks(ANN)
    assert [b for b in visit("9_Notebook").button if name in str(b.key)]


def test_its_owner_deletes_it_with_all_that_is_in_it(
    lab: object, visit: Visit, looks: Looks
) -> None:
    kept(ANN), kept(BEN)
    looks(ANN)
    visit("9_Notebook").button(key="notebook_delete_all").click().run()
    assert [folder.name for folder in notebooks_folder().iterdir()] == [BEN]


def test_what_is_typed_is_text_in_the_file(lab: object) -> None:
    name = kept(ANN, MARKUP)
    notebook_of(ANN).annotate(name, MARKUP)
    page = _file(notebook_of(ANN), "").decode()
    assert MARKUP not in page and "<img" not in page and page.count("&lt;img src=x") == 3


def test_the_bounds_are_those_that_are_promised() -> None:
    promised = (PROJECT / "docs" / "security.md").read_text(encoding="utf-8")
    for number in (MOST_PINS, MOST_NOTEBOOKS, DAYS):
        assert f" {number} " in promised.replace("\n", " ")
