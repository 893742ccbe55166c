"""The house rules that a reader relies on, kept by a test: imports point one way, folders mean what
they say, files stay small.
"""

import ast
import functools
import importlib
import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertsent.settings import PROJECT

STAGES = (
    "errors",
    "settings",
    "files",
    "event_log",
    "statistics",
    "written_numbers",
    "progress",
    "blas_threads",
    "tasks",
    "data",
    "text",
    "models",
    "training",
    "probing",
    "recipe",
    "space",
    "bulk",
    "worked_examples",
    "lessons",
    "classroom",
    "figures",
    "report",
    "ui",
)
PACKAGE = PROJECT / "bertsent"
FILES = sorted(PACKAGE.rglob("*.py"))
PAGES = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py"))]
# above every stage but ui
DOORS = {
    *("__init__", "__main__", "bulk_commands", "commands", "masked_commands", "task_commands"),
    "terminal",
}


def names(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@functools.cache
def parsed(path: Path) -> ast.Module:
    """A file's syntax, for all rules that look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(path: Path) -> tuple[tuple[str, bool], ...]:
    """Every imported module of a file, wherever it stands, and whether it is imported while the
    file itself is.
    """
    return tuple(_imported(path, parsed(path)))


def _imported(path: Path, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    late = {
        id(n)
        for f in ast.walk(tree)
        if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
        for n in ast.walk(f)
    }
    typing = {
        id(n)
        for i in ast.walk(tree)
        if isinstance(i, ast.If) and "TYPE_CHECKING" in ast.dump(i.test)
        for n in ast.walk(i)
    }
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) not in late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{names(path)} imports relatively"
            yield node.module, id(node) not in late


def stage(module: str) -> str:
    return module.split(".")[1] if module.startswith("bertsent.") else ""


def test_imports_point_one_way() -> None:
    assert not {
        f"{names(path)} imports {module}"
        for path in FILES
        if path.parent != PACKAGE or path.stem in STAGES
        for module, _ in imported(path)
        if stage(module) and not _is_upstream(module, path)
    }


def _is_upstream(module: str, path: Path) -> bool:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return stage(module) in STAGES and STAGES.index(stage(module)) <= STAGES.index(own)


def test_the_screen_stays_at_the_edge() -> None:
    """Only the command ``serve`` starts it from outside, and imports it when it is asked to."""
    assert not {
        f"{names(path)} imports {module}"
        for path in FILES
        for module, early in imported(path)
        if not _is_at_the_edge(path, module, early)
    }


def _is_at_the_edge(path: Path, module: str, early: bool) -> bool:
    top, root = path.relative_to(PACKAGE).parts[0], module.split(".")[0]
    if root == "streamlit":
        return top == "ui"
    if root in ("plotly", "altair"):
        return top == "figures"
    serves = path.stem in DOORS and not early and module == "bertsent.ui.serve"
    return stage(module) != "ui" or top == "ui" or serves


def statements(node: ast.AST) -> int:
    return sum(isinstance(inner, ast.stmt) for inner in ast.walk(node))


def test_files_stay_small() -> None:
    for path in [*FILES, *PAGES]:
        source = path.read_text(encoding="utf-8")
        assert "fmt: " + "skip" not in source, f"{names(path)} escapes the formatter"
        assert path not in PAGES or source.count("\n") <= 120, f"{names(path)} is long for a page"
    lengths = {names(path): statements(parsed(path)) for path in [*FILES, *PAGES]}
    assert not {name: length for name, length in lengths.items() if length > 250}


def test_functions_stay_small() -> None:
    lengths = {
        f"{names(path)}:{node.lineno} {node.name}": statements(node)
        - 1
        - bool(ast.get_docstring(node))
        for path in [*FILES, *PAGES]
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert not {name: length for name, length in lengths.items() if length > 30}


def test_every_file_says_what_it_is_and_none_is_a_drawer() -> None:
    drawers = {"utils", "helpers", "manager", "handler", "misc", "common"}
    assert not [names(path) for path in [*FILES, *PAGES] if not ast.get_docstring(parsed(path))]
    assert not [names(path) for path in [*FILES, *PAGES] if path.stem in drawers]


def test_pages_hold_no_learning_and_no_figures() -> None:
    for path in PAGES:
        for module, _ in imported(path):
            assert module.split(".")[0] in ("streamlit", "bertsent"), (
                f"{names(path)} imports {module}"
            )


@pytest.mark.parametrize(
    "what",
    [
        "import bertsent",
        "import bertsent.__main__",
        "import bertsent.commands",
        "import bertsent.ui.shared.frame",
    ],
)
def test_importing_loads_no_torch(what: str) -> None:
    """Nor streamlit, where it is not the screen that is imported."""
    heavy = ["torch", "transformers", "sklearn", "datasets"] + (
        [] if "ui" in what else ["streamlit", "plotly"]
    )
    code = f"{what}; import sys; print([m for m in {heavy!r} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip().endswith("[]"), found.stdout


def test_the_settings_that_carry_a_class_are_set() -> None:
    config = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["fileWatcherType"] == "none"
    assert config["runner"]["postScriptGC"] is False
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["showErrorDetails"] == "none"
    assert (
        config["server"]["maxUploadSize"],
        config["server"]["maxMessageSize"],
        config["server"]["disconnectedSessionTTL"],
    ) == (
        50,
        50,
        60,
    )


def test_nothing_on_screen_comes_from_elsewhere() -> None:
    """No script, style or font of another host is named in the package; bertviz's own is named to
    be taken out.
    """
    for path in FILES:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "cdn" in line.lower() or "googleapis" in line:
                assert path.name == "bertviz_html.py", f"{names(path)}: {line.strip()}"


def test_no_path_of_somebody_s_machine_and_no_plain_address_is_written_down() -> None:
    """A server's own address is the only one that needs no encryption."""
    for path in [*FILES, *PAGES]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"""["'](/home/|/Users/|/root/|/tmp/|/mnt/|[A-Z]:\\\\)""", line), (
                f"{names(path)}: {line.strip()}"
            )
            if "http://" in line:
                assert path.name == "serve.py" or "http://www.w3.org/" in line, (
                    f"{names(path)}: {line.strip()}"
                )


def test_commands_stand_above_every_stage_but_the_screen() -> None:
    for door in sorted(DOORS):
        for module, _ in imported(PACKAGE / f"{door}.py"):
            assert stage(module) != "ui" or door == "__main__", f"{door} imports {module}"
            assert module.split(".")[0] not in ("streamlit", "plotly", "altair"), (
                f"{door} imports {module}"
            )


def public_classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(names(path))
    return found


def test_no_two_public_classes_share_a_name() -> None:
    """Twelve names once meant two or three things each (``Batch``, ``Pair``, ``Answers`` …)."""
    assert {k: v for k, v in public_classes().items() if len(v) > 1} == {}


def test_the_screen_has_one_folder_a_page_and_one_that_pages_share() -> None:
    folders = {path.name for path in (PACKAGE / "ui").iterdir() if path.is_dir()}
    pages = {re.sub(r"\W", "_", path.stem.split("_", 1)[1]).lower() for path in PAGES[1:]}
    pages = pages - {"class"} | {"class_hour"}  # ``class`` is a word of the language
    assert folders - {"__pycache__"} == pages | {"shared", "room"}


def test_tabs_import_what_the_shared_package_offers_from_it() -> None:
    """One way to import: only what ``bertsent.ui.shared`` does not list comes from its modules."""
    offered = set(importlib.import_module("bertsent.ui.shared").__all__)
    for path in [*PAGES, *FILES]:
        if path.is_relative_to(PACKAGE / "ui" / "shared"):
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "bertsent.ui.shared."
            ):
                twice = offered & {alias.name for alias in node.names}
                assert not twice, f"{names(path)} imports {twice} from {node.module}"


def glossary() -> Iterator[tuple[str, str]]:
    """Every word that stands in the glossary's last column, with the term that is used instead."""
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\| (.+?) \| .+? \| (.*?) ?\|$", text, flags=re.MULTILINE):
        yield from ((word, row[0]) for word in row[1].split(", ") if word not in ("", "not", "---"))


def parts(name: str) -> list[str]:
    """``_CheckpointStore`` → checkpoint, store."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def defined(path: Path) -> Iterator[str]:
    """The names that a file gives: its own, and those of functions, classes, parameters, fields."""
    yield path.stem
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def test_names_are_the_glossary_s() -> None:
    """One concept, one word: what the glossary replaces is no part of any name."""
    terms = {tuple(parts(word.replace(" ", "_"))): term for word, term in glossary()}
    assert not {
        f"{names(path)}: {name}: the word is “{terms[run]}”"
        for path in [*FILES, *PAGES]
        for name in set(defined(path))
        for run in runs(parts(name))
        if run in terms
    }


def runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Every stretch of words that stand side by side."""
    ends = range(len(words) + 1)
    return (tuple(words[i:j]) for i, j in itertools.combinations(ends, 2))


def test_every_hop_of_the_journeys_is_there() -> None:
    """ARCHITECTURE.md draws the calls as they are, in at most ten hops each."""
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    journeys = re.findall(r"^```\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)[1:]
    assert len(journeys) == 3
    for journey in journeys:
        hops = re.findall(r"\b[a-z]\w*(?:\.\w+){2,}", journey)
        assert 5 <= len(hops) <= 10
        for hop in hops:
            assert in_package(hop), hop


def in_package(hop: str) -> bool:
    """``stage.module.function`` or ``stage.module.Class.method``."""
    parts = hop.split(".")
    at = next(i for i in range(len(parts), 0, -1) if PACKAGE.joinpath(*parts[:i]).is_dir())
    tree: ast.AST = ast.parse(PACKAGE.joinpath(*parts[:at], f"{parts[at]}.py").read_text("utf-8"))
    for name in parts[at + 1 :]:
        found = [n for n in ast.iter_child_nodes(tree) if getattr(n, "name", "") == name]
        if not found:
            return False
        tree = found[0]
    return True
