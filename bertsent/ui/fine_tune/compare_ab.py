"""Twin runs on the Fine-tune page: started together, watched together, compared when they are
done.
"""

import pandas as pd
import streamlit as st

from bertsent.data.paired_splits import ROWS, TOY
from bertsent.errors import BertsentError
from bertsent.figures.paired_runs import paired_run_curves
from bertsent.training.events import Event
from bertsent.training.groups.ab import (
    Member,
    Twins,
    ask_all,
    list_twins,
    resume_all,
    seconds_left,
    unreadable_twins,
)
from bertsent.training.groups.published import PUBLISHED
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.training.runs.epoch_table import epoch_rows
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run, Status
from bertsent.ui.fine_tune.compare_ab_draft import draft_twins
from bertsent.ui.fine_tune.compare_ab_results import twins_results
from bertsent.ui.fine_tune.run import EVERY
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.shared.live_runs import duration, run_reader

KEY, OPEN = "twins", "twins-open"
Look = tuple[Member, Run, History, Status]
ALT = {
    "loss": "Training loss of both arms by epoch",
    "val_loss": "Validation loss of both arms by epoch",
    "accuracy": "Training accuracy of both arms by epoch",
    "val_accuracy": "Validation accuracy of both arms by epoch",
}


def twins() -> None:
    """Draw the closed or open box; nothing inside is computed while it is closed, and the link
    carries the group only while it is open.
    """
    title = "Twin runs: without and with contrastive reviews"
    box = st.expander(title, expanded=KEY in st.query_params, key=OPEN, on_change="rerun")
    if not box.open:
        st.query_params.pop(KEY, None)
        return
    with box, show_errors():
        draft_twins()
        group = _choose()
        if group is not None:
            _show(group)


def _choose() -> Twins | None:
    groups = {twins.name: twins for twins in list_twins()[:50]}
    damaged = unreadable_twins()
    if damaged:
        st.caption(
            escape_markdown(
                f"Damaged and left out: {', '.join(damaged[:5])}. The runs are still there, each "
                "on its own."
            )
        )
    if not groups:
        st.caption(
            "Both arms will be here, over each other. The toy twins take about a minute on two "
            "cores."
        )
        return None
    return groups[
        linked_choice("Twins", {name: _title(twins) for name, twins in groups.items()}, key=KEY)
    ]


def _title(group: Twins) -> str:
    seeds = len(group.seeds)
    return (
        f"{group.name} · {group.source} · ×{group.times} · {seeds} seed{'s' if seeds > 1 else ''}"
    )


def _show(group: Twins) -> None:
    st.caption(
        escape_markdown(
            f"Source {group.source}; one arm has {ROWS[group.rows]} besides, each {group.times} "
            "times; same seed, same split and the "
            f"same validation reviews in both arms; {group.epochs} epochs; model "
            f"{group.model.rpartition('/')[2]}."
        )
    )
    lost = group.lost()
    if lost:
        st.warning(
            escape_markdown(
                f"Deleted since: {', '.join(lost)}. Seeds with both runs are still compared."
            )
        )
    looks = _looks(group)
    if not looks:
        st.caption("All runs of this group were deleted.")
        return
    live = any(status.live for *_, status in looks)
    st.fragment(_draw, run_every=EVERY if live else None)(group, live)
    if not live:
        with show_errors():
            twins_results(group, [look[:3] for look in looks])


def _looks(group: Twins) -> list[Look]:
    return [(member, run, *run_reader(run).look()) for member, run in group.found()]


def _draw(group: Twins, was_live: bool) -> None:
    looks = _looks(group)
    live = any(status.live for *_, status in looks)
    if was_live and not live:
        st.rerun()  # the comparison can be drawn now
    _headline(looks)
    _buttons(group, looks, live)
    st.dataframe(
        _table(looks), hide_index=True, key=f"twins-table-{group.name}", column_config=_COLUMNS
    )
    shown = st.checkbox(
        "Show the published figures", value=group.source == TOY, key=f"twins-published-{group.name}"
    )
    printed = (
        pd.concat([run.rows().assign(arm=arm) for arm, run in PUBLISHED.items()]) if shown else None
    )
    if printed is not None:
        printed = printed[printed["epoch"] <= group.epochs]
    charts = paired_run_curves(curve_rows(looks), epochs=group.epochs, published=printed)
    left, right = st.columns(2, gap="medium")
    for measure, place in zip(charts, (left, right, left, right), strict=True):
        place.altair_chart(
            charts[measure], width="stretch", key=f"twins-{measure}-{group.name}", alt=ALT[measure]
        )
    st.caption(_reading(group, shown))


_COLUMNS = {
    "validation accuracy": st.column_config.NumberColumn(format="%.1f %%"),
    "progress": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
}


def curve_rows(looks: list[Look]) -> pd.DataFrame:
    """One row an epoch and run, with arm and seed."""
    frames = [
        epoch_rows(history).assign(arm=member.arm, seed=member.seed)
        for member, _, history, _ in looks
    ]
    whole = [frame for frame in frames if len(frame)]
    return pd.concat(whole, ignore_index=True) if whole else frames[0]


def _reading(group: Twins, published: bool) -> str:
    band = (
        "Strong line: mean of the seeds; thin lines: each seed; band: lowest to highest. "
        if len(group.seeds) > 1
        else ""
    )
    dotted = (
        "Broken lines with open marks: the published runs, other data and another model, for "
        "reference. "
        if published
        else ""
    )
    return f"{band}{dotted}The grey rule is what guessing gives. Epoch 0 is the untrained head."


def _table(looks: list[Look]) -> pd.DataFrame:
    rows = []
    for member, run, history, status in looks:
        total, last = _total(run, history), history.evaluations[-1] if history.evaluations else None
        state = (
            f"{status.state}, asked to {status.requested}"
            if status.live and status.requested
            else status.state
        )
        rows.append(
            (
                member.arm,
                member.seed,
                run.id,
                state,
                history.step / total,
                100 * last.accuracy if last else None,
            )
        )
    return pd.DataFrame(
        rows, columns=["arm", "seed", "run", "state", "progress", "validation accuracy"]
    )


def _headline(looks: list[Look]) -> None:
    done = sum(status.state == "finished" for *_, status in looks)
    totals = [_total(run, history) for _, run, history, _ in looks]
    left = seconds_left([look[2:] for look in looks], totals)
    words = f"{done} of {len(looks)} runs done"
    if any(status.live for *_, status in looks):
        words += (
            f" · {duration(left)} left"
            if left is not None
            else " · loading the model and the reviews"
        )
    st.markdown(f"**{escape_markdown(words)}**")
    st.progress(min(1.0, sum(history.step for _, _, history, _ in looks) / sum(totals)))
    for _, run, history, status in looks:
        failure: Event | None = history.failure if status.state == "failed" else None
        if failure:
            st.error(escape_markdown(f"{run.id}: {failure.reason} {failure.remedy}"))


def _total(run: Run, history: History) -> int:
    if history.started:
        return history.started.total_steps
    config = run.config
    return steps_per_epoch(config.data.train_rows, config.training) * config.training.epochs


def _buttons(group: Twins, looks: list[Look], live: bool) -> None:
    runs = [run for _, run, _, _ in looks]
    asked = all(status.requested for *_, status in looks if status.live)
    with st.container(horizontal=True, gap="small"):
        if live:
            st.button(
                "Pause all",
                key=f"twins-pause-{group.name}",
                on_click=_ask,
                args=(runs, "pause"),
                disabled=asked,
            )
            st.button(
                "Stop all and keep",
                key=f"twins-stop-{group.name}",
                on_click=_ask,
                args=(runs, "stop"),
                disabled=asked,
            )
        elif any(status.state != "finished" for *_, status in looks):
            if st.button("Resume all", key=f"twins-resume-{group.name}", type="primary"):
                _resume(runs)


def _ask(runs: list[Run], wish: str) -> None:
    ask_all(runs, wish)
    for run in runs:
        run_reader(run).forget_age()


def _resume(runs: list[Run]) -> None:
    try:
        with st.spinner("Resuming …"):
            resume_all(runs)
    except BertsentError as error:
        show_error(error)
        return
    for run in runs:
        run_reader(run).forget_age()
    st.rerun(scope="app")
