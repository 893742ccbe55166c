"""The Compare tab: groups of runs that were started together, A/B runs and hyperparameter grids,
and the published experiments that they repeat.
"""

import streamlit as st

from bertsent.data.paired_splits import ROWS
from bertsent.errors import BertsentError
from bertsent.training.groups.run_group import (
    MemberState,
    RunGroup,
    ask_all,
    list_groups,
    resume_all,
    seconds_left,
    unreadable_groups,
)
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.training.runs.run import Run
from bertsent.training.runs.status_sentences import duration
from bertsent.ui.fine_tune.compare_ab import ab_answers, ab_progress, published_pair
from bertsent.ui.fine_tune.compare_draft import group_form
from bertsent.ui.fine_tune.compare_grid import grid_progress, published_configurations
from bertsent.ui.fine_tune.run import EVERY
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.shared.live_runs import run_reader
from bertsent.ui.shared.viewers import poll_interval

KEY = "group"


def compare() -> None:
    """Draw the chosen group, the form of a new one, and the published experiments."""
    groups = {group.name: group for group in list_groups()}
    if damaged := unreadable_groups():
        st.caption(
            escape_markdown(
                f"Left out because the file is damaged: {', '.join(damaged[:5])}. Their runs are "
                "still under All runs."
            )
        )
    asked = st.session_state.get(KEY) or st.query_params.get(KEY)
    if groups and asked and asked not in groups:
        st.warning(escape_markdown(f"The group of runs “{asked[:60]}” no longer exists."))
    with st.expander("New group of runs", expanded=not groups), show_errors():
        group_form()
    if groups:
        titles = {name: _title(group) for name, group in groups.items()}
        with show_errors():
            _show(groups[linked_choice("Group of runs", titles, key=KEY)])
    else:
        st.caption("The comparison appears here. A/B runs on the toy reviews take about a minute.")
    with st.expander("Published experiments", expanded=not groups):
        pair, configurations = st.tabs(
            ["Without and with contrastive reviews", "Sixteen configurations"]
        )
        with pair:
            published_pair()
        with configurations:
            published_configurations()


def _title(group: RunGroup) -> str:
    seeds = len(group.seeds)
    if group.kind == "grid":
        return f"{group.name} · {len(group.members)} runs on {group.source}"
    return (
        f"{group.name} · {group.source} · ×{group.times} · {seeds} seed{'s' if seeds > 1 else ''}"
    )


def _show(group: RunGroup) -> None:
    if group.kind == "ab":
        st.caption(
            escape_markdown(
                f"Reviews {group.source}; one arm also has {ROWS[group.rows]}, each {group.times} "
                "times. Seed, split and validation reviews are the same in both arms; "
                f"{group.epochs} epochs; model {group.model.rpartition('/')[2]}."
            )
        )
    if lost := group.lost():
        st.warning(escape_markdown(f"Deleted since then: {', '.join(lost)}."))
    states = group_states(group)
    if not states:
        st.caption("All runs of this group were deleted.")
        return
    live = any(state.status.live for state in states)
    st.fragment(_progress, run_every=poll_interval(EVERY) if live else None)(group, live)
    if not live and group.kind == "ab":
        ab_answers(group, states)


def group_states(group: RunGroup) -> list[MemberState]:
    """The runs of a group as they stand, from the readers that all viewers share."""
    return [MemberState(member, run, *run_reader(run).look()) for member, run in group.found()]


def _progress(group: RunGroup, was_live: bool) -> None:
    states = group_states(group)
    live = any(state.status.live for state in states)
    if was_live and not live:
        st.rerun()  # the answers can be compared now
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(_headline(states, live))}**", width="content")
        _buttons(group, states, live)
    done = sum(state.history.step for state in states)
    st.progress(min(1.0, done / max(1, sum(total_steps(state) for state in states))))
    for state in states:
        failure = state.history.failure if state.status.state == "failed" else None
        if failure:
            st.error(escape_markdown(f"{state.run.id}: {failure.reason} {failure.remedy}"))
    if group.kind == "ab":
        ab_progress(group, states)
    else:
        grid_progress(group, states)


def _headline(states: list[MemberState], live: bool) -> str:
    done = sum(state.status.state == "finished" for state in states)
    words = f"{done} of {len(states)} runs finished"
    if not live:
        return words
    totals = [total_steps(state) for state in states]
    left = seconds_left([(state.history, state.status) for state in states], totals)
    return f"{words} · {duration(left)} left" if left is not None else f"{words} · loading"


def total_steps(state: MemberState) -> int:
    """Steps that a run has in all, also before it has begun."""
    if state.history.started:
        return state.history.started.total_steps
    config = state.run.config
    return steps_per_epoch(config.data.train_rows, config.training) * config.training.epochs


def _buttons(group: RunGroup, states: list[MemberState], live: bool) -> None:
    runs = [state.run for state in states]
    if live:
        asked = all(state.status.requested for state in states if state.status.live)
        for label, what in (("Pause all", "pause"), ("Stop all and keep", "stop")):
            st.button(
                label,
                key=f"group-{what}-{group.name}",
                on_click=_request,
                args=(runs, what),
                disabled=asked,
            )
    elif any(state.status.state != "finished" for state in states):
        if st.button("Resume all", key=f"group-resume-{group.name}", type="primary"):
            _resume(runs)


def _request(runs: list[Run], what: str) -> None:
    ask_all(runs, what)
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
