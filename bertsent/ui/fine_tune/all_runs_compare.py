"""Several runs side by side: their curves in one, the settings in which they differ, what was
measured of each.
"""

from contextlib import suppress

import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.errors import BadCheckpoint
from bertsent.figures.pictures import picture
from bertsent.figures.run_overlay import AXES, LOOKS, Over, RunOverlay, overlay_runs
from bertsent.training.runs.accuracy import comparison_sentence
from bertsent.training.runs.history import History
from bertsent.training.runs.notes import read_note
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_comparison import curves, differences, measures
from bertsent.ui.fine_tune.run_data import latest_answers
from bertsent.ui.fine_tune.run_download import tensorboard_files
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.live_runs import run_reader


def compare_runs(runs: list[Run], unreadable: list[str]) -> None:
    """Draw the comparison of the runs that can be read."""
    if unreadable:
        st.caption(escape_markdown(f"Cannot be read and is left out: {', '.join(unreadable)}."))
    if len(runs) < 2:
        st.caption("Select at least two runs that can be read.")
        return
    named = {_name(run): run for run in runs}
    histories = {name: run_reader(run).look()[0] for name, run in named.items()}
    charts = _curves(histories)
    st.caption(escape_markdown(_verdict(named, histories)))
    show_help("fine_tune", "run_comparison")
    differing, measured = (
        differences({name: run.config for name, run in named.items()}),
        measures(histories),
    )
    st.markdown("**The settings in which they differ**")
    if len(differing):
        st.dataframe(differing, hide_index=True, key="compare-settings")
    else:
        st.caption("None: same reviews, same model, same settings, same versions.")
    st.markdown("**What was measured**")
    st.dataframe(measured, hide_index=True, key="compare-measures")
    download_menu(
        "compare",
        lambda form: picture(charts, form),
        "runs",
        tables={"Settings": differing, "Measures": measured},
        files=tensorboard_files(runs, "runs"),
    )


def _name(run: Run) -> str:
    """A run in a legend; names are different because ids are."""
    title = read_note(run.folder).title
    return f"{shorten(title, 40)} ({run.id})" if title else run.id


def _curves(histories: dict[str, History]) -> RunOverlay:
    over: Over = st.segmented_control(
        "Over",
        list(AXES),
        default="step",
        required=True,
        format_func=AXES.__getitem__,
        key="compare_over",
        bind="query-params",
        persist_state="session",
        help="Epochs compare runs of different batch sizes, seconds compare what they cost.",
    )
    charts = overlay_runs(*curves(histories), list(histories), over=over)
    for name, chart in charts._asdict().items():
        words = name.replace("_", " ").replace("loss", "loss" if "_" in name else "training loss")
        st.altair_chart(
            chart,
            width="stretch",
            key=f"compare-{name}",
            alt=f"{words} of {len(histories)} runs".capitalize(),
        )
    if len(histories) > LOOKS:
        st.caption(f"Colours and dashes repeat after {LOOKS} runs; hovering shows which run it is.")
    return charts


def _verdict(named: dict[str, Run], histories: dict[str, History]) -> str:
    """Which run is best, by the last evaluations of those whose reviews can be read."""
    answers = {}
    for name, run in named.items():
        with suppress(BadCheckpoint):
            answers[name] = latest_answers(run, histories[name])
    return comparison_sentence({name: found for name, found in answers.items() if found})
