"""A/B runs while they train: a table of the runs and the curves of both arms, beside the published
ones.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.paired_runs import paired_run_curves
from bertsent.training.groups.published import PUBLISHED
from bertsent.training.groups.run_group import MemberState, RunGroup
from bertsent.training.runs.epoch_table import epoch_rows

ALT = {
    "loss": "Training loss of both arms by epoch",
    "val_loss": "Validation loss of both arms by epoch",
    "accuracy": "Training accuracy of both arms by epoch",
    "val_accuracy": "Validation accuracy of both arms by epoch",
}
_COLUMNS = {
    "validation accuracy": st.column_config.NumberColumn(format="%.1f %%"),
    "progress": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
}


def ab_progress(group: RunGroup, states: list[MemberState]) -> None:
    """Draw the table and the curves as they stand."""
    st.dataframe(
        _table(states), hide_index=True, key=f"ab-table-{group.name}", column_config=_COLUMNS
    )
    shown = st.checkbox(
        "Show the published figures", group.source == "toy", key=f"ab-published-{group.name}"
    )
    printed = None
    if shown:
        printed = pd.concat([run.rows().assign(arm=arm) for arm, run in PUBLISHED.items()])
        printed = printed[printed["epoch"] <= group.epochs]
    charts = paired_run_curves(curve_rows(states), epochs=group.epochs, published=printed)
    left, right = st.columns(2, gap="medium")
    for measure, place in zip(charts, (left, right, left, right), strict=True):
        place.altair_chart(
            charts[measure], width="stretch", key=f"ab-{measure}-{group.name}", alt=ALT[measure]
        )
    words = "The grey line is what guessing gives. Epoch 0 is the untrained head."
    if shown:
        words = f"Dashed lines with open marks: the published runs, on other data. {words}"
    if len(group.seeds) > 1:
        words = f"Thick line: mean of the seeds; band: lowest to highest. {words}"
    st.caption(words)


def curve_rows(states: list[MemberState]) -> pd.DataFrame:
    """One row per epoch and run, with arm and seed."""
    frames = [
        epoch_rows(state.history).assign(arm=state.member.arm, seed=state.member.seed)
        for state in states
    ]
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else frames[0]


def _table(states: list[MemberState]) -> pd.DataFrame:
    rows = []
    for state in states:
        history, status = state.history, state.status
        last = history.evaluations[-1] if history.evaluations else None
        asked = f", asked to {status.requested}" if status.live and status.requested else ""
        rows.append(
            {
                "arm": state.member.arm,
                "seed": state.member.seed,
                "run": state.run.id,
                "state": f"{status.state}{asked}",
                "progress": history.step / history.started.total_steps if history.started else 0.0,
                "validation accuracy": 100 * last.accuracy if last else None,
            }
        )
    return pd.DataFrame(rows)
