"""The Compare tab: groups of runs that were started together, A/B runs and hyperparameter grids,
and the published experiments that they repeat.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.paired_splits import ROWS
from bertsent.models.folders import folder_title
from bertsent.training.groups.run_group import (
    FURTHER_PRETRAINING,
    MemberState,
    RunGroup,
    list_groups,
    resume_all,
    seconds_left,
    unreadable_groups,
)
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.training.runs.run import Status
from bertsent.training.runs.status_sentences import duration, epochs_in_words
from bertsent.ui.fine_tune.compare_ab import ab_answers, ab_progress, published_runs
from bertsent.ui.fine_tune.compare_draft import STARTED, group_form
from bertsent.ui.fine_tune.compare_grid import grid_progress
from bertsent.ui.fine_tune.compare_three_tasks import best_run, tasks_progress
from bertsent.ui.fine_tune.compare_three_tasks_published import (
    published_configurations,
    published_rows,
)
from bertsent.ui.fine_tune.run import EVERY
from bertsent.ui.fine_tune.run_buttons import pause_and_stop, say_whose, start_workers
from bertsent.ui.fine_tune.run_line import BAR
from bertsent.ui.fine_tune.three_tasks_asked import ask_three_tasks
from bertsent.ui.shared import (
    escape_markdown,
    linked_choice,
    linked_name,
    poll_interval,
    run_reader,
    show_errors,
    why_not,
)
from bertsent.ui.shared.into_sight import bring_to_top

KEY = "group"
PROGRESS = {"ab": ab_progress, "grid": grid_progress, "tasks": tasks_progress}
PUBLISHED_VIEWS: dict[str, tuple[str, Callable[[], None]]] = {
    "published-pair": ("without and with contrastive reviews", published_runs),
    "published-configurations": ("three tasks at once", published_configurations),
}


def compare(row: DeltaGenerator) -> None:
    """Draw the chosen group or published experiment; its picker goes into ``row``. The form of a
    new group is one click away.
    """
    groups = {group.name: group for group in list_groups()}
    if damaged := unreadable_groups():
        st.caption(
            escape_markdown(
                f"Left out because the file is damaged: {', '.join(damaged[:5])}. Their runs are "
                "still under All runs."
            )
        )
    asked = linked_name(KEY)
    if asked and asked not in (*groups, *PUBLISHED_VIEWS):
        st.warning(escape_markdown(f"The group of runs “{asked[:60]}” no longer exists."))
    titles = {name: _title(group) for name, group in groups.items()}
    titles |= {name: f"Published: {title}" for name, (title, _) in PUBLISHED_VIEWS.items()}
    with row:
        chosen = linked_choice(
            "Group of runs", titles, key=KEY, label_visibility="collapsed", width=330
        )
    with show_errors():
        if chosen in groups:
            _show(groups[chosen])
        else:
            PUBLISHED_VIEWS[chosen][1]()
    with st.expander("New group of runs: A/B, grid or three tasks at once"), show_errors():
        group_form()


def _title(group: RunGroup) -> str:
    if group.kind != "ab":
        return f"{group.name} · {len(group.members)} runs on {group.source}"
    if group.rows == FURTHER_PRETRAINING:
        return f"{group.name} · {group.source} · without and with {group.differs_in}"
    seeds = f"{len(group.seeds)} seed{'s' if len(group.seeds) > 1 else ''}"
    return f"{group.name} · {group.source} · ×{group.times} · {seeds}"


def _show(group: RunGroup) -> None:
    if group.rows == FURTHER_PRETRAINING:
        st.caption(escape_markdown(_about_pretraining(group)))
    elif group.kind == "ab":
        st.caption(
            escape_markdown(
                f"Reviews {group.source}; one arm also has {ROWS[group.rows]}, each {group.times} "
                "times. Seed, split and validation reviews are the same in both arms; "
                f"{epochs_in_words(group.epochs)}; model {folder_title(group.model)}."
            )
        )
    if lost := group.lost():
        st.warning(escape_markdown(f"Deleted since then: {', '.join(lost)}."))
    states = _states(group)
    if not states:
        st.caption("All runs of this group were deleted.")
        return
    bring_to_top("group", "live_group", st.session_state.get(STARTED, 0))
    live = any(state.status.live for state in states)
    st.fragment(_progress, run_every=poll_interval(EVERY) if live else None)(group, live)
    if not live and group.kind == "ab":
        ab_answers(group, states)
    if group.kind == "tasks":
        beside = st.expander(
            "The published table beside it", key="three-published", on_change="rerun"
        )
        if beside.open:
            with beside:
                published_rows()
        ask_three_tasks(best_run(group, states))


def _about_pretraining(group: RunGroup) -> str:
    """What the two runs have in common, and with what each began."""
    models = {member.arm: run.config.model for member, run in group.found()}
    begins = [f"{arm}: {folder_title(model)}" for arm, model in models.items()]
    return (
        f"The same {group.source}, seed, split and settings in both arms, "
        f"{epochs_in_words(group.epochs)}. "
        f"They differ in the encoder they begin with, under a new head ({'; '.join(begins)})."
    )


def _states(group: RunGroup) -> list[MemberState]:
    return [MemberState(member, run, *run_reader(run).look()) for member, run in group.found()]


def _progress(group: RunGroup, was_live: bool) -> None:
    states = _states(group)
    live = [state.status for state in states if state.status.live]
    if was_live and not live:
        st.rerun()  # the answers can be compared now
    totals = [_total_steps(state) for state in states]
    done = len(states) - len(_unfinished(states))
    words = f"{done} of {len(states)} runs finished"
    if live:
        left = seconds_left([(state.history, state.status) for state in states], totals)
        words += " · loading" if left is None else f" · {duration(left)} left"
    with st.container(key="live_group"):
        _state(group, states, live, words, totals)
        PROGRESS[group.kind](group, states)


def _state(
    group: RunGroup, states: list[MemberState], live: list[Status], words: str, totals: list[int]
) -> None:
    """One line: how far the group is, and its buttons; below it why runs failed."""
    runs, done = [state.run for state in states], len(states) - len(_unfinished(states))
    share = sum(state.history.step for state in states) / max(1, sum(totals))
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="run_line"):
        st.markdown(f"**{escape_markdown(words)}**", width="content")
        if done < len(states):
            st.progress(min(1.0, share), width=BAR)
        if live:
            pause_and_stop(
                runs,
                group.name,
                ("Pause all", "Stop all and keep"),
                disabled=all(status.requested for status in live),
            )
        elif done < len(states):
            reason = why_not(runs)
            if st.button(
                "Resume all",
                key=f"resume-{group.name}",
                type="primary",
                disabled=bool(reason),
                help=reason,
            ):
                start_workers(partial(resume_all, runs), runs)
            say_whose(runs)
    for state in states:
        if state.status.state == "failed" and (failure := state.history.failure):
            st.error(escape_markdown(f"{state.run.id}: {failure.reason} {failure.remedy}"))


def _unfinished(states: list[MemberState]) -> list[MemberState]:
    return [state for state in states if state.status.state != "finished"]


def _total_steps(state: MemberState) -> int:
    """Steps that a run has in all, also before it has begun."""
    if state.history.started:
        return state.history.started.total_steps
    config = state.run.config
    return steps_per_epoch(config.data.train_rows, config.training) * config.training.epochs
