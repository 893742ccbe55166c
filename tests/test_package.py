"""What ``pip install .`` delivers: the command, and the app with its
pages and its model.
"""

import os
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bertsent import __version__
from bertsent.settings import PROJECT
from tests.conftest import wait_until

CONFIG = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_newest_entry_of_the_changelog_is_this_version():
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = next(line for line in changelog.splitlines() if line.startswith("## "))
    assert newest.startswith(f"## {__version__}")


def test_every_folder_of_assets_that_the_code_reads_is_delivered():
    """``assets/tasks`` was read and not delivered. Screenshots are of the README alone."""
    delivered = CONFIG["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    tracked = subprocess.run(
        ["git", "ls-files", "assets"], cwd=PROJECT, capture_output=True, text=True
    ).stdout.split()
    found = {"/".join(name.split("/")[:2]) for name in tracked} - {"assets/screenshots"}
    assert found <= set(delivered)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with nothing but the package and what it requires: its ``bin`` folder.

    What is required lies in this environment already, where pip has put it, and is linked from
    here: installed anew it takes minutes. ``pip check`` says whether it is all there.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", str(PROJECT)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (described,) = distributions(name="bertsent", path=[str(packages)])
    for name in _required(described.requires or []):
        for entry in {Path(file).parts[0] for file in distribution(name).files or []}:
            origin, link = Path(str(distribution(name).locate_file(entry))), packages / entry
            if entry != ".." and origin.exists() and not link.exists():
                link.symlink_to(origin)
    subprocess.run([*pip, "check"], check=True)
    return folder / "bin"


def _required(requirements: list[str]) -> set[str]:
    """Names of the distributions that are needed, and that those need in turn."""
    names: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        each = waiting.pop()
        if each.name in names or not _applies(each):
            continue
        names.add(each.name)
        for text in distribution(each.name).requires or []:
            inner = Requirement(text)
            if any(_applies(inner, extra) for extra in ("", *each.extras)):
                waiting.append(inner)
    return names


def _applies(requirement: Requirement, extra: str = "") -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def environment(home: Path) -> dict[str, str]:
    """That of a newcomer: nothing points at this checkout."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "BERTSENT"))}
    return {**kept, "BERTSENT_HOME": str(home), "BERTSENT_DEVICE": "cpu"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_installed_command_answers_from_any_folder(installed: Path, tmp_path: Path) -> None:
    answer = subprocess.run(
        [installed / "bertsent", "predict"],
        input="Great, another boring movie\n",
        cwd=tmp_path,
        env=environment(tmp_path / "lab"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith("NEGATIVE")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_installed_app_serves_its_pages(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [installed / "bertsent", "serve"],
        cwd=tmp_path,
        env={**environment(tmp_path / "lab"), "PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: _status(port, "_stcore/health") == 200)
        assert _status(port, "_stcore/script-health-check") == 200  # app.py and Home ran
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.communicate(timeout=30)


def _status(port: int, path: str) -> int:
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=60).status
    except OSError:
        return 0
