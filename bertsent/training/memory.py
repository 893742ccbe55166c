"""Memory of a training process: what its allocator keeps, what it has used, what is free."""

import ctypes
import sys
from pathlib import Path

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MOST = 2**31 - 1
_NO_MEMORY = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "failed to map segment",  # what an import says
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


def peak_memory(device: str) -> int:
    """The most bytes that this process has held: on a GPU those of its tensors, else all that it
    had in memory.
    """
    if device == "cuda":
        import torch

        return torch.cuda.max_memory_allocated()
    return _of_process("VmHWM")


def held_memory(device: str) -> int:
    """The bytes that this process holds now."""
    if device == "cuda":
        import torch

        return torch.cuda.memory_allocated()
    return _of_process("VmRSS")


def _of_process(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
    except (OSError, StopIteration):  # no Linux: the peak is all that can be known
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def free_memory(device: str) -> int:
    """Bytes that a new process could have now, on the card where there is one; 0 when it cannot be
    found out.
    """
    if device == "cuda":
        import torch

        return torch.cuda.mem_get_info()[0]
    try:
        import psutil  # comes with accelerate

        return min(psutil.virtual_memory().available, _container_allowance())
    except (ImportError, OSError):
        return 0


def _container_allowance() -> int:
    """What is left of the memory that a container grants; its cache of files makes room."""
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = (
            int((group / name).read_text(encoding="utf-8"))
            for name in ("memory.max", "memory.current")
        )
        lines = (group / "memory.stat").read_text(encoding="utf-8").splitlines()
        return limit - used + int(dict(line.split() for line in lines).get("inactive_file", 0))
    except (OSError, ValueError):  # no container, or one without a limit
        return sys.maxsize
