"""The long help texts: nothing in them is for who has the repository."""

import ast
import re
from pathlib import Path

import pytest

from bertsent.settings import ASSETS, PROJECT
from bertsent.ui.shared.help_texts import PAGES, help_text

INSIDE = re.compile(r"\b(assets|bertsent|tests)/\w|README")


@pytest.mark.parametrize("path", sorted(PAGES.glob("*/text/*.md")), ids=lambda path: path.stem)
def test_no_help_text_names_a_file_of_the_repository(path: Path) -> None:
    assert not INSIDE.search(help_text(path.parents[1].name, path.stem))


def test_nothing_that_a_page_says_names_a_file_of_the_repository() -> None:
    """Visitors were sent to a folder of the repository for what a model had learned from. What
    teachers write lessons by is in ``docs``.
    """
    for path in (PROJECT / "bertsent" / "ui").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in documents:
                assert not INSIDE.search(str(node.value)), (path, node.value)


def test_what_making_small_cost_is_what_the_card_says() -> None:
    card = (ASSETS / "models" / "baselines" / "README.md").read_text(encoding="utf-8")
    said = re.search(r"Made small, they changed by (.*)", card)
    changes = re.compile(r"[+−][0-9.]+")
    assert said and changes.findall(said[1])
    assert changes.findall(help_text("probe", "others_say_ladder")) == changes.findall(said[1])
