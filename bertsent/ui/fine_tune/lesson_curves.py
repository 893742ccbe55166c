"""Guidance on the curves of the chosen run: a picture with notes, a verdict, and where each number
comes from.
"""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.curves.chance import margins
from bertsent.training.curves.guidance import USUAL, course_told, headline, warm_up_told
from bertsent.training.curves.reading import (
    LITTLE,
    Margin,
    Point,
    Reading,
    WarmUp,
    points_of,
    read_curves,
    read_warm_up,
)
from bertsent.training.runs.run import Run
from bertsent.ui.shared.charts import draw
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.live_runs import run_reader

_HOW = f"""
- **Validation loss** is the mean cross-entropy over all validation reviews at an evaluation; **training loss** is the mean over the batches
  of the epoch that ends there, with dropout on, so it is on average half an epoch older.
- **±** is half the 95 % interval of a change of validation loss, from the differences $d_i$ of the single reviews:
  $1.96 \\cdot s_d / \\sqrt{{n}}$. A change inside it is not called one. It says nothing of other seeds, which move curves too.
- **Overfitting**: since its lowest point validation loss has risen by more than that while training loss fell.
- **Still falling**: the last evaluation is the lowest, by more than that and by more than {LITTLE:.0%} of the whole range.

Sources: Prechelt (1998), *Early Stopping, but when?*; Devlin et al. (2019), appendix A.3, for warm-up and epochs.
"""


def curves(run: Run | None) -> None:
    """Draw what the curves of ``run`` say; where there is none, what will be here."""
    if run is None:
        st.caption(
            "Start a run: what its curves say will be here, from its third evaluation on. The "
            "built-in model's curves were not kept."
        )
        return
    history, status = run_reader(run).look()
    points = points_of(history.evaluations)
    found = read_curves(points, _margins(run, points))
    training = run.config.training
    total = history.started.total_steps if history.started else 0
    warm_up = read_warm_up(
        history.steps, total, training.warmup_share, head_only=training.trains == "head"
    )
    st.markdown(f"**{escape_markdown(headline(found, live=status.live))}**")
    if points:
        _picture(points, found, warm_up, total)
    told = course_told(found, steps_left=total - history.step)
    told += [
        *_kept(run, found),
        warm_up_told(warm_up),
        *([USUAL] if found.verdict != "few" else []),
    ]
    st.markdown("\n".join(f"- {escape_markdown(each)}" for each in told))
    _take_away(run, points)


def _margins(run: Run, points: tuple[Point, ...]) -> Margin:
    """How far chance goes; not known where the reviews of the run cannot be read any more."""
    try:
        labels = _labels(str(run.folder), (run.folder / "config.json").stat().st_mtime_ns, run)
    except BertsentError:
        return lambda one, other: None
    found = {point.step: run.scores(point.step) for point in points}
    return margins({step: p for step, p in found.items() if p is not None}, labels)


@st.cache_data(max_entries=16, show_spinner=False)
def _labels(folder: str, created: int, _run: Run) -> tuple[int, ...]:
    return tuple(_run.splits().validation.labels)


def _picture(points: tuple[Point, ...], found: Reading, warm_up: WarmUp | None, total: int) -> None:
    from bertsent.figures.annotated_loss import annotated_loss_chart
    from bertsent.figures.chart_spec import chart_spec

    chart = annotated_loss_chart(
        _frame(points),
        total_steps=total,
        warm_up=warm_up.steps if warm_up else 0,
        lowest=found.best.step if found.best else None,
        overfits=found.verdict == "overfitting",
    )
    draw(
        chart_spec(chart),
        key="lesson-course",
        alt="Training and validation loss by step, with warm-up and the lowest point marked",
    )


def _kept(run: Run, found: Reading) -> list[str]:
    """That the best weights are still there, where they are not the last ones."""
    if found.best is None or found.best is found.last or not found.best.step:
        return []
    name = f"step-{found.best.step}"
    if all(folder.name != name for folder in list_checkpoints(run.checkpoints)):
        return []
    return [
        f"Its weights of that point are kept: choose {run.id}, step {found.best.step:,} wherever a "
        "page asks who answers."
    ]


def _frame(points: tuple[Point, ...]) -> pd.DataFrame:
    table = pd.DataFrame([asdict(point) for point in points])
    return table.astype({"training": "float64"})


def _take_away(run: Run, points: tuple[Point, ...]) -> None:
    with st.container(horizontal=True, gap="small"):
        if points:
            table = _frame(points)
            st.download_button(
                "Evaluations as CSV",
                safe_csv(table),
                f"{run.id}-evaluations.csv",
                "text/csv",
                key="lesson-csv",
                on_click="ignore",
            )
        with st.popover("How is this computed?"):
            st.markdown(_HOW)
