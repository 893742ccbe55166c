"""The curves of a run: loss and accuracy side by side, its sentinels below them, and its epoch
log.
"""

from contextlib import suppress

import pandas as pd
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.figures.altair_panels import ChartSpec, chart_spec
from bertsent.figures.learning_curves import learning_curves
from bertsent.tasks.followed import P_POSITIVE, followed_answer
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.measure import measure_of
from bertsent.training.curves.curve_sentences import course_sentence, flips_sentence
from bertsent.training.curves.series import sentinel_flips
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_tables import epoch_lines, epoch_rows
from bertsent.ui.fine_tune.run_guesses import run_guesses
from bertsent.ui.shared import BY_CONTENT, draw, escape_markdown, result, run_reader, run_task

MANY = 9  # epochs, of which some are out of sight
HEIGHT = 118  # pixels of a panel: all three are in sight on a screen of 800


def run_curves(run: Run, history: History, note: str = "") -> None:
    """Draw the curves as they stand, and ``note`` below them; their axes are there before the first
    point.
    """
    sentinels, measure = tuple[str, ...](), measure_of(run_task(run))
    with suppress(BertsentError):  # its configuration is damaged; its curves can still be drawn
        sentinels = run.sentinels()
    followed = _followed(history, sentinels)
    loss, accuracy, sentences = _curves(run, history, sentinels)
    answer = followed_answer(run_task(run)) or P_POSITIVE
    words = isinstance(run_task(run), MaskedWords)
    flips = "" if words else flips_sentence(sentinel_flips(followed, answer.sides))
    course = course_sentence(history, measure)
    with result("curves"):
        left, right = st.columns(2, gap="medium")
        alt = "{} of training and validation over the steps. {}"
        draw(loss, key=f"loss-{run.id}", alt=alt.format("Loss", course), place=left)
        name = alt.format(measure.title, course)
        draw(accuracy, key=f"accuracy-{run.id}", alt=name, place=right)
        if sentinels and not words:
            name = f"Sentinels over the steps, {answer.title}. {flips}"
            draw(sentences, key=f"sentinels-{run.id}", alt=name)
        waiting = "The first point comes once the model and the reviews are loaded."
        said = " ".join(filter(None, (course, flips))) or waiting
        st.caption(escape_markdown(f"{note} {said}".strip()))
    if words:
        run_guesses(run, history, sentinels, total_steps(run, history))


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _curves(
    run: Run, history: History, sentinels: tuple[str, ...]
) -> tuple[ChartSpec, ChartSpec, ChartSpec]:
    followed = _followed(history, sentinels)
    missing = [text for text in sentinels if text not in set(followed["text"])]
    waiting = pd.DataFrame({"step": 0, "text": missing, "p_positive": float("nan")})
    curves = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        pd.concat([followed, waiting]) if missing else followed,
        total_steps=total_steps(run, history),
        height=HEIGHT,
        measure=measure_of(run_task(run)),
        followed=followed_answer(run_task(run)) or P_POSITIVE,
    )
    loss, accuracy, sentences = map(chart_spec, curves)
    return loss, accuracy, sentences


def total_steps(run: Run, history: History) -> int:
    """Steps that a run has in all, also before it has begun; 1 where nothing says it."""
    if history.started:
        return history.started.total_steps
    with suppress(BertsentError):
        config = run.config
        return steps_per_epoch(config.data.train_rows, config.training) * config.training.epochs
    return 1


def _followed(history: History, sentinels: tuple[str, ...]) -> pd.DataFrame:
    scores = history.sentinel_frame()
    return scores[scores["text"].isin(sentinels)]


def epoch_log(run: Run) -> None:
    """A line for each epoch that is over, as Keras prints it."""
    history = run_reader(run).look()[0]
    rows = epoch_rows(history)
    if not history.started or not (rows["epoch"] > 0).any():
        return
    with result("epochs"):
        st.markdown("**Epoch by epoch**")
        with st.container(key="fitted_epochs"):
            lines = epoch_lines(rows, history.started.epochs, task=run_task(run))
            long = len(rows) > MANY
            measure = measure_of(run_task(run))
            measured = measure.training or measure.name
            st.code(lines, language=None, wrap_lines=True, height=230 if long else "content")
        st.caption(
            f"Loss and {measured} are means over the batches of the epoch; those of validation "
            "were measured at its end."
        )
