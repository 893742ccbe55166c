"""Where things live, what is allowed, what this machine can do: found without loading anything
heavy.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bertsent import settings
from bertsent.settings import (
    LIMITS,
    PROJECT,
    Machine,
    home,
    hub_answers,
    hub_is_on,
    machine,
)


@pytest.fixture
def looked_anew():
    machine.cache_clear()
    yield
    machine.cache_clear()


def test_the_lab_lies_beside_the_app_unless_told_otherwise(monkeypatch, tmp_path):
    monkeypatch.delenv("BERTSENT_HOME", raising=False)
    assert home() == PROJECT / ".bertsent"
    monkeypatch.setenv("BERTSENT_HOME", "")
    assert home() == PROJECT / ".bertsent"
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "a" / ".." / "lab"))
    assert home() == tmp_path / "lab" and not home().exists()
    monkeypatch.setenv("BERTSENT_HOME", "~/lab")
    assert home() == Path.home().resolve() / "lab"


def test_the_limits_are_those_the_design_names():
    assert (LIMITS.review_chars, LIMITS.upload_bytes, LIMITS.rows) == (5_000, 50 * 2**20, 100_000)
    assert (LIMITS.sentinels, LIMITS.shortest_length, LIMITS.longest_length) == (12, 8, 512)


def _environment(**given):
    """What the variables are after ``import bertsent`` in a fresh interpreter."""
    names = (
        "GOMP_SPINCOUNT",
        "TOKENIZERS_PARALLELISM",
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_HUB_OFFLINE",
    )
    bare = {k: v for k, v in os.environ.items() if k not in (*names, "BERTSENT_HUB")}
    code = f"import bertsent, os; print(*(os.environ[n] for n in {names!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env={**bare, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_importing_the_package_sets_what_must_be_set_before_torch_loads():
    assert _environment() == ["0", "false", "1", "1"]


def test_what_somebody_set_stays_and_the_hub_comes_when_asked_for():
    assert _environment(BERTSENT_HUB="1", GOMP_SPINCOUNT="9") == ["9", "false", "1", "0"]


def test_the_hub_is_off_unless_switched_on(monkeypatch):
    for value, on in (("1", False), ("true", False), ("0", True), ("", True)):
        monkeypatch.setenv("HF_HUB_OFFLINE", value)
        assert hub_is_on() is on
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert not hub_is_on()


def test_a_hub_that_is_away_is_noticed(monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}")
        assert not hub_answers(0.5)
    with socket.socket() as open_:
        open_.bind(("127.0.0.1", 0))
        open_.listen()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{open_.getsockname()[1]}")
        assert hub_answers(3)
    monkeypatch.setenv("HF_ENDPOINT", "https://no-such-host.invalid")
    assert not hub_answers(0.5)


def test_a_machine_without_a_graphics_card_trains_on_its_processor(looked_anew, monkeypatch):
    monkeypatch.setattr(settings, "_gpu_name", lambda: "")
    found = machine()
    assert found.device == "cpu" and found.cores >= 1
    assert found.sentence().startswith("CPU: ")


def test_a_graphics_card_is_used_unless_told_otherwise(looked_anew, monkeypatch):
    monkeypatch.setattr(settings, "_gpu_name", lambda: "NVIDIA H200")
    monkeypatch.delenv("BERTSENT_DEVICE", raising=False)
    assert machine().device == "cuda" and "GPU: NVIDIA H200" in machine().sentence()
    machine.cache_clear()
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    assert machine().device == "cpu"


def test_a_machine_that_says_nothing_of_itself_is_survived(looked_anew, monkeypatch):
    monkeypatch.setattr(settings, "_cpuinfo", dict)
    monkeypatch.setattr(settings, "_gpu_name", lambda: "")

    def unknown(_):
        raise ValueError

    monkeypatch.setattr(settings.os, "sysconf", unknown)
    assert machine().memory_gib == 0 and "GiB" not in machine().sentence()


def test_a_broken_driver_is_no_graphics_card(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed' >&2\nexit 9\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert settings._gpu_name() == ""
    tool.write_text("#!/bin/sh\necho 'NVIDIA H200'\necho 'NVIDIA H200'\n")
    assert settings._gpu_name() in ("NVIDIA H200", "")


def test_the_sentence_names_what_counts():
    assert Machine("cpu", "A chip", 2, 15.6).sentence() == "CPU: A chip, 2 cores, 16 GiB"


def test_what_holds_for_the_machine_is_kept_for_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert settings.user_cache() == tmp_path / "bertsent"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "lab"))
    assert settings.user_cache() == tmp_path / "lab" / "cache"
