"""One frame of a checkpoint animation: how right the answers are, the reviews that changed most,
and the extremes.
"""

import numpy as np
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.figures.classification import confusion_heatmap
from bertsent.space.animation import CheckpointAnimation
from bertsent.space.animation_frames import changes_between, changes_sentence, evaluate_frame
from bertsent.space.extreme_reviews import extremes
from bertsent.ui.map.map_settings import choose
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown

SHOWN = 8  # reviews of the table
_SINCE = {"before": "the checkpoint before", "start": "step 0"}
_OLD_LINK = "the stop before"  # what links made before call it


def show_frame(animation: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The accuracy and the confusion matrix, beside the animation."""
    found, step = evaluate_frame(animation, reviews, at), animation.steps[at]
    st.markdown(f"**Step {step:,}** · epoch {animation.epochs[at]:.2f}")
    if found is None:
        return
    low, high = found.interval
    note = "On the reviews of the animation."
    st.metric("Accuracy", f"{found.accuracy:.1%}", width="content", help=note)
    st.caption(
        f"95 % interval: {low:.1%} to {high:.1%}, from {found.n:,} reviews. Majority class: "
        f"{found.majority:.1%}."
    )
    (_, false_positive), (false_negative, _) = found.matrix.tolist()
    sentence = (
        f"{false_positive:,} negative reviews were predicted positive, {false_negative:,} positive "
        "ones negative."
    )
    figure = confusion_heatmap(found.matrix)
    st.plotly_chart(figure, key="travel_confusion", config=UNSEEN_BAR, alt=sentence)
    st.caption(sentence)
    download_menu("travel_confusion", figure, f"bertsent-confusion-{step}")
    chosen = st.session_state.get("travel_chosen")
    row = next((number for number, each in enumerate(reviews) if each.id == chosen), None)
    if row is None:
        st.caption("Click a dot to follow one review through training.")
        return
    p, steps = animation.p_positive[:, row], animation.steps
    with st.container(border=True):
        st.text(shorten(reviews.examples[row].text, 300))
        st.caption(
            f"P(positive): {p[0]:.1%} at step {steps[0]:,}, {p[at]:.1%} here, {p[-1]:.1%} at the "
            "end."
        )
        st.button(
            "Stop following it",
            key="travel_let_go",
            on_click=lambda: st.session_state.pop("travel_chosen", None),
            type="tertiary",
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
    ids = few["id"].tolist()
    rows = few.assign(
        before=100 * few["before"],
        after=100 * few["after"],
        text=[shorten(text, 140) for text in few["text"]],
    )

    def picked() -> None:
        chosen = st.session_state["travel_table"].selection.rows
        if chosen and chosen[0] < len(ids):
            st.session_state["travel_chosen"] = ids[chosen[0]]

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
    st.dataframe(
        rows[["before", "after", "course", "label", "moved", "text"]],
        hide_index=True,
        column_config=columns,
        key="travel_table",
        on_select=picked,
        selection_mode="single-row",
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
    signs = {"positive": "▲", "negative": "▼"}
    for column, name, rows in zip(st.columns(2, gap="medium"), signs, tops, strict=True):
        with column:
            st.markdown(f"**{signs[name]} The {len(rows)} most {name}**")
            st.dataframe(
                rows[["score", "label", "full_text"]],
                hide_index=True,
                key=f"travel_{name}",
                column_config=columns,
            )
