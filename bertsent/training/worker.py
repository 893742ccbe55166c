"""The process that trains one run: ``python -m bertsent.training.worker RUN_FOLDER``.

It holds the run's lock, waits for its turn on the device, appends events and writes checkpoints.
Whatever happens to the app does not reach it, and whatever happens to it leaves a folder that can
be resumed.
"""

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import Timeout

from bertsent.errors import BertsentError, Busy, NotAvailable
from bertsent.training.checkpoints import is_evaluated
from bertsent.training.events import Event, Failed, Paused, Stopped
from bertsent.training.process import NICENESS, keep_freed_memory, out_of_memory
from bertsent.training.runs.queue import lock_of, turn
from bertsent.training.runs.run import Run
from bertsent.training.shared_folder import (
    Meeting,
    check_shared_folder,
    first_begins,
    tell_others,
)

NOT_SHARED, ALREADY_RUNNING, LOST_A_PROCESS = 2, 3, 4
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> int:
    """Work on the run named on the command line; exit status 2 when a host does not see its folder,
    3 when another worker already works on it, 4 when another process of the training died.
    """
    run = Run(Path(sys.argv[1]).resolve())
    keep_freed_memory()
    try:
        meeting = check_shared_folder(run.folder)
    except NotAvailable as error:
        print(error, file=sys.stderr, flush=True)
        return NOT_SHARED
    # a helper of `accelerate launch` computes; the first process writes
    if int(os.environ.get("RANK", "0")):
        if first_begins(meeting):
            for _ in _training(run, lambda: "", leads=False):
                pass
        _leave_process_group()
        return 0
    lock = lock_of(run.folder)
    try:
        lock.acquire(timeout=1, poll_interval=0.01)  # an onlooker may hold it for an instant
    except Timeout:
        tell_others(meeting, False)
        print(Busy(f"Run {run.id} already has a worker."), flush=True)
        return ALREADY_RUNNING
    with lock:
        status = _work(run, meeting)
        _leave_process_group()
        return status


def _leave_process_group() -> None:
    """Close the connections to the other processes of one training, if there are any: their threads
    must not outlive Python's.
    """
    group = sys.modules.get("torch.distributed")
    if group is not None and group.is_available() and group.is_initialized():
        group.destroy_process_group()


def _work(run: Run, meeting: Meeting | None) -> int:
    run.log.repair()
    os.nice(NICENESS)
    requested = _listen(run)
    try:
        with turn(run.folder, run.config.device, lambda: _gives_up(run, requested())) as ours:
            tell_others(meeting, ours)
            for event in _training(run, requested) if ours else [_never_began(run, requested())]:
                run.log.append(event)
    except BaseException as error:
        if _lost_a_process(error):  # nothing is wrong with the run: it is interrupted
            traceback.print_exc()
            print(f"Another process of run {run.id} died. Resume it.", flush=True)
            return LOST_A_PROCESS
        run.log.append(explain(error, run))
        traceback.print_exc()  # last, because this may fail as well when the disk is full
        return 1
    return 0


def _lost_a_process(error: BaseException) -> bool:
    """Whether the connection to another process of the same training broke."""
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    words = ("gloo", "nccl", "connection", "process group", "store")
    return (
        several
        and isinstance(error, RuntimeError)
        and not isinstance(error, BertsentError)
        and any(word in str(error).lower() for word in words)
    )


def _listen(run: Run) -> Callable[[], str]:
    """What was requested of this worker: by the run's control file, or by a signal to end, which
    means a pause.
    """
    ended: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, frame: ended.append(received))
    return lambda: "pause" if ended else run.requested()


def _gives_up(run: Run, request: str) -> bool:
    """A pause leaves the queue at once; a stop waits for its turn when weights are kept that were
    not evaluated yet.
    """
    return request == "pause" or (request == "stop" and is_evaluated(run.checkpoints))


def _never_began(run: Run, request: str) -> Event:
    history = run.history()
    return (
        Paused(step=history.step)
        if request == "pause"
        else Stopped(step=history.step, seconds=history.seconds)
    )


def _training(run: Run, requested: Callable[[], str], *, leads: bool = True) -> Iterator[Event]:
    from bertsent.training.build import build_model
    from bertsent.training.checkpoint_store import CheckpointStore
    from bertsent.training.loop import train

    config, splits = run.config, run.splits()
    model, tokenizer = build_model(
        config.model, config.training, expected=config.model_sha256, task=config.task
    )
    store = CheckpointStore(run.checkpoints, run.id, config.model)
    if leads:
        store.sweep()
    return train(
        model,
        tokenizer,
        splits,
        config.training,
        sentinels=run.sentinels,
        device=config.device,
        store=store,
        requested=requested,
        save_scores=run.save_scores if leads else lambda step, answers: None,
        clean_texts=config.clean_texts,
    )


def explain(error: BaseException, run: Run) -> Failed:
    """An exception as an event with words for a person."""
    step, detail = run.history().step, str(error).strip()
    if isinstance(error, BertsentError):
        return Failed(step=step, reason=error.what, remedy=error.remedy)
    if isinstance(error, OSError) and (error.errno in _DISK_FULL or "No space left" in detail):
        return Failed(
            step=step,
            reason="The disk is full.",
            remedy="Free some space, then resume: the last whole checkpoint is kept.",
        )
    if out_of_memory(error):
        size = max(1, run.config.training.batch_size // 2)
        return Failed(
            step=step,
            reason="There was not enough memory.",
            remedy=f"Start again with batch size {size} or shorter texts.",
        )
    first_line = detail.splitlines()[0][:200] if detail else ""
    return Failed(
        step=step,
        reason=f"Something unexpected happened: {type(error).__name__} {first_line}".strip(),
        remedy="worker.log of the run has the details; resume goes on from the last checkpoint.",
    )


if __name__ == "__main__":
    sys.exit(main())
