"""The runs of an hour as exhibits: what each learned, the best that it reached in the measure of
its task, and the curves that were seen while it trained.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import pandas as pd

from bertsent.figures.embedded import vega_spec
from bertsent.figures.learning_curves import learning_curves
from bertsent.report.document import Drawing, Exhibit, NumberTable
from bertsent.tasks.followed import P_POSITIVE, followed_answer
from bertsent.tasks.measure import measure_of
from bertsent.training.curves.curve_sentences import course_sentence
from bertsent.training.runs.notes import run_label
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_tables import READ_ERRORS, RUN_COLUMNS, run_row, runs_in_words

MOST_CURVES = 6  # runs; those of a long one take a third of a megabyte
_BELOW = {  # room for a legend, which may need a row more when its width is known
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 5, "right": 5, "top": 5, "bottom": 30},
}
_SHOWN = ["run", "learns", "best", "reviews", "steps", "seconds"]


def runs_sentence(runs: Sequence[Run]) -> str:
    """How many there are, and how good the first of them became; empty without one."""
    if not runs:
        return ""
    rows = _rows(runs)
    said = [f"{row.run} ({row.best})" for row in rows[rows["best"] != ""].itertuples()]
    more = f" and {len(said) - MOST_CURVES} more" if len(said) > MOST_CURVES else ""
    best = f": {', '.join(said[:MOST_CURVES])}{more}" if said else ""
    return f"{'1 run was' if len(runs) == 1 else f'{len(runs)} runs were'} trained{best}."


def run_exhibits(runs: Sequence[Run]) -> Iterator[Exhibit]:
    """A table of all, then the curves of the first ones, without the sentences that were followed:
    they are whose run it is.
    """
    if not runs:
        return
    table = NumberTable.of_frame("Runs", _rows(runs)[_SHOWN], opened=True)
    yield Exhibit("Runs", (runs_sentence(runs),), tables=(table,))
    drawn = 0
    for run in runs:
        with suppress(*READ_ERRORS):
            if drawn < MOST_CURVES and run.history().evaluations:
                yield curves_exhibit(run, run_label(run.folder), sentences=False)
                drawn += 1


def curves_exhibit(run: Run, heading: str, *, sentences: bool = True) -> Exhibit:
    """What was seen on the projector while it trained.

    Raises:
        BertsentError: its files cannot be read.
    """
    history, task = run.history(), run.config.task
    measure, followed = measure_of(task), followed_answer(task)
    charts = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        history.sentinel_frame(),
        total_steps=max(history.step, 1),
        measure=measure,
        followed=followed or P_POSITIVE,
    )
    shown = [(charts.loss, "Loss by step"), (charts.accuracy, f"{measure.title} by step")]
    if sentences and followed:
        what = f"{followed.title} of the sentences that were followed, by step"
        shown.append((charts.sentinels, what))
    drawings = [Drawing("vega", {**vega_spec(chart), **_BELOW}, alt) for chart, alt in shown]
    words = course_sentence(history, measure)
    return Exhibit(heading, (words,), {"Learns": task.title}, tuple(drawings))


def _rows(runs: Sequence[Run]) -> pd.DataFrame:
    return runs_in_words(pd.DataFrame(map(run_row, runs), columns=list(RUN_COLUMNS)))
