"""The table of parameters and results by which links of lessons are checked, against the pages."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.lessons.page_parameters import CARD_INPUTS, PAGES, PARTS
from bertsent.settings import PROJECT
from bertsent.ui.shared.frame import PAGES as MENU

Visit = Callable[..., AppTest]
UI = PROJECT / "bertsent" / "ui"
FOLDERS = {page: re.sub(r"\W", "_", page).lower() for page in PAGES}
WIDGETS = (
    *("selectbox", "button_group", "toggle", "checkbox", "number_input", "select_slider"),
    *("slider", "text_input", "text_area", "multiselect"),
)
OPENED = [
    ("Home", {}),
    *(("Fine-tune", {"tab": tab}) for tab in PAGES["Fine-tune"].values["tab"].options),
    *(("Probe", {"probe": tab}) for tab in PAGES["Probe"].values["probe"].options),
    *(("Probe", {"part": part}) for part in PARTS),
    *(("Probe", {"part": part, "numbers": "lecture"}) for part in PARTS),
    ("Probe", {"probe": "Why", "why_attention": "one head"}),
    *(("Attention", {"look": tab}) for tab in PAGES["Attention"].values["look"].options),
    *(("Attention", {"beside": each}) for each in PAGES["Attention"].values["beside"].options),
    *(("Words", {"words": tab}) for tab in PAGES["Words"].values["words"].options),
    ("Map", {"map_set": "builtin-test", "map_count": "50"}),
    *(
        ("Map", {"map_set": "builtin-test", "map_count": "50", "finding": tab})
        for tab in PAGES["Map"].values["finding"].options
    ),
]


def sources(page: str) -> Iterator[tuple[Path, str]]:
    for folder in (UI / FOLDERS[page], UI / "shared"):
        for path in folder.rglob("*.py"):
            yield path, path.read_text(encoding="utf-8")


def test_the_table_has_the_pages_of_the_menu_in_which_a_step_can_be() -> None:
    assert list(PAGES) == [entry.title for entry in MENU if entry.title in PAGES]
    assert {entry.title for entry in MENU} - set(PAGES) <= {"Class", "Lessons"}


@pytest.mark.parametrize("page", list(PAGES))
def test_results_are_those_that_the_page_draws(page: str) -> None:
    """Every ``result("name")`` of the page's folder is in the table; names that are put together
    there begin as the table's do, and worked examples that ask no model have their own.
    """
    plain, begun = set(), []
    for path, text in sources(page):
        if not path.is_relative_to(UI / FOLDERS[page]):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("result", "tile"):
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    plain.add(name.value)
                elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
                    begun.append(name.values[0].value)
    known = PAGES[page].results
    assert plain - known <= {"none"}, plain - known  # the empty state of Probe
    text = "\n".join(text for _, text in sources(page))
    for name in known - plain:
        part, _, card = name.partition("_")
        put_together = part in PARTS and (not card or f'"{card}"' in _examples() or card in text)
        example = "show_example(" in text and f'key="{name}"' in _examples()
        drawn = f'"{name}"' in text or name.startswith(tuple(begun))
        assert put_together or example or drawn, name


def _examples() -> str:
    folder = PROJECT / "bertsent" / "worked_examples"
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))


@pytest.mark.parametrize("page", list(PAGES))
def test_no_parameter_of_the_table_is_dead(page: str) -> None:
    """Each is written down somewhere in what draws the page."""
    text = "\n".join(text for _, text in sources(page)) + "\n".join(
        path.read_text(encoding="utf-8") for path in (PROJECT / "pages").glob("*.py")
    )
    for name in set(PAGES[page].values) - set(CARD_INPUTS):
        kind = name.removeprefix("flip_")
        assert re.search(rf"""["']({re.escape(name)}|{re.escape(kind)})["']""", text), name


@pytest.mark.parametrize("page", list(PAGES))
def test_every_choice_that_the_link_carries_is_in_the_table(page: str) -> None:
    """The threshold of Your labels was not: the slider is only there where a run of somebody's own
    labels is. Read from the code, every choice is found, whatever must be there for it.
    """
    keys = [key for path, text in sources(page) for key in _linked(ast.parse(text))]
    assert "model" in keys
    assert set(keys) <= set(PAGES[page].values)


def _linked(tree: ast.Module) -> Iterator[str]:
    """The keys of the widgets whose value the link carries, where they are written out."""
    named = dict(_constants(tree))
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = {word.arg: word.value for word in call.keywords}
        name = getattr(call.func, "id", "")
        if name in ("choose", "select") and "bind" not in given and len(call.args) > 2:
            key = call.args[2]
        elif name in ("linked_choice", "linked_segments", "linked_text", "linked_slider"):
            key = given["key"]
        elif name == "linked_number" or "LINKED" in map(ast.unparse, call.keywords):
            key = given["key"]
        else:
            continue
        found = getattr(key, "value", None) or named.get(getattr(key, "id", ""))
        if isinstance(found, str):
            yield found


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names of a file that stand for a text, alone or several in one line."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names, values = node.targets[0], node.value
            pairs = (
                zip(names.elts, values.elts, strict=True)
                if isinstance(names, ast.Tuple) and isinstance(values, ast.Tuple)
                else [(names, values)]
            )
            for name, value in pairs:
                if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                    yield name.id, value.value


@pytest.mark.slow
@pytest.mark.parametrize(("page", "query"), OPENED, ids=str)
def test_the_table_knows_every_parameter_and_option_of_a_page(
    page: str, query: dict[str, str], visit: Visit, with_shipped_model: None, with_heads: None
) -> None:
    file = next(Path(entry.file).stem for entry in MENU if entry.title == page)
    app = visit(file, **query)
    assert not app.error and not app.exception and not app.toast
    known = PAGES[page]
    if "results_drawn" in app.session_state:
        drawn = set(app.session_state["results_drawn"])
        assert drawn <= known.results | {"none"}  # the empty state of Probe
    for name in app.query_params:
        assert name in known.values, name
    for widget in (widget for kind in WIDGETS for widget in app.get(kind)):
        if not getattr(widget.proto, "query_param_key", ""):
            continue
        assert widget.key in known.values, widget.key
        for option in list(getattr(widget, "options", ()) or ())[1:]:
            assert known.values[widget.key].accept(str(option)), (widget.key, option)
