"""Thirty viewers of one live run: what a second of looking costs the server."""

import tempfile
from pathlib import Path

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved

VIEWERS, STEPS = 30, 2_000


def rows(quick: bool) -> list[Row]:
    """Milliseconds for thirty looks after one new step."""
    found = run_in_child("viewers", "measure", times=3 if quick else 20)
    how = (
        f"status and history of a run of {STEPS:,} steps after one more, the shared reader "
        "against everybody reading it anew"
    )
    return [
        Row(
            f"{VIEWERS} viewers of a live run",
            "ms",
            found["ours"] * 1000,
            found["peer"] * 1000,
            how,
        )
    ]


def measure(times: int) -> dict[str, float]:
    """Seconds of both."""
    from bertsent.training.runs.run import Run
    from bertsent.ui.shared.live_runs import RunReader

    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        for step in range(1, STEPS + 1):
            run.log.append(_step(step))
        shared = RunReader(run)
        shared.look()

        def ours(turn: int) -> None:
            run.log.append(_step(STEPS + turn))
            shared.forget_age()
            for _ in range(VIEWERS):
                shared.look()

        def peer(_: int) -> None:
            for _ in range(VIEWERS):
                run.status(run.history())

        return interleaved({"ours": ours, "peer": peer}, times, warm_up=1)


def _step(step: int):  # a Stepped
    from bertsent.training.events import Stepped

    return Stepped(
        step=step,
        epoch=step / STEPS,
        loss=0.5,
        accuracy=0.8,
        learning_rate=5e-5,
        head_learning_rate=1e-3,
        grad_norm=1.0,
        tokens=3_000,
        tokens_per_second=3_000.0,
        seconds=float(step),
        eta_seconds=float(STEPS - step),
    )
