"""The lesson box on the Fine-tune page: four stages, a quiz on them, and how the curves of the
chosen run read.
"""

import streamlit as st

from bertsent.probing.fine_tuning_stages import Stage, stages_of_builtin, stages_of_run
from bertsent.training.curves.details import training_told
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.lesson_curves import curves
from bertsent.ui.fine_tune.lesson_quiz import quiz
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.live_runs import run_reader

KEY, _WIDGET, EVERY = "lesson", "lesson-part", 5.0
PARTS = {"stages": "Four stages", "quiz": "Checkpoint quiz", "curves": "Reading the curves"}
THIS, BUILT_IN = "This run", "Built-in model"


def lessons(run: Run | None) -> None:
    """Draw the closed or open box; nothing inside is computed while it is closed.

    Args:
        run: whose numbers are told; those of the built-in model where there is none.
    """
    title = "Lesson: from a pre-trained model to one in use"
    box = st.expander(title, expanded=KEY in st.query_params, key="lesson-open", on_change="rerun")
    if not box.open:
        st.query_params.pop(KEY, None)
        return
    with box:
        part = _part()
        live = part != "quiz" and run is not None and run_reader(run).look()[1].live
        st.fragment(_draw, run_every=EVERY if live else None)(part, run)


def _draw(part: str, run: Run | None) -> None:
    with show_errors():
        _DRAWN[part](run)


def _part() -> str:
    """Which part is looked at; the link carries it, and it is the same when the box is opened
    again.
    """
    kept = st.session_state.get(KEY) or st.query_params.get(KEY)
    chosen = st.session_state[_WIDGET] = kept if kept in PARTS else next(iter(PARTS))
    options = {"required": True, "label_visibility": "collapsed", "format_func": PARTS.get}
    st.segmented_control("Part", list(PARTS), key=_WIDGET, on_change=_keep, **options)
    st.session_state[KEY] = st.query_params[KEY] = chosen
    return chosen


def _keep() -> None:
    st.session_state[KEY] = st.session_state[_WIDGET]


def _stages(run: Run | None) -> None:
    """Four cards and, below a run's, how it was trained."""
    whose = (
        THIS
        if run is None
        else st.segmented_control(
            "Numbers of", (THIS, BUILT_IN), default=THIS, required=True, key="lesson_of"
        )
    )
    if run is None or whose == BUILT_IN:
        _cards(stages_of_builtin())
        st.caption(
            "These are the built-in model's own numbers. How long it trained was not noted; start "
            "a run, and its times will be here."
        )
        return
    history = run_reader(run).look()[0]
    _cards(stages_of_run(run, history))
    st.markdown("**Training details**")
    st.markdown(escape_markdown(" ".join(training_told(run.config, history))))


def _cards(stages: tuple[Stage, ...]) -> None:
    for place, stage in zip(st.columns(len(stages), gap="small"), stages, strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{stage.number} · {stage.title}**")
            st.caption(stage.what)
            st.markdown(
                "\n\n".join(
                    f":gray[:small[{escape_markdown(name)}]]  \n{escape_markdown(value)}"
                    for name, value in stage.facts
                )
            )


_DRAWN = {"stages": _stages, "quiz": lambda run: quiz(), "curves": curves}
