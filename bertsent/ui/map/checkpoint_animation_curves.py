"""A checkpoint animation in, two lines over the steps out: the accuracy with its interval, and
P(positive) of the review in the bar.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.figures.animated_map import steps_figure
from bertsent.space.animation import CheckpointAnimation, answers_by_checkpoint
from bertsent.space.animation_frames import accuracy_frame, flips_sentence
from bertsent.statistics import majority_class_sentence
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.model_picker import choose_step
from bertsent.ui.shared.review_bar import current_review


def show_curves(
    run: str,
    animation: CheckpointAnimation,
    reviews: Reviews,
    folders: Sequence[Path],
    at: int,
    key: str,
) -> None:
    """Draw both lines; a click on a dot moves the checkpoint slider there.

    Args:
        run: the run's id.
        animation: all frames.
        reviews: those of the animation.
        folders: the checkpoints of the frames.
        at: the frame that is chosen.
        key: the animation's own.
    """
    st.subheader("Over the steps", anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        found = accuracy_frame(animation, reviews)
        if len(found):
            st.markdown("**Accuracy on the reviews of the animation**")
            shares = found.rename(columns={"accuracy": "share"})
            _line(run, shares, at, "accuracy", "accuracy", band=True)
            best = found.loc[found["accuracy"].idxmax()]
            st.caption(
                f"It is highest at step {int(best.step):,}: {best.accuracy:.1%}. The band is the "
                f"95 % interval. {majority_class_sentence(reviews.labels)}"
            )
    with right, show_errors():
        st.markdown("**P(positive) of your review**")
        text = current_review()
        request = JobRequest(
            f"{key}-{cache_key(text)}",
            lambda progress: answers_by_checkpoint(folders, text, progress=progress),
            f"Asking {len(folders)} checkpoints",
            "Ask the checkpoints",
        )
        p_positive = outcome(request)
        if p_positive is not None:
            shares = pd.DataFrame({"step": animation.steps, "share": p_positive})
            _line(run, shares, at, "P(positive)", "review", band=False)
            sentence = flips_sentence(text, animation.steps.tolist(), p_positive)
            st.caption(escape_markdown(sentence))


def _line(run: str, frame: pd.DataFrame, at: int, name: str, key: str, *, band: bool) -> None:
    chart = f"travel_{key}"

    def clicked() -> None:
        found = [point.get("customdata") for point in st.session_state[chart].selection.points]
        steps = [one[0] if isinstance(one, list) else one for one in found if one is not None]
        if steps and int(steps[0]) in set(frame["step"]):
            choose_step(run, int(steps[0]))

    figure = steps_figure(frame, at=at, band=band, name=name)
    st.plotly_chart(
        figure,
        key=chart,
        config=UNSEEN_BAR,
        on_select=clicked,
        selection_mode="points",
        alt=f"{name} over the steps",
    )
    download_menu(chart, figure, f"{run}-{key}")
