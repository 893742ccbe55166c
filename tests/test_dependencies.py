"""Four lists that have to agree: what the package allows (pyproject.toml), the oldest of it, what
``make`` installs, and the lock of the container.
"""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from bertsent.settings import PROJECT

ALLOWED = [
    Requirement(text)
    for text in tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
]
_ENTRY = re.compile(
    r"^([\w.-]+)==(\S+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}.*\n)+)",
    flags=re.MULTILINE,
)


def pins(name: str) -> dict[str, Requirement]:
    """The lines of a list, each of which has to name one version."""
    found = {}
    for line in (PROJECT / name).read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line and not line.startswith("-r "):
            pin = Requirement(line)
            (only,) = pin.specifier
            assert only.operator == "==" and not only.version.endswith("*"), f"{name}: {line}"
            found[canonicalize_name(pin.name)] = pin
    return found


def of(pin: Requirement) -> str:
    (only,) = pin.specifier
    return only.version


def lock() -> dict[str, str]:
    text = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    entries = {canonicalize_name(name): found for name, found, _ in _ENTRY.findall(text)}
    assert len(entries) == len(re.findall(r"^[\w.-]+==", text, flags=re.MULTILINE)), (
        "all have a hash"
    )
    return entries


def test_what_make_installs_is_allowed_and_everything_allowed_is_installed() -> None:
    installed = pins("requirements.txt")
    assert {canonicalize_name(each.name) for each in ALLOWED} == set(installed)
    for each in ALLOWED:
        pin = installed[canonicalize_name(each.name)]
        assert each.specifier.contains(of(pin)), f"{pin} is not within {each}"
        assert each.marker == pin.marker, each.name


def test_every_bound_has_two_ends() -> None:
    for each in ALLOWED:
        operators = sorted(part.operator for part in each.specifier)
        assert operators in (["=="], ["<", ">="]), each


def test_the_oldest_are_the_lower_bounds() -> None:
    oldest = pins("requirements-oldest.txt")
    assert set(oldest) == {canonicalize_name(each.name) for each in ALLOWED}
    for each in ALLOWED:
        lower = next(part.version for part in each.specifier if part.operator in (">=", "=="))
        assert Version(of(oldest[canonicalize_name(each.name)])) == Version(lower), each


def test_the_tools_are_pinned() -> None:
    assert {"pytest", "uv", "pip-licenses"} <= set(pins("requirements-dev.txt"))
    dockerfile = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    assert f"uv=={of(pins('requirements-dev.txt')['uv'])}" in dockerfile


def test_the_lock_fits_what_make_installs() -> None:
    locked = lock()
    for name, pin in pins("requirements.txt").items():
        if pin.marker is None or pin.marker.evaluate({"sys_platform": "linux"}):
            assert pin.specifier.contains(locked[name]), name


def test_the_lock_holds_all_that_is_needed_in_turn() -> None:
    """Each distribution that is installed here and locked needs what is locked as well."""
    locked = lock()
    for name in locked:
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        if Version(version(name)).public != Version(locked[name]).public:
            continue
        for inner in map(Requirement, needed):
            if inner.marker is None or inner.marker.evaluate({"extra": ""}):
                assert canonicalize_name(inner.name) in locked, f"{name} needs {inner}"


def test_the_lock_names_no_index_and_no_library_of_a_graphics_card() -> None:
    text = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text and not re.search(r"^--", text, flags=re.MULTILINE)
    assert not [name for name in lock() if name.startswith(("nvidia", "cuda", "triton"))]
    assert lock()["torch"] == "2.13.0+cpu"


def test_every_dependency_has_a_licence() -> None:
    """What ``make licences`` prints."""
    pytest.importorskip("piplicenses")
    names = [name for name in lock() if _is_installed(name)]
    found = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--from=mixed", "--with-system", "--format=csv"]
        + ["--packages", *names],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()[1:]
    assert len(found) == len(names) > 80
    unknown = {line.split('"')[1] for line in found if "UNKNOWN" in line}
    assert unknown == set()


def _is_installed(name: str) -> bool:
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False
