"""The Lesson tab: four stages from a pretrained model to one in use, a quiz, and how to read the
curves of the chosen run.
"""

from dataclasses import asdict

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BertsentError
from bertsent.figures.altair_panels import chart_spec
from bertsent.figures.annotated_loss import annotated_loss_chart
from bertsent.probing.fine_tuning_stages import FineTuningStage, stages_of_builtin, stages_of_run
from bertsent.tasks.measure import measure_of
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.curves.curve_sentences import (
    USUAL,
    curve_sentences,
    training_sentences,
    verdict_sentence,
    warm_up_sentence,
)
from bertsent.training.curves.reading import (
    LITTLE,
    CurvePoint,
    CurveReading,
    curve_points,
    loss_margins,
    read_curves,
    read_warm_up,
)
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.lesson_quiz import quiz
from bertsent.ui.fine_tune.run import choose_run
from bertsent.ui.fine_tune.run_data import validation_reviews
from bertsent.ui.shared import (
    choose,
    download_menu,
    draw,
    escape_markdown,
    linked_choice,
    result,
    run_reader,
    run_task,
    show_errors,
    show_help,
)

KEY, EVERY = "lesson", 5.0
PARTS = {"stages": "Four stages", "quiz": "Checkpoint quiz", "curves": "Reading the curves"}
THIS, BUILT_IN = "This run", "Built-in model"


def lesson(row: DeltaGenerator) -> None:
    """Draw the chosen part of the lesson, with the numbers of the chosen run."""
    with row:
        part = linked_choice("Part", PARTS, key=KEY, label_visibility="collapsed", width=190)
    if part == "quiz":
        with result("lesson"):
            quiz()
        return
    run = choose_run(row)
    live = run is not None and run_reader(run).look()[1].live
    st.fragment(_draw, run_every=EVERY if live else None)(part, run)


def _draw(part: str, run: Run | None) -> None:
    if part == "stages":
        with show_errors():
            _stages(run)
        return
    with result("lesson"), show_errors():
        if run is not None:
            _curves(run)
        else:
            st.caption(
                "Start a run: from its third evaluation on, an explanation of its curves appears "
                "here. The built-in model's curves were not kept."
            )


def _stages(run: Run | None) -> None:
    if run is None or BUILT_IN == choose("Numbers of", (THIS, BUILT_IN), "lesson_of", bind=None):
        _cards(stages_of_builtin())
        st.caption(
            "These are the built-in model's own numbers. Its training times were not recorded; "
            "start a run to see some."
        )
        return
    history = run_reader(run).look()[0]
    _cards(stages_of_run(run, history))
    with result("training_details"):
        st.markdown("**Training details**")
        st.markdown(escape_markdown(" ".join(training_sentences(run.config, history))))


def _cards(stages: tuple[FineTuningStage, ...]) -> None:
    for place, stage in zip(st.columns(len(stages), gap="small"), stages, strict=True):
        facts = [
            f":gray[:small[{escape_markdown(name)}]]  \n{escape_markdown(value)}"
            for name, value in stage.facts
        ]
        with place, result(f"stage_{stage.number}", border=True, height="stretch"):
            st.markdown(f"**{stage.number} · {stage.title}**")
            st.caption(stage.what)
            st.markdown("\n\n".join(facts))


def _curves(run: Run) -> None:
    history, status = run_reader(run).look()
    points = curve_points(history.epoch_evaluations)
    found = _read_curves(run, points)
    training = run.config.training
    total = history.started.total_steps if history.started else 0
    warm_up = read_warm_up(
        history.steps, total, training.warmup_share, head_only=training.trains == "head"
    )
    st.markdown(f"**{escape_markdown(verdict_sentence(found, len(points), live=status.live))}**")
    table = pd.DataFrame(map(asdict, points))
    if points:
        chart = annotated_loss_chart(
            table.astype({"training": "float64"}),
            total_steps=total,
            warm_up=warm_up.steps if warm_up else 0,
            lowest=found.best.step if found else None,
            overfits=found is not None and found.verdict == "overfitting",
        )
        draw(
            chart_spec(chart),
            key="lesson-course",
            alt="Training and validation loss by step, with warm-up and the lowest point marked",
        )
    sentences = [warm_up_sentence(warm_up)]
    if found:
        sentences = [
            *curve_sentences(
                found, steps_left=total - history.step, measure=measure_of(run_task(run))
            ),
            *_kept_checkpoint(run, found),
            *sentences,
            USUAL,
        ]
    st.markdown("\n".join(f"- {escape_markdown(each)}" for each in sentences))
    with st.container(horizontal=True, gap="small"):
        if points:
            download_menu("lesson", None, f"{run.id}-evaluations", tables={"Evaluations": table})
        show_help("fine_tune", "curve_reading", little=f"{100 * LITTLE:.0f} %")


def _read_curves(run: Run, points: tuple[CurvePoint, ...]) -> CurveReading | None:
    """The reading, with the role of chance where the reviews of the run can be read."""
    try:
        reviews = validation_reviews(run)
    except BertsentError:
        return read_curves(points)
    known = {p.step: scores for p in points if (scores := run.scores(p.step)) is not None}
    return read_curves(points, loss_margins(known, reviews))


def _kept_checkpoint(run: Run, found: CurveReading) -> list[str]:
    best = found.best
    names = [folder.name for folder in list_checkpoints(run.checkpoints)]
    if best is found.last or not best.step or f"step-{best.step}" not in names:
        return []
    return [
        f"The weights of that step are kept: choose {run.id}, step {best.step:,} as the model on "
        "any page."
    ]
