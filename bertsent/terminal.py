"""Work in, progress bars on standard error out."""

import time
from typing import TYPE_CHECKING, Any

from bertsent.progress import Progress, no_progress

if TYPE_CHECKING:
    from bertsent.training.runs.history import History
    from bertsent.training.runs.run import Run


def follow(run: "Run", *, quiet: bool) -> "History":
    """Draw the progress bar of a run until its worker ends."""
    from tqdm import tqdm

    from bertsent.training.runs.history import History

    history, offset = History(), 0
    with tqdm(disable=quiet, unit="step", desc=run.id, dynamic_ncols=True, initial=0) as bar:
        while True:
            alive = run.alive()
            events, offset = run.log.read(offset)
            history.add(events)
            _draw(bar, history, run)
            if not alive:
                return history.add(run.log.read(offset)[0])
            time.sleep(0.3)


def _draw(bar: Any, history: "History", run: "Run") -> None:
    if history.started:
        bar.total = history.started.total_steps
    if history.steps:
        step = history.steps[-1]
        note = (
            f"loss {step.loss:.3f} · {step.tokens_per_second:,.0f} tokens/s · "
            f"{step.eta_seconds:.0f} s left"
        )
        bar.set_postfix_str(note, refresh=False)
        bar.n = step.step
    elif (place := run.status(history).queue_position) > 0:
        bar.set_postfix_str(f"waiting, {place} ahead of it", refresh=False)
    bar.refresh()


def bar(title: str, total: int, *, quiet: bool) -> Progress:
    """Something to call with a fraction from 0 to 1; few texts get no bar."""
    if quiet or total < 50:
        return no_progress
    from tqdm import tqdm

    shown = tqdm(total=total, desc=title, unit="review", dynamic_ncols=True)

    def report(fraction: float) -> None:
        shown.update(round(fraction * total) - shown.n)
        if fraction >= 1:
            shown.close()

    return report
