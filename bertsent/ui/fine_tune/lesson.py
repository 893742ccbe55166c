"""The Lesson tab: four stages from a pretrained model to one in use, a quiz, and how to read the
curves of the chosen run.
"""

from collections.abc import Callable

import streamlit as st

from bertsent.probing.fine_tuning_stages import (
    FineTuningStage,
    stages_of_builtin,
    stages_of_run,
)
from bertsent.training.curves.sentences import training_sentences
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.lesson_curves import lesson_curves
from bertsent.ui.fine_tune.lesson_quiz import quiz
from bertsent.ui.fine_tune.run import choose_run
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.shared.live_runs import run_reader

KEY, EVERY = "lesson", 5.0
PARTS = {"stages": "Four stages", "quiz": "Checkpoint quiz", "curves": "Reading the curves"}
THIS, BUILT_IN = "This run", "Built-in model"


def lesson() -> None:
    """Draw the chosen part of the lesson, with the numbers of the chosen run."""
    part = linked_choice("Part", PARTS, key=KEY)
    if part == "quiz":
        quiz()
        return
    run = choose_run()
    live = run is not None and run_reader(run).look()[1].live
    st.fragment(_draw, run_every=EVERY if live else None)(part, run)


def _draw(part: str, run: Run | None) -> None:
    with show_errors():
        _DRAWN[part](run)


def _stages(run: Run | None) -> None:
    """Four cards and, below a run's, how it was trained."""
    whose = BUILT_IN
    if run is not None:
        whose = st.segmented_control(
            "Numbers of", (THIS, BUILT_IN), default=THIS, required=True, key="lesson_of"
        )
    if run is None or whose == BUILT_IN:
        _cards(stages_of_builtin())
        st.caption(
            "These are the built-in model's own numbers. Its training times were not recorded; "
            "start a run to see some."
        )
        return
    history = run_reader(run).look()[0]
    _cards(stages_of_run(run, history))
    st.markdown("**Training details**")
    st.markdown(escape_markdown(" ".join(training_sentences(run.config, history))))


def _cards(stages: tuple[FineTuningStage, ...]) -> None:
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


_DRAWN: dict[str, Callable[[Run | None], None]] = {"stages": _stages, "curves": lesson_curves}
