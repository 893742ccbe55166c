"""Fine-tune: start runs, follow their curves, compare them and evaluate the result."""

from bertsent.ui.fine_tune.all_runs import all_runs
from bertsent.ui.fine_tune.compare import compare
from bertsent.ui.fine_tune.lesson import lesson
from bertsent.ui.fine_tune.loss_landscape import loss_landscape
from bertsent.ui.fine_tune.new_run import new_run
from bertsent.ui.fine_tune.opening import (
    ALL_RUNS,
    COMPARE,
    LANDSCAPE,
    LESSON,
    NEW_RUN,
    RUN,
    choose_tab,
    remember_run,
)
from bertsent.ui.fine_tune.run import run_tab
from bertsent.ui.shared.frame import FINE_TUNE, frame

TABS = {
    RUN: run_tab,
    NEW_RUN: new_run,
    COMPARE: compare,
    ALL_RUNS: all_runs,
    LANDSCAPE: loss_landscape,
    LESSON: lesson,
}

with frame(FINE_TUNE) as row:
    TABS[choose_tab(row)](row)
    remember_run()
