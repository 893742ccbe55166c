"""What stands beside and below a checkpoint animation: one frame in numbers, accuracy and answer
over the steps, the reviews that changed most, and the extremes.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.figures.animated_map import steps_figure
from bertsent.space.animation import (
    CheckpointAnimation,
    accuracy_frame,
    answers_by_checkpoint,
    changes_between,
    changes_sentence,
    evaluate_frame,
    flips_sentence,
)
from bertsent.space.extreme_reviews import extremes
from bertsent.statistics import majority_class_sentence
from bertsent.training.runs.report import evaluation_report
from bertsent.ui.shared import (
    JobRequest,
    choose,
    choosing_table,
    current_review,
    escape_markdown,
    outcome,
    show_errors,
    show_figure,
)
from bertsent.ui.shared.confusion import confusion_view
from bertsent.ui.shared.model_picker import choose_step

SHOWN = 8  # reviews of the table
_SINCE = {"before": "the checkpoint before", "start": "step 0"}
_OLD_LINK = "the stop before"  # what links made before call it


def show_frame(run: str, animation: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The accuracy, the confusion matrix and the review that is followed, of one frame of the run,
    beside the animation.
    """
    found, step = evaluate_frame(animation, reviews, at), animation.steps[at]
    where = f"Step {step:,} · epoch {animation.epochs[at]:.2f}"
    if found is None:
        st.markdown(f"**{where}**")
        return
    low, high = found.interval
    st.markdown(f"**{where} · {100 * found.accuracy:.1f} % right**")
    st.caption(
        f"95 % interval: {100 * low:.1f} % to {100 * high:.1f} %, from {found.n:,} reviews. "
        f"Majority class: {100 * found.majority:.1f} %."
    )
    known = np.array([label is not None for label in reviews.labels])
    answered = evaluation_report(reviews.where(known), animation.p_positive[at, known], step)
    confusion_view(
        answered,
        "travel_confusion",
        f"bertsent-confusion-{step}",
        model=f"{run}/step-{step}",
        narrow=True,
    )
    _followed(animation, reviews, at)


def _followed(animation: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    chosen = st.session_state.get("travel_chosen")
    row = next((number for number, each in enumerate(reviews) if each.id == chosen), None)
    if row is None:
        st.caption("Click a dot to follow one review through training.")
        return
    p, steps = 100 * animation.p_positive[:, row], animation.steps
    with st.container(border=True):
        st.text(shorten(reviews.examples[row].text, 300))
        st.caption(
            f"P(positive): {p[0]:.1f} % at step {steps[0]:,}, {p[at]:.1f} % here, {p[-1]:.1f} % at "
            "the end."
        )
        st.button(
            "Stop following it",
            key="travel_let_go",
            on_click=lambda: st.session_state.pop("travel_chosen", None),
            type="tertiary",
        )


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
            _line(
                run,
                found.rename(columns={"accuracy": "share"}),
                at,
                "accuracy",
                "accuracy",
                band=True,
            )
            best = found.loc[found["accuracy"].idxmax()]
            st.caption(
                f"It is highest at step {int(best.step):,}: {100 * best.accuracy:.1f} %. The band "
                f"is the 95 % interval. {majority_class_sentence(reviews.labels)}"
            )
    with right, show_errors():
        st.markdown("**P(positive) of your review**")
        text = current_review()
        p_positive = outcome(
            JobRequest(
                f"{key}-{cache_key(text)}",
                lambda progress: answers_by_checkpoint(folders, text, progress=progress),
                f"Asking {len(folders)} checkpoints",
                "Ask the checkpoints",
            )
        )
        if p_positive is not None:
            shares = pd.DataFrame({"step": animation.steps, "share": p_positive})
            _line(run, shares, at, "P(positive)", "review", band=False)
            st.caption(escape_markdown(flips_sentence(text, animation.steps.tolist(), p_positive)))


def _line(run: str, frame: pd.DataFrame, at: int, name: str, key: str, *, band: bool) -> None:
    chart = f"travel_{key}"

    def clicked() -> None:
        found = [point.get("customdata") for point in st.session_state[chart].selection.points]
        steps = [one[0] if isinstance(one, list) else one for one in found if one is not None]
        if steps and int(steps[0]) in set(frame["step"]):
            choose_step(run, int(steps[0]))

    show_figure(
        steps_figure(frame, at=at, band=band, name=name),
        chart,
        f"{run}-{key}",
        f"{name} over the steps",
        caption="",
        on_select=clicked,
        selection_mode="points",
    )


def show_changes(animation: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The reviews whose answer changed most, and the one whose vector moved farthest. A row that is
    chosen is followed in the animation.
    """
    st.subheader("What changed most", anchor=False)
    if not at:
        st.caption(
            "At the first checkpoint there is nothing to compare with. Move the checkpoint slider."
        )
        return
    if st.query_params.get("travel_since") == _OLD_LINK:
        st.session_state.setdefault("travel_since", "before")
    start = at - 1 if choose("Since", _SINCE, "travel_since") == "before" else 0
    found = changes_between(animation, reviews, at, start)
    first, last = int(animation.steps[start]), int(animation.steps[at])
    st.caption(escape_markdown(changes_sentence(found, first, last)))
    few = found.head(SHOWN)
    rows = few.assign(
        before=100 * few["before"],
        after=100 * few["after"],
        text=[shorten(text, 140) for text in few["text"]],
    )

    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    columns = {
        "before": number(f"P at {first:,}", format="%.1f %%", width="small"),
        "after": number(f"P at {last:,}", format="%.1f %%", width="small"),
        "label": text("truth", width="small"),
        "moved": number(
            format="%.3g",
            width="small",
            help="How far its vector moved between the two checkpoints.",
        ),
        "course": st.column_config.LineChartColumn(
            "all checkpoints",
            y_min=0,
            y_max=1,
            width="small",
            help="P(positive) at each checkpoint.",
        ),
        "text": text("review", width="large"),
    }
    choosing_table(
        rows[["before", "after", "course", "label", "moved", "text"]],
        "travel_table",
        few["id"].tolist(),
        lambda chosen: st.session_state.update(travel_chosen=chosen),
        column_config=columns,
    )


def show_extremes_of_frame(animation: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The most positive and the most negative reviews of one frame."""
    st.subheader(f"Most positive and most negative at step {animation.steps[at]:,}", anchor=False)
    tops = extremes(reviews, np.asarray(animation.p_positive[at]))
    columns = {
        "score": st.column_config.NumberColumn("P(positive)", format="%.3f", width="small"),
        "label": st.column_config.TextColumn("truth", width="small"),
        "full_text": st.column_config.TextColumn("review", width="large"),
    }
    for column, name, sign, rows in zip(
        st.columns(2, gap="medium"), ("positive", "negative"), "▲▼", tops, strict=True
    ):
        with column:
            st.markdown(f"**{sign} The {len(rows)} most {name}**")
            st.dataframe(
                rows[["score", "label", "full_text"]],
                hide_index=True,
                key=f"travel_{name}",
                column_config=columns,
            )
