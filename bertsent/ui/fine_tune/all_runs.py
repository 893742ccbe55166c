"""The All runs tab: a table of all runs. One selected run can be renamed, duplicated, downloaded or
deleted; several are compared.
"""

from contextlib import suppress

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.errors import BertsentError
from bertsent.figures.run_overlay import AXES, LOOKS, RunOverlay, overlay_runs
from bertsent.models.folders import folder_title
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.measure import Measure, common_measure, measure_of
from bertsent.tasks.task import OneLabel
from bertsent.training.runs.accuracy import RunAnswers, comparison_sentence, majority_class_of
from bertsent.training.runs.admission import start_sentence
from bertsent.training.runs.history import History
from bertsent.training.runs.notes import FILE, TEXT, TITLE, read_note, run_label, write_note
from bertsent.training.runs.queue import queue_position
from bertsent.training.runs.run import Run, delete_run, find_run, list_runs
from bertsent.training.runs.run_tables import (
    RUN_COLUMNS,
    UNREADABLE,
    curves,
    differences,
    measures,
    run_row,
)
from bertsent.ui.fine_tune.new_run_duplicate import fill_form
from bertsent.ui.fine_tune.opening import ALL_RUNS, NEW_RUN, RUN, go_to
from bertsent.ui.fine_tune.run import empty_state
from bertsent.ui.fine_tune.run_data import answers_of
from bertsent.ui.fine_tune.run_report import download_run, tensorboard_files
from bertsent.ui.shared import (
    altair_chart,
    check_may_change,
    choose,
    download_menu,
    escape_markdown,
    result,
    run_reader,
    run_task,
    show_help,
    visitor,
    why_not,
)
from bertsent.ui.shared.links import set_in_link

CHOSEN = "runs-chosen"
_COLUMNS = {
    "title": st.column_config.TextColumn("Title", width=160),
    "run": st.column_config.TextColumn("Run"),
    "whose": st.column_config.TextColumn("Whose", width="small"),
    "status": st.column_config.TextColumn("Status"),
    "task": st.column_config.TextColumn("Learns", width=160),
    "data": st.column_config.TextColumn("Reviews"),
    "model": st.column_config.TextColumn("Model"),
    "accuracy": st.column_config.NumberColumn("Best validation accuracy", format="%.1f %%"),
    "majority": st.column_config.NumberColumn("Majority class", format="%.1f %%"),
    "measured": st.column_config.TextColumn("Else measured by"),
    "minutes": st.column_config.NumberColumn("Trained", format="%.1f min"),
    "progress": st.column_config.NumberColumn("Done", format="%.0f %%", width="small"),
    "started": st.column_config.TextColumn("Started"),
    "note": st.column_config.TextColumn("Note", width="medium"),
}

_RARE = ("title", "whose", "measured", "note")


def all_runs(row: DeltaGenerator) -> None:
    """Draw the table, and below it what can be done with the selected runs."""
    runs = list_runs()
    if not runs:
        empty_state("runs", "Your runs appear here.")
        return
    table = pd.DataFrame(
        [_row_of_live(run) if run.alive() else _row_of_ended(run) for run in runs],
        columns=[*RUN_COLUMNS, "majority"],
    ).assign(whose=_whose(runs))
    unreadable = set(table["run"][table["status"] == UNREADABLE])
    with result("runs"):
        selected = _choose(table)
    chosen = [run for run in runs if run.id in selected]
    if not chosen:
        st.caption(
            "Select a run to rename, duplicate, download or delete it. Select several to compare "
            "them."
        )
    elif len(chosen) == 1:
        _one_run(chosen[0], readable=chosen[0].id not in unreadable)
    else:
        compare_runs(
            [run for run in chosen if run.id not in unreadable],
            [run.id for run in chosen if run.id in unreadable],
        )
        _delete_box(chosen)


def _whose(runs: list[Run]) -> list[str]:
    """Which are the visitor's own; nothing where all of them are, or none."""
    own = [run.owner == visitor().id for run in runs]
    return ["yours" if mine and not all(own) else "" for mine in own]


def _file_states(run: Run) -> list[object]:
    """Changes whenever one of the files does that a row is made of."""
    found: list[object] = [str(run.folder)]
    for name in ("config.json", "events.jsonl", FILE):
        with suppress(OSError):
            facts = (run.folder / name).stat()
            found.append((name, facts.st_mtime_ns, facts.st_size))
    return found


def _row_of_live(run: Run) -> dict[str, object]:
    """A run that trains or waits; of one that waits with its place and when it starts."""
    row = run_row(run)
    if row["status"] == "queued":
        parts = (f"queued, {queue_position(run.folder) or 0} ahead", start_sentence(run))
        row["status"] = ", ".join(filter(None, parts))
    return row


@st.cache_resource(max_entries=1000, show_spinner=False, hash_funcs={Run: _file_states})
def _row_of_ended(run: Run) -> dict[str, object]:
    return run_row(run) | {"majority": majority_class_of(run)}


def _choose(table: pd.DataFrame) -> list[str]:
    """The selected runs. They are remembered by name: a table of other rows is another table, with
    the same runs selected.
    """
    ids = table["run"].tolist()
    wanted = st.session_state.get(CHOSEN) or st.query_params.get("runs", "").split(",")
    event = st.dataframe(
        _readable(table),
        hide_index=True,
        column_order=[name for name in _COLUMNS if _has_entries(table, name)],
        column_config=_COLUMNS,
        on_select="rerun",
        selection_mode="multi-row",
        key=table_key(ids),
        selection_default={
            "selection": {"rows": [i for i, run in enumerate(ids) if run in wanted]}
        },
        placeholder="–",
        alt=f"Table of {len(ids):,} runs",
    )
    _remember([ids[row] for row in event.selection.rows if row < len(ids)])
    return st.session_state[CHOSEN]


def _remember(chosen: list[str]) -> None:
    st.session_state[CHOSEN] = chosen
    set_in_link("runs", ",".join(chosen) or None)


def table_key(ids: list[str]) -> str:
    """The key of the table of these runs."""
    return f"runs-table-{cache_key(ids)[:8]}"


def _has_entries(table: pd.DataFrame, column: str) -> bool:
    """Whether a column has something to say: titles and notes are rare."""
    if column == "task":
        return bool(table[column].dropna().ne(SENTIMENT.title).any())
    return column not in _RARE or bool(table[column].fillna("").ne("").any())


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    numbers = table[["step", "steps", "accuracy", "majority", "seconds"]].apply(
        pd.to_numeric, errors="coerce"
    )
    return table.assign(
        model=[folder_title(m) if isinstance(m, str) else m for m in table["model"]],
        accuracy=100 * numbers["accuracy"],
        majority=100 * numbers["majority"],
        minutes=numbers["seconds"] / 60,
        progress=100 * numbers["step"] / numbers["steps"],
    )


def _one_run(run: Run, *, readable: bool) -> None:
    note = read_note(run.folder)
    reason = why_not([run])
    st.markdown(f"**{escape_markdown(run_label(run.folder))}**")
    if reason:
        st.caption(reason)
    with st.form(f"note-{run.id}"):
        st.text_input(
            "Title",
            note.title,
            max_chars=TITLE,
            key=f"title-{run.id}",
            disabled=bool(reason),
            help="Shown beside the name of the run, which does not change.",
        )
        st.text_area(
            "Note",
            note.text,
            max_chars=TEXT,
            key=f"text-{run.id}",
            height=90,
            disabled=bool(reason),
        )
        st.form_submit_button(
            "Save", key=f"save-{run.id}", on_click=_save, args=(run,), disabled=bool(reason)
        )
    if not readable:
        st.caption(
            "The files of this run cannot be read: they are damaged, or another version of this "
            "program wrote them."
        )
    with st.container(horizontal=True, gap="small"):
        if readable:
            for label, act in (("Open", _open), ("Duplicate", _duplicate)):
                st.button(label, key=f"{label.lower()}-{run.id}", on_click=act, args=(run,))
            download_run(run)
        _delete_box([run])


def _save(run: Run) -> None:
    try:
        check_may_change([run])
        write_note(
            run.folder,
            st.session_state[f"title-{run.id}"] or "",
            st.session_state[f"text-{run.id}"] or "",
        )
    except BertsentError as error:
        go_to(ALL_RUNS, str(error))


def _open(run: Run) -> None:
    st.session_state["run"] = run.id
    go_to(RUN)


def _duplicate(run: Run) -> None:
    try:
        go_to(NEW_RUN, fill_form(run))
    except BertsentError as error:
        go_to(ALL_RUNS, str(error))


def _delete_box(runs: list[Run]) -> None:
    ids, reason = [run.id for run in runs], why_not(runs)
    what = ids[0] if len(ids) == 1 else f"these {len(ids)} runs"
    with st.popover("Delete", key="delete-box", disabled=bool(reason), help=reason):
        st.markdown(f"Delete {escape_markdown(what)} with all checkpoints? This cannot be undone.")
        st.button(
            "Delete permanently", type="primary", key="delete-sure", on_click=_delete, args=(ids,)
        )


def _delete(ids: list[str]) -> None:
    troubles = []
    for run_id in ids:
        try:
            run = find_run(run_id)
            check_may_change([run])
            delete_run(run)
        except BertsentError as error:
            troubles.append(str(error))
        except OSError as error:
            troubles.append(f"Run {run_id} cannot be deleted ({error.strerror}).")
    if troubles:
        go_to(ALL_RUNS, " ".join(troubles))
    _remember([])


def compare_runs(runs: list[Run], unreadable: list[str]) -> None:
    """Draw the comparison of the runs that can be read."""
    if unreadable:
        st.caption(
            escape_markdown(f"Left out because the files cannot be read: {', '.join(unreadable)}.")
        )
    if len(runs) < 2:
        st.caption("Select at least two runs that can be read.")
        return
    named = {_name(run): run for run in runs}
    histories = {name: run_reader(run).look()[0] for name, run in named.items()}
    with result("compared_runs"):
        charts = _curves(histories, common_measure(run_task(run) for run in named.values()))
        answers = answers_of({name: (run, histories[name]) for name, run in named.items()})
        st.caption(escape_markdown(_comparison(named, answers)))
    show_help("fine_tune", "run_comparison")
    st.markdown("**Settings that differ**")
    differing = differences({name: run.config for name, run in named.items()})
    if len(differing):
        st.dataframe(differing, hide_index=True, key="compare-settings")
    else:
        st.caption("None: same reviews, same model, same settings, same versions.")
    st.markdown("**Measurements**")
    measured = measures(histories, {name: measure_of(run_task(run)) for name, run in named.items()})
    st.dataframe(measured, hide_index=True, key="compare-measures")
    download_menu(
        "compare",
        lambda: charts,
        "runs",
        tables={"Settings": differing, "Measures": measured},
        files=tensorboard_files(runs, "runs"),
        finding=comparison_sentence(answers),
    )


def _comparison(named: dict[str, Run], answers: dict[str, RunAnswers]) -> str:
    """Which is best; that several labels and numbers are compared by their curves alone."""
    if all(isinstance(run_task(run), OneLabel) for run in named.values()):
        return comparison_sentence(answers)
    return "Runs that give several labels or numbers are compared by their curves and measurements."


def _name(run: Run) -> str:
    """A run in a legend; names are different because ids are."""
    title = read_note(run.folder).title
    return f"{shorten(title, 40)} ({run.id})" if title else run.id


def _curves(histories: dict[str, History], measure: Measure) -> RunOverlay:
    cost = "Use epochs to compare runs with different batch sizes, seconds to compare their cost."
    over = choose("Over", AXES, "compare_over", help=cost)
    charts = overlay_runs(*curves(histories), list(histories), over=over, measure=measure)
    for name, chart in charts._asdict().items():
        altair_chart(
            chart,
            width="stretch",
            key=f"compare-{name}",
            alt=f"{name.replace('_', ' ')} of {len(histories)} runs".capitalize(),
        )
    if len(histories) > LOOKS:
        st.caption(
            f"Colours and dashes repeat after {LOOKS} runs; hover over a line to see its run."
        )
    return charts
