"""A journey in, two lines over the steps out: the accuracy with its interval, and P(positive) of
the review that is being looked at.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.progress import Progress
from bertsent.space.animation import CheckpointAnimation, answers_by_checkpoint
from bertsent.space.animation_frames import accuracy_frame
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.jobs import jobs, wait_for
from bertsent.ui.shared.model_picker import choose_step
from bertsent.ui.shared.review_bar import current_review


def show_curves(
    run: str,
    journey: CheckpointAnimation,
    reviews: Reviews,
    folders: Sequence[Path],
    at: int,
    key: str,
) -> None:
    """Draw both lines; a click on a dot moves the checkpoint slider there.

    Args:
        run: the run's id.
        journey: all stops.
        reviews: those of the journey.
        folders: the checkpoints of the stops.
        at: the stop that is chosen.
        key: the journey's own.
    """
    st.subheader("Along the way", anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        found = accuracy_frame(journey, reviews)
        if len(found):
            st.markdown("**Accuracy on the reviews of the film**")
            _line(run, found.rename(columns={"accuracy": "share"}), at, name="accuracy", band=True)
            best = found.loc[found["accuracy"].idxmax()]
            st.caption(
                f"It is highest at step {int(best.step):,}: {100 * best.accuracy:.1f} %. The band "
                "is the 95 % interval."
            )
    with right, show_errors():
        st.markdown("**P(positive) of your review**")
        chart = st.container()
        text = current_review()
        with chart:
            _specimen_line(run, journey, folders, at, text, f"{key}-{cache_key(text)}")


def _specimen_line(
    run: str, journey: CheckpointAnimation, folders: Sequence[Path], at: int, text: str, key: str
) -> None:
    def work(progress: Progress) -> np.ndarray:
        return answers_by_checkpoint(folders, text, progress=progress)

    job = jobs().find(key) or jobs().start(key, work)
    if job.state == "done":
        shares = job.result
        _line(
            run,
            pd.DataFrame({"step": journey.steps, "share": shares}),
            at,
            name="P(positive)",
            band=False,
        )
        st.caption(escape_markdown(flips_of(text, journey.steps.tolist(), shares)))
    elif not job.over:
        wait_for(key, f"Asking {len(folders)} checkpoints")
    else:
        if job.state == "failed":
            show_error(BertsentError(job.error))
        st.button("Try again", key="travel_again", on_click=lambda: jobs().start(key, work))


def flips_of(text: str, steps: list[int], shares: np.ndarray) -> str:
    """At which stops the answer to a text turned."""
    sides = ["positive" if share > 0.5 else "negative" for share in shares]
    turns = [
        f"{side} at step {step:,}"
        for step, before, side in zip(steps[1:], sides, sides[1:], strict=False)
        if side != before
    ]
    first = f"“{shorten(text, 60)}” is {sides[0]} at step {steps[0]:,} ({100 * shares[0]:.1f} %)"
    if not turns:
        return f"{first} and at every other stop; {100 * shares[-1]:.1f} % at step {steps[-1]:,}."
    return (
        f"{first}, then turns {', '.join(turns)}; {100 * shares[-1]:.1f} % at step {steps[-1]:,}."
    )


def _line(run: str, frame: pd.DataFrame, at: int, *, name: str, band: bool) -> None:
    from bertsent.figures.animated_map import steps_figure

    chart = f"travel_{'accuracy' if band else 'specimen'}"

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
    download_menu(chart, figure, f"{run}-{'accuracy' if band else 'specimen'}")
