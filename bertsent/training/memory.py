"""What a process that trains asks of its memory allocator."""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MOST = 2**31 - 1


def keep_freed_memory() -> bool:
    """Have glibc keep what was freed for the next step; False where there is no glibc.

    By default every large tensor is mapped from the kernel anew and its pages cleared at first
    touch: a training step on a CPU took
    1.2 times as long. The most that is held at once stays the same. It concerns the whole process,
    so only one that does nothing else
    should ask for it.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False  # another C library, musl for one
    return bool(mallopt(_MMAP_THRESHOLD, 1 << 30)) and bool(mallopt(_TRIM_THRESHOLD, _MOST))
