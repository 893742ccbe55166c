"""A function's name in, its answer out, worked out by a fresh process: caches, threads and memory
do not mix.

    python -m tests.benchmarks.child_process MODULE FUNCTION '{"rows": 200}'

The child prints one JSON document as its last line: what the function gave back, and ``peak_mib``,
the most memory it held.
"""

import importlib
import json
import resource
import subprocess
import sys

from bertsent.settings import PROJECT

_BYTES = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in


def run_in_child(module: str, function: str, **arguments: object) -> dict:
    """``tests.benchmarks.<module>.<function>(**arguments)`` in a process of its own.

    Raises:
        RuntimeError: it failed; the text ends with what it wrote on standard error.
    """
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.child_process",
        module,
        function,
        json.dumps(arguments),
    ]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{module}.{function} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def mib(maxrss: int) -> float:
    """What ``getrusage`` calls ``ru_maxrss``, in MiB."""
    return maxrss * _BYTES / 2**20


def main() -> None:
    module, function, arguments = sys.argv[1:]
    answer = getattr(importlib.import_module(f"tests.benchmarks.{module}"), function)(
        **json.loads(arguments)
    )
    print(
        json.dumps({**answer, "peak_mib": mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)})
    )


if __name__ == "__main__":
    main()
