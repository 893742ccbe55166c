"""A process that trains: how it is started, and what memory it keeps, uses and finds free."""

import ctypes
import subprocess
import sys
from pathlib import Path

import psutil

from bertsent.settings import PROJECT, subprocess_environment

NICENESS = 10  # of every process that trains
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MOST = 2**31 - 1
_NO_MEMORY = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "failed to map segment",  # what an import says
)


def start_child(module: str, argument: Path, log: Path) -> "subprocess.Popen[bytes]":
    """Start ``python -m module argument``, detached from this process; what it prints is appended
    to ``log``.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, str(argument)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd=PROJECT,
            env=subprocess_environment(),
        )


def keep_freed_memory() -> bool:
    """Have glibc keep what was freed for the next step; False where there is no glibc.

    By default every large tensor is mapped from the kernel anew and its pages cleared at first
    touch: a training step on a CPU took 1.2 times as long. The most that is held at once stays the
    same. It concerns the whole process, so only one that does nothing else should call this.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False  # another C library, musl for one
    return bool(mallopt(_MMAP_THRESHOLD, 1 << 30)) and bool(mallopt(_TRIM_THRESHOLD, _MOST))


def out_of_memory(error: BaseException) -> bool:
    """True for the many ways in which Python, torch and the system say that memory ran out, an
    import that could not map a library among them.
    """
    if isinstance(error, MemoryError) or any(words in str(error).lower() for words in _NO_MEMORY):
        return True
    return error.__cause__ is not None and out_of_memory(error.__cause__)


def used_memory(device: str, *, peak: bool) -> int:
    """The bytes that this process holds, now or at its peak: on a GPU those of its tensors, else
    all that it has in memory.
    """
    if device == "cuda":
        import torch

        return torch.cuda.max_memory_allocated() if peak else torch.cuda.memory_allocated()
    name = "VmHWM:" if peak else "VmRSS:"
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
    except (OSError, StopIteration):  # no Linux: the peak is all that can be known
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def free_memory(device: str) -> int:
    """Bytes that a new process could have now, on the card where there is one."""
    if device == "cuda":
        import torch

        return torch.cuda.mem_get_info()[0]
    return min(psutil.virtual_memory().available, _container_allowance())


def _container_allowance() -> int:
    """What is left of the memory that a container grants; its cache of files makes room."""
    group = Path("/sys/fs/cgroup")
    try:
        limit, used, lines = (
            (group / name).read_text(encoding="utf-8")
            for name in ("memory.max", "memory.current", "memory.stat")
        )
        cached = dict(line.split() for line in lines.splitlines()).get("inactive_file", 0)
        return int(limit) - int(used) + int(cached)
    except (OSError, ValueError):  # no container, or one without a limit
        return sys.maxsize
