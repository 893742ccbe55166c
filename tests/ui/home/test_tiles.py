"""The five tiles of the home page, on a lab with one finished run and on the one that ships."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.home.doors import DOORS
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words

PARTS = ("home-verdict", "home-words", "home-heads", "home-map", "home-others")


def drawn(app: AppTest) -> dict[str, str]:
    """The HTML of each picture by its class."""
    assert not app.exception and not app.error
    bodies = [element.proto.body for element in app.get("html")]
    found = {}
    for part in PARTS:
        holding = [body for body in bodies if f'class="{part}' in body]
        found[part] = re.split(f'class="{part}', holding[0])[1] if holding else ""
    return found


def follow(app: AppTest) -> AppTest:
    """Wait until the map is made."""
    wait_until(lambda: all(job.over for job in jobs()._jobs.values()))
    return app.run()


def ask(app: AppTest, text: str) -> AppTest:
    app.text_input(key="review_box").set_value(text)
    return app.run()


def test_typing_something_else_moves_all_five_and_each_is_a_door(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    app = follow(visit("1_Home"))
    before = drawn(app)
    assert all(before.values())
    assert "NEGATIVE" in before["home-verdict"] and "Without “boring”" in words(app)
    links = [link.proto for link in app.get("page_link")]
    doors = {link.label: (link.page, link.query_string) for link in links}
    assert doors["What each word adds"] == ("Probe", "probe=Why")
    assert doors["What simpler classifiers say"] == ("Probe", "probe=Others+say")
    assert doors["Where its 72 heads look"][0] == "Attention"
    assert doors["Where it lies on the map"] == ("Map", "map_set=ordinary")
    assert {"Start a lesson", "Fine-tune a model", "Bring your own reviews"} <= set(doors)

    text = '<img src=x onerror="alert(1)"> an honest & tender film'
    after = drawn(ask(app, text))
    assert all(after[part] != before[part] for part in PARTS)
    p = load("builtin").predict([text])[0].p_positive
    assert f"{100 * max(p, 1 - p):.1f} %" in after["home-verdict"]
    assert "<img src=x" not in "".join(after.values()) and "&lt;" in after["home-words"]


@pytest.mark.parametrize("text", ["", "   ", "ok", "🎬🎬", "a " * 400])
def test_any_review_leaves_the_page_whole(
    finished: Run, visit: Callable[..., AppTest], text: str
) -> None:
    app = ask(visit("1_Home"), text)
    assert not app.exception and not app.error
    assert {"Start a lesson"} <= {link.proto.label for link in app.get("page_link")}


def test_without_any_model_it_says_so_where_the_answer_would_be(
    visit: Callable[..., AppTest],
) -> None:
    app = visit("1_Home")
    assert not app.exception and not app.error
    assert any("without its built-in model" in str(info.value) for info in app.info)
    assert len(app.get("page_link")) == len(DOORS)
