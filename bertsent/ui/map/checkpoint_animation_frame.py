"""One stop of a journey in, what it makes of the reviews out: how right it is, what has turned, the
extremes, who changed most.
"""

import numpy as np
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.figures.classification import confusion_heatmap
from bertsent.space.animation import CheckpointAnimation
from bertsent.space.animation_frames import changes_between, coin_interval, evaluate_frame
from bertsent.space.extreme_reviews import extremes
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown

SHOWN = 8  # reviews of the table
_SINCES = {"before": "the stop before", "start": "step 0"}


def frame_sentence(journey: CheckpointAnimation, reviews: Reviews, at: int) -> str:
    """What to see at this stop, from the numbers."""
    found, step = evaluate_frame(journey, reviews, at), f"Step {journey.steps[at]:,}"
    if found.score is None:
        return f"{step}: the reviews have no labels, so nothing can be judged."
    low, high = found.score.interval
    score = (
        f"{step}: {_percent(found.score.accuracy)} of {found.score.n:,} reviews are answered "
        f"right ({_percent(low)} to {_percent(high)})."
    )
    if at:
        before = f"step {journey.steps[at - 1]:,}"
        far = journey.moved[at]
        moved = (
            f" On average a vector moved by {far.mean():.2g} meanwhile."
            if far.any()
            else " No vector moved meanwhile: only the head learned."
        )
        return (
            f"{score} Since {before}, {found.turned_right:,} turned right and "
            f"{found.turned_wrong:,} turned wrong.{moved}"
        )
    return (
        f"{score} {_by_chance(found.score.accuracy, found.score.n)}"
        if journey.steps[0] == 0
        else score
    )


def _by_chance(accuracy: float, count: int) -> str:
    low, high = coin_interval(count)
    inside = (
        "which this is"
        if low <= accuracy <= high
        else "this head happens to lie outside, because what it reads is no noise"
    )
    tries = f"a coin would be right for {_percent(low)} to {_percent(high)} in 99 of 100 tries"
    return f"Its head is random and knows nothing yet: {tries}; {inside}."


def show_frame(journey: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The score and the confusion matrix, beside the film."""
    found = evaluate_frame(journey, reviews, at)
    st.markdown(f"**Step {journey.steps[at]:,}** · epoch {journey.epochs[at]:.2f}")
    if found.score is None:
        return
    low, high = found.score.interval
    st.metric(
        "Accuracy",
        _percent(found.score.accuracy),
        width="content",
        help="On the reviews of the film.",
    )
    st.caption(
        f"95 % interval: {_percent(low)} to {_percent(high)}, from {found.score.n:,} reviews."
    )
    (_, false_positive), (false_negative, _) = found.matrix.tolist()
    said = (
        f"{false_positive:,} negative reviews were taken for positive, {false_negative:,} "
        "positive ones for negative."
    )
    figure = confusion_heatmap(found.matrix)
    st.plotly_chart(figure, key="travel_confusion", config=UNSEEN_BAR, alt=said)
    st.caption(said)
    download_menu("travel_confusion", figure, f"bertsent-confusion-{journey.steps[at]}")
    chosen = st.session_state.get("travel_chosen")
    rows = [number for number, example in enumerate(reviews) if example.id == chosen]
    if rows:
        _chosen(journey, reviews, rows[0], at)
    else:
        st.caption("Click a dot to follow one review through training.")


def _chosen(journey: CheckpointAnimation, reviews: Reviews, row: int, at: int) -> None:
    with st.container(border=True):
        st.text(shorten(reviews.examples[row].text, 300))
        way = journey.p_positive[:, row]
        st.caption(
            f"P(positive): {_percent(way[0])} at step {journey.steps[0]:,}, {_percent(way[at])} "
            f"here, {_percent(way[-1])} at the end."
        )
        st.button(
            "Stop following it",
            key="travel_let_go",
            on_click=lambda: st.session_state.pop("travel_chosen", None),
            type="tertiary",
        )


def show_changes(journey: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The reviews whose answer changed most, and the one whose vector went farthest. A row that is
    chosen is followed on the film.
    """
    st.subheader("What changed most", anchor=False)
    if not at:
        st.caption("Nothing has changed at the first stop. Move the checkpoint slider.")
        return
    since = st.segmented_control(
        "Since",
        list(_SINCES),
        default="before",
        required=True,
        format_func=_SINCES.get,
        key="travel_since",
        bind="query-params",
        persist_state="session",
    )
    start = at - 1 if since == "before" else 0
    found = changes_between(journey, reviews, at, start)
    st.caption(escape_markdown(_summary(found, int(journey.steps[start]), int(journey.steps[at]))))
    few = found.head(SHOWN)
    st.session_state["travel_rows"] = few["id"].tolist()
    rows = few.assign(
        before=100 * few["before"],
        after=100 * few["after"],
        text=[shorten(text, 140) for text in few["text"]],
    )
    percent = {
        name: st.column_config.NumberColumn(title, format="%.1f %%", width="small")
        for name, title in _columns(journey, start, at)
    }
    columns = percent | {
        "label": st.column_config.TextColumn("truth", width="small"),
        "moved": st.column_config.NumberColumn(
            format="%.3g", width="small", help="How far its vector came meanwhile."
        ),
        "course": st.column_config.LineChartColumn(
            "all stops", y_min=0, y_max=1, width="small", help="P(positive) at every stop."
        ),
        "text": st.column_config.TextColumn("review", width="large"),
    }
    st.dataframe(
        rows[["before", "after", "course", "label", "moved", "text"]],
        hide_index=True,
        column_config=columns,
        key="travel_table",
        on_select=_picked,
        selection_mode="single-row",
    )


def _columns(journey: CheckpointAnimation, start: int, at: int) -> list[tuple[str, str]]:
    return [("before", f"P at {journey.steps[start]:,}"), ("after", f"P at {journey.steps[at]:,}")]


def _summary(found, start: int, step: int) -> str:  # noqa: ANN001 - the frame of ``changes_between``
    first, far = found.iloc[0], found.iloc[int(found["moved"].to_numpy().argmax())]
    changed = (
        f"From step {start:,} to step {step:,} the answer to “{shorten(first.text, 80)}” changed "
        "most:"
        f" P(positive) from {_percent(first.before)} to {_percent(first.after)}."
    )
    moved = (
        f" The vector of “{shorten(far.text, 80)}” went farthest."
        if far.moved > 0
        else " No vector moved: only the head was trained."
    )
    return changed + moved


def _picked() -> None:
    rows, ids = (
        st.session_state["travel_table"].selection.rows,
        st.session_state.get("travel_rows", []),
    )
    if rows and rows[0] < len(ids):
        st.session_state["travel_chosen"] = ids[rows[0]]


def show_extremes_of_frame(journey: CheckpointAnimation, reviews: Reviews, at: int) -> None:
    """The most positive and the most negative reviews at this stop."""
    st.subheader(f"What it is surest of at step {journey.steps[at]:,}", anchor=False)
    tops = extremes(reviews, np.asarray(journey.p_positive[at]))
    columns = {
        "score": st.column_config.NumberColumn("P(positive)", format="%.3f", width="small"),
        "label": st.column_config.TextColumn("truth", width="small"),
        "full_text": st.column_config.TextColumn("review", width="large"),
    }
    for column, name, rows in zip(
        st.columns(2, gap="medium"), ("positive", "negative"), tops, strict=True
    ):
        with column:
            st.markdown(f"**{'▲' if name == 'positive' else '▼'} The {len(rows)} most {name}**")
            st.dataframe(
                rows[["score", "label", "full_text"]],
                hide_index=True,
                key=f"travel_{name}",
                column_config=columns,
            )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
