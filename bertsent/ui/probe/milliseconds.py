"""Milliseconds: each step of the review's answer timed here, and reviews one by one beside batches.

Times are measured in a thread of the server, one measurement at a time, and kept for everybody
until somebody measures again.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.sources import load_reviews
from bertsent.figures.timing_charts import batching_figure, steps_figure
from bertsent.probing import timing
from bertsent.probing.answer import answer_title
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.timing import BatchTimes, StepTimes, TimingSpread, format_milliseconds
from bertsent.progress import Progress
from bertsent.settings import machine
from bertsent.ui.shared import (
    UNSEEN_BAR,
    JobRequest,
    choose,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
    plotly_chart,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.jobs import jobs

if TYPE_CHECKING:
    import plotly.graph_objects as go

COUNTS, USUAL = (8, 16, 32, 64), 16  # reviews to choose from
AT_ONCE = 1.0  # seconds up to which nobody has to press a button
QUARTILES = ("lower quartile", "upper quartile")
STEPS_CHART, BATCH_CHART = "timing_steps", "timing_batch"
_PUBLISHED = (
    "**Published, not measured here** are the figures of the course: ~1 ms for tokenising, ~10–50 "
    "ms for the forward pass of a BERT of 12 layers (on a GPU), at most 1 ms for the rest; ~150 ms "
    "one after the other beside ~60 ms in a batch (2.5 ×; the number of reviews is not given); on "
    "one V100 200–500 reviews a second, or 1,000–2,000 with batches of 32."
)
BATCHES = (
    "In a batch, reviews of similar lengths go through the model together, in one pass: the "
    "machine multiplies larger matrices and is busy all the time."
)
Found = TypeVar("Found")


def milliseconds(name: str, text: str) -> None:
    """Draw the steps of one answer and the gain of batches for the model of that registry name.

    Raises:
        BertsentError: the model does not answer.
    """
    model = loaded_model(name)
    steps_key = _key(model, "steps", text)
    left, right = st.columns([3, 2], gap="large")
    with left, result("steps"):
        measured = _measured(
            steps_key,
            lambda progress: timing.time_steps(model, text, progress=progress),
            "Timing each step",
        )
        if measured is None:
            return
        steps, when = measured
        _show_steps(model, steps)
    with right, result("batching"):
        batch_key, batch = _batching(model, steps)
    st.caption(_PUBLISHED)
    _about(model, steps, when)
    with st.container(horizontal=True, gap="small"):
        download_menu(STEPS_CHART, _figure(steps), "bertsent-milliseconds")
        show_help("probe", "milliseconds")
        st.button(
            "Measure again",
            key="timing_again",
            type="tertiary",
            on_click=_forget,
            args=([steps_key, batch_key] if batch else [steps_key],),
        )
    _numbers(steps, batch)


def _batching(model: LoadedModel, steps: StepTimes) -> tuple[str, BatchTimes | None]:
    """Reviews one by one and in batches, or what begins the measurement."""
    st.markdown("**One by one or in batches**", help=BATCHES)
    count = choose("Built-in reviews", COUNTS, "timing_reviews", default=USUAL)
    key = _key(model, "batch", count)
    batch, _ = _measured(
        key,
        lambda progress: timing.time_batching(
            model, timing.evenly_spread(load_reviews("builtin"), count), progress=progress
        ),
        f"Timing {count} reviews",
        1.6 * 8 * count * steps.whole.median / 1_000,  # eight turns, both ways
    ) or (None, "")
    if batch is not None:
        show_figure(
            batching_figure(
                times(batch.alone), times(batch.batched), (timing.ALONE, timing.BATCHED)
            ),
            BATCH_CHART,
            "bertsent-batching",
            timing.batching_sentence(batch),
        )
    return key, batch


def _key(model: LoadedModel, what: str, of: object) -> str:
    return f"timing-{what}-{cache_key(model.key, model.max_length, of)}"


def _forget(keys: list[str]) -> None:
    for key in keys:
        jobs().forget(key)
    st.session_state["timing_anew"] = keys


def _measured(
    key: str, work: Callable[[Progress], Found], title: str, seconds: float = 0.0
) -> tuple[Found, str] | None:
    """What a measurement gave and when it was made. None while there is none: then its progress is
    drawn, or the button that begins it.
    """

    def timed(progress: Progress) -> tuple[Found, str]:
        return work(progress), f"{datetime.now(UTC):%H:%M:%S} UTC"

    anew = st.session_state.get("timing_anew", [])
    if key in anew:  # somebody asked for it just now, so no second button
        st.session_state["timing_anew"] = [other for other in anew if other != key]
    return outcome(
        JobRequest(
            key,
            timed,
            title,
            "Measure",
            unasked=seconds <= AT_ONCE or key in anew,
            note=f"This takes about {max(1, round(seconds))} s of this server and can be "
            "cancelled.",
        )
    )


def _show_steps(model: LoadedModel, steps: StepTimes) -> None:
    parts, answer = steps.parts, steps.answer
    did = (
        f"{answer.tokens + 2} tokens with [CLS] and [SEP]",
        f"{model.layers} layers, logits {answer.logits[0]:+.2f} and {answer.logits[1]:+.2f}",
        answer_title(answer),
    )
    st.markdown("**From the question to the answer**")
    plotly_chart(
        _figure(steps),
        key=STEPS_CHART,
        config=UNSEEN_BAR,
        alt="; ".join(f"{name} {format_milliseconds(s.median)} ms" for name, s in parts.items()),
    )
    made = "; ".join(f"{name}: {what}" for name, what in zip(timing.STEPS, did, strict=True))
    st.caption(escape_markdown(f"{timing.steps_sentence(steps)} What each did: {made}."))


def _figure(steps: StepTimes) -> "go.Figure":
    parts = {name: times(spread) for name, spread in steps.parts.items()}
    return steps_figure(parts, timing.PUBLISHED_MS)


def _about(model: LoadedModel, steps: StepTimes, when: str) -> None:
    facts, kind = machine(), model.device.type
    where = facts.name if facts.device == kind else kind.upper()
    st.caption(
        escape_markdown(
            f"{model.name} · {steps.whole.count} repetitions at {when} on {where}, "
            f"{facts.cores} cores. The load of other people at that time is included."
        )
    )


def _numbers(steps: StepTimes, batch: BatchTimes | None) -> None:
    table = timing.timing_table(steps, batch).rename(columns={"published": "published (course)"})
    with st.expander("All numbers, measured beside published", expanded=batch is not None):
        st.dataframe(_readable(table), hide_index=True, key="timing_table")
        download_menu("timing", None, "bertsent-timing", tables={"Numbers": table})


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    """The numbers as people read them: significant digits, units beside them."""
    shown = {
        column: [
            "" if pd.isna(value) else f"{format_milliseconds(value)} {unit}"
            for value, unit in zip(table[column], table["unit"], strict=True)
        ]
        for column in ("measured", *QUARTILES)
    }
    return table.assign(**shown)[
        ["what", "measured", "published (course)", *QUARTILES, "repetitions"]
    ]


def times(spread: TimingSpread) -> tuple[float, float, float]:
    """The median and the quartiles."""
    return spread.median, spread.low, spread.high
