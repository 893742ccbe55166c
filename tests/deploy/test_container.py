"""The container, where there is no Docker: what its files say, and its steps executed one after the
other. ``BERTSENT_BUILD_IMAGE=1`` has the second test install everything anew, which takes minutes
and the package index; without it the environment of the tests stands for what would be installed.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bertsent.settings import PROJECT
from tests.conftest import wait_until
from tests.deploy.dockerfile import IMAGE_PATHS, Image, command, copied, steps

FILE = PROJECT / "Dockerfile"
SPACE = PROJECT / "deploy" / "space" / "README.md"
LARGEST, BASE = 2_500, 150  # MB of the image, and of python:3.11-slim as it is published
WHOLE = os.environ.get("BERTSENT_BUILD_IMAGE") == "1"
# everything that lies on the same disk becomes read-only for this process alone
READ_ONLY = """set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro /
cd "$2"; shift 2
exec "$@"
"""


def sources() -> set[str]:
    return {source for named, _ in copied(FILE) for source in named}


def test_what_is_copied_is_there_and_not_ignored() -> None:
    kept = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert kept[1] == "*", "only what is named comes along"
    for source in sources():
        assert (PROJECT / source).exists(), source
        assert f"!{source}" in kept, source
    assert {line[1:] for line in kept if line.startswith("!")} == sources()


def test_what_the_package_delivers_is_copied() -> None:
    delivered = re.findall(
        r'^"([^"]+)" = "bertsent/_app', (PROJECT / "pyproject.toml").read_text(), flags=re.MULTILINE
    )
    assert {name.split("/")[0] for name in delivered} <= sources()


def test_it_runs_as_nobody_special_and_writes_to_one_volume() -> None:
    named = {step.name: step.text for step in steps(FILE)}
    order = [step.name for step in steps(FILE)]
    assert named["USER"] == "1000" and order.index("USER") < order.index("CMD")
    assert [step.text for step in steps(FILE) if step.name == "VOLUME"] == ["/data"]
    folders = dict(re.findall(r"(\w+)=(\S+)", named["ENV"]))
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "BERTSENT_HOME"):
        assert folders[name].startswith("/data"), name
    assert folders["PORT"] == named["EXPOSE"]
    assert "/_stcore/health" in command(FILE, "HEALTHCHECK")[-1]
    assert not [step for step in steps(FILE) if step.name == "ADD"]
    assert re.search(r"uv==\d+\.\d+\.\d+", named["RUN"] + FILE.read_text()), "a version of its own"


def test_compose_keeps_it_read_only_but_for_the_volume() -> None:
    (lab,) = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"].values()
    assert lab["read_only"] is True and lab["volumes"] == ["lab:/data"]
    assert lab["cap_drop"] == ["ALL"] and "no-new-privileges:true" in lab["security_opt"]
    assert not lab.get("tmpfs") and not lab.get("privileged")
    ports = lab["ports"][0]
    assert ports.endswith(":8501:8501") and "127.0.0.1" in ports, "not the network by itself"


def test_the_space_is_set_up_as_the_image_is_built() -> None:
    """What Hugging Face documents for the front matter of a Space of type Docker."""
    _, front, text = SPACE.read_text(encoding="utf-8").split("---\n", 2)
    settings = yaml.safe_load(front)
    folders = dict(re.findall(r"(\w+)=(\S+)", next(s.text for s in steps(FILE) if s.name == "ENV")))
    assert settings["sdk"] == "docker" and str(settings["app_port"]) == folders["PORT"]
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {settings["colorFrom"], settings["colorTo"]} <= colours
    assert len(settings["short_description"]) <= 60
    for source in sources():
        assert f"`{source}`" in text or f"`{source}/`" in text, source


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """All steps executed; the installing ones where that is asked for."""
    built = Image(tmp_path_factory.mktemp("image"), {"TORCH": ""})
    if not WHOLE:
        built.path("/venv").symlink_to(Path(sys.prefix))
        run = built._run
        built._run = lambda text: "uv==" not in text and run(text)  # type: ignore[method-assign]
    built.build(FILE, PROJECT)
    return built


@pytest.fixture(scope="module")
def served(image: Image) -> Iterator[tuple[Image, list[str], int]]:
    """The container's command, in a file system of its own that is read-only but for ``/data``."""
    data, app = image.path("/data"), image.path("/app")
    inside = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(data), str(app)]
    tried = subprocess.run([*inside, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this machine lets nobody mount anything: {tried.stderr.strip()[:100]}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        image.environment["PORT"] = str(port := probe.getsockname()[1])
    (image.root / "log").touch()
    with (image.root / "log").open("w") as log:
        server = subprocess.Popen(
            [*inside, *command(FILE, "CMD")],
            env=image.variables(),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield image, inside, port
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


@pytest.mark.machines
@pytest.mark.timeout(3600 if WHOLE else 900)
def test_it_starts_read_only_and_is_healthy(served: tuple[Image, list[str], int]) -> None:
    image, inside, port = served
    for place in (image.path("/app"), image.path("/venv"), image.root):
        written = subprocess.run(
            ["unshare", *inside[1:], "touch", f"{place}/written"], capture_output=True, text=True
        )
        assert written.returncode and "Read-only file system" in written.stderr
    check = [*inside, *command(FILE, "HEALTHCHECK")]

    def healthy() -> bool:
        return subprocess.run(check, env=image.variables(), capture_output=True).returncode == 0

    wait_until(healthy, 300, every=0.5)
    wait_until(lambda: _runs_home(port), 600)
    wait_until((image.path("/data") / "teacher-key").is_file, 60)  # drawn once Home has run


def _runs_home(port: int) -> bool:
    address = f"http://127.0.0.1:{port}/_stcore/script-health-check"
    try:
        return urllib.request.urlopen(address, timeout=300).status == 200
    except OSError:  # on a busy machine it gives up first
        return False


@pytest.mark.machines
def test_a_model_answers_there(served: tuple[Image, list[str], int]) -> None:
    image, inside, _ = served
    answer = subprocess.run(
        [*inside, "python", "-m", "bertsent", "predict"],
        input="Great, another boring movie\n",
        env=image.variables(),
        capture_output=True,
        text=True,
    )
    assert answer.stdout.startswith("NEGATIVE"), answer.stderr


@pytest.mark.machines
@pytest.mark.skipif(not WHOLE, reason="BERTSENT_BUILD_IMAGE=1 is not set")
def test_the_whole_image_is_small_enough(image: Image) -> None:
    sizes = {path: _megabytes(image.path(path)) for path in ("/app", "/venv")}
    print("\nexecuted:", *image.executed, "\nleft out:", *image.left_out, sep="\n  ")
    print(f"\nMB: {sizes}, {time.strftime('%Y-%m-%d')}")
    assert not image.path("/tmp/uv").exists()
    assert sum(sizes.values()) + BASE < LARGEST


def _megabytes(folder: Path) -> float:
    files = (path.lstat().st_blocks for path in folder.rglob("*"))
    return round(sum(files) * 512 / 1e6)


def test_the_paths_of_the_image_become_paths_here(tmp_path: Path) -> None:
    """Nothing is written into folders of this machine that have the names of the image's."""
    image = Image(tmp_path, {})
    for path in IMAGE_PATHS:
        assert image.translated(f"rm {path}/x") == f"rm {tmp_path}{path}/x"
    assert image.translated("x/app --data requirements") == "x/app --data requirements"
