"""Folders, limits, and what this machine can do. Loads no other library."""

import os
import platform
import shutil
import socket
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

_PACKAGE = Path(__file__).resolve().parent
INSTALLED = (_PACKAGE / "_app").is_dir()
PROJECT = _PACKAGE / "_app" if INSTALLED else _PACKAGE.parent
ASSETS = PROJECT / "assets"


@dataclass(frozen=True)
class Limits:
    """The bounds that keep one visitor from spoiling the lab for the others."""

    review_chars: int = 5_000  # a typed review
    row_chars: int = 100_000  # a review in a file
    rows: int = 100_000
    upload_bytes: int = 50 * 2**20
    sentinels: int = 12
    shortest_length: int = 8  # tokens, [CLS] and [SEP] included
    longest_length: int = 512
    runs_each: int = 6  # that train or wait, of one person who is not the host
    runs_waiting: int = 60  # of everybody
    run_minutes: int = 30  # estimated, of what one person starts at once


LIMITS = Limits()


def prepare_environment() -> None:
    """Set variables that torch and the Hugging Face libraries read when they are loaded; what is
    set already stays.
    """
    # two jobs on two cores do 5.8 steps/s together instead of 0.3
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_OFFLINE", "0" if os.environ.get("BERTSENT_HUB") == "1" else "1")


def home() -> Path:
    """The folder where runs, uploads and caches are kept: ``BERTSENT_HOME``, else ``.bertsent``
    beside ``app.py``, or in the user's home folder where the package is installed.
    """
    default = (Path.home() if INSTALLED else PROJECT) / ".bertsent"
    return Path(os.environ.get("BERTSENT_HOME") or default).expanduser().resolve()


def user_cache() -> Path:
    """The folder for measurements of this machine, whichever ``BERTSENT_HOME`` is used; inside that
    folder for a user without a home.
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    return folder / "bertsent" if folder.is_absolute() else home() / "cache"


def subprocess_environment() -> dict[str, str]:
    """The environment of a child process, which finds this package from any folder."""
    paths = [str(PROJECT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(frozen=True)
class Machine:
    """What this machine can do, found without loading torch."""

    device: str  # "cuda" or "cpu"
    name: str
    cores: int
    memory_gib: float

    def sentence(self) -> str:
        memory = f", {self.memory_gib:.0f} GiB" if self.memory_gib else ""
        kind = "GPU" if self.device == "cuda" else "CPU"
        return f"{kind}: {self.name}, {self.cores} cores{memory}"


@lru_cache(maxsize=1)
def machine() -> Machine:
    """Look at the processor, the memory and the graphics card once."""
    gpu = _gpu_name()
    wanted = os.environ.get("BERTSENT_DEVICE", "")
    device = "cuda" if gpu and wanted != "cpu" else "cpu"
    name = gpu if device == "cuda" else processor_name()
    return Machine(device, name, len(_usable_cores()), _memory_gib())


def hub_is_on() -> bool:
    """True when this process may speak to the Hugging Face Hub (``BERTSENT_HUB=1``)."""
    return os.environ.get("HF_HUB_OFFLINE", "1") not in {"1", "true", "TRUE", "ON", "YES"}


def hub_answers(seconds: float = 3.0) -> bool:
    """Try one connection to the Hub. It may take ``seconds``: never call it on a script thread."""
    address = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname, port), timeout=seconds).close()
    except OSError:
        return False
    return True


def _usable_cores() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _cpuinfo() -> dict[str, str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def processor_name() -> str:
    """The model of the processor."""
    return _cpuinfo().get("model name") or platform.processor() or platform.machine()


def _memory_gib() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return 0.0


def _gpu_name() -> str:
    tool = shutil.which("nvidia-smi")
    if not tool:
        return ""
    query = [tool, "--query-gpu=name", "--format=csv,noheader"]
    try:
        found = subprocess.run(
            query, capture_output=True, text=True, timeout=10, check=False
        ).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found[0].strip() if found else ""
