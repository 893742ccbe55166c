"""Several runs side by side: their curves in one, the settings in which they differ, what was
measured of each.
"""

import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.errors import BadCheckpoint
from bertsent.figures.pictures import picture
from bertsent.figures.run_overlay import AXES, LOOKS, Over, RunOverlay, overlay_runs
from bertsent.probing.slices import Slice
from bertsent.training.runs.history import History
from bertsent.training.runs.notes import read_note
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_comparison import curves, differences, measures
from bertsent.ui.learn.carry import tensorboard
from bertsent.ui.shared.downloads import picture_buttons, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.live_runs import run_reader

_HOW = """
The training line is an exponential mean with a half-life of a fiftieth of the run; hovering shows the step's own loss too. Validations
are drawn as they were measured. The interval of an accuracy is Wilson's (1927) at 95 %: how far the accuracy could be off because
the validation reviews are a sample. Runs that were judged on different reviews cannot be compared by it.
"""


def compare(runs: list[Run], unreadable: list[str]) -> None:
    """Draw the comparison of the runs that can be read."""
    if unreadable:
        st.caption(escape_markdown(f"Cannot be read and is left out: {', '.join(unreadable)}."))
    if len(runs) < 2:
        st.caption("Select at least two runs that can be read.")
        return
    named = {_name(run): run for run in runs}
    histories = {name: run_reader(run).look()[0] for name, run in named.items()}
    charts = _curves(histories)
    _verdict(named, histories)
    with st.expander("How is this computed?"):
        st.markdown(_HOW)
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
    with st.popover("Download", key="compare-download"):
        picture_buttons(
            "runs-curves", lambda form: picture(charts, form), key="carry-", what="Curves"
        )
        for words, frame, file in (
            ("Settings", differing, "settings"),
            ("Measures", measured, "measures"),
        ):
            st.download_button(
                f"{words} as CSV",
                safe_csv(frame),
                f"runs-{file}.csv",
                "text/csv",
                key=f"carry-{file}",
                on_click="ignore",
            )
        tensorboard(runs, "runs")


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
        format_func=AXES.get,
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
        st.caption(
            f"Colours and dashes begin again after {LOOKS} runs; hovering says which is which."
        )
    return charts


def _verdict(named: dict[str, Run], histories: dict[str, History]) -> None:
    """Who leads by how much, and whether that is more than chance."""
    found = {name: _best(history) for name, history in histories.items()}
    ranked = sorted((name for name in found if found[name]), key=lambda name: -found[name].accuracy)
    if len(ranked) < 2:
        st.caption("Fewer than two of them were validated yet.")
        return
    first, second = ranked[:2]
    said = [f"{name} {_share(found[name])}" for name in (first, second)]
    (low, _), (_, high) = found[first].interval, found[second].interval
    judged = [
        _judged_on(str(named[name].folder), named[name].config.created, named[name])
        for name in ranked
    ]
    if judged[0] != judged[1]:
        verdict = (
            "They were judged on different validation reviews, so their accuracies cannot "
            "be "
            "compared."
        )
    elif low <= high:
        verdict = "The intervals overlap: this may be chance. More seeds would tell."
    else:
        verdict = "The intervals do not overlap."
    if judged[0] == judged[1] and len(set(judged)) > 1:
        verdict += " Others were judged on other validation reviews."
    st.caption(escape_markdown(f"Best validation accuracy: {said[0]}, then {said[1]}. {verdict}"))


def _best(history: History) -> Slice | None:
    if history.best_accuracy is None or not history.started:
        return None
    rows = history.started.validation_rows
    return Slice("", rows, round(history.best_accuracy * rows))


def _share(found: Slice) -> str:
    low, high = found.interval
    return f"{found.accuracy:.1%} ({low:.1%} to {high:.1%})"


@st.cache_data(max_entries=200, show_spinner=False)
def _judged_on(folder: str, created: float, _run: Run) -> str:  # noqa: ARG001 - what is kept is found by them
    try:
        return _run.splits().validation.sha256
    except BadCheckpoint:
        return folder
