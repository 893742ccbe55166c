"""Which processes run below one."""

import subprocess


def children(process: int) -> dict[int, str]:
    """All processes below ``process``, at any depth, with their command lines."""
    found = subprocess.run(
        ["ps", "-e", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in found.stdout.splitlines()]
    above = {int(pid): int(parent) for pid, parent, *_ in rows}

    def below(pid: int) -> bool:
        while pid not in (0, process):
            pid = above.get(pid, 0)
        return pid == process

    return {int(row[0]): row[-1] for row in rows if below(int(row[0])) and int(row[0]) != process}
