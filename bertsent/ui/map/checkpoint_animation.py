"""The checkpoint animation of a run: its checkpoints and some validation reviews in, the map that
moves from checkpoint to checkpoint and what each checkpoint answers out.

The one slider that chooses a checkpoint everywhere (``bertsent.ui.shared.model_picker``) chooses
here, too; where the animation comes to rest moves that one along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import Reviews
from bertsent.figures.animated_map import AnimationColour, animation_figure
from bertsent.figures.plotly_panels import offline_page
from bertsent.space.animation import (
    CheckpointAnimation,
    animate_checkpoints,
    animation_key,
    animation_table,
    frame_sentence,
    spread_checkpoints,
)
from bertsent.space.projection import SEED
from bertsent.space.projection_map import Method, review_rows
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.precision import choose_device
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.map.checkpoint_animation_panels import (
    show_changes,
    show_curves,
    show_extremes_of_frame,
    show_frame,
)
from bertsent.ui.map.map_view import Shown, cache_folder, figure_container, kept_figure, newest
from bertsent.ui.map.review_sample import choose_count, draw
from bertsent.ui.shared import (
    download_menu,
    escape_markdown,
    plotly_chart,
    result,
    run_splits,
    select,
    settings,
    show_help,
)
from bertsent.ui.shared.components import listen
from bertsent.ui.shared.model_picker import choose_step

if TYPE_CHECKING:
    import plotly.graph_objects as go

COUNTS, MOST, USUAL = (50, 100, 200, 300, 500), 785, 200  # reviews
UNASKED = 2_500  # reviews times checkpoints that begin without a button
CHART, HEIGHT = "travel_film", 510
_COLOURS: dict[AnimationColour, str] = {"answer": "P(positive)", "label": "Truth"}


@dataclass(frozen=True)
class ShownAnimation(Shown):
    """A finished animation and what it was made of."""

    run: str
    animation: CheckpointAnimation
    reviews: Reviews
    folders: tuple[Path, ...]


def animated_run(name: str) -> Run | None:
    """The run whose checkpoints can be played; None where the model is none, or has only one.

    Args:
        name: the registry name of the model, ``run/step-N`` for a run.
    """
    run_id, _, step = name.partition("/step-")
    if not step.isdecimal():
        return None
    run = find_run(run_id)
    return run if len(_folders(run)) >= 2 else None


def choose_animation(
    name: str, colour_place: DeltaGenerator, rest: DeltaGenerator
) -> tuple[Reviews, AnimationColour, str]:
    """Draw what is chosen for an animation; gives back its reviews, its colours and which reviews
    they are.
    """
    run = find_run(name.partition("/")[0])
    whole = run_splits(run).validation
    with colour_place:
        colour = select(
            "Colour by",
            _COLOURS,
            "travel_colour",
            help="The shape of a dot always shows the true label.",
            label_visibility="collapsed",
            width=118,
        )
    with rest, settings():
        count = choose_count(
            "How many reviews", min(len(whole), MOST), COUNTS, USUAL, key="travel_count"
        )
    which = f"All {len(whole):,} validation reviews of {run.id}"
    if count < len(whole):
        which = f"{count:,} of {which[4:]}, drawn at random with seed {SEED}"
    return draw(whole, count), colour, f"{which}: the run was trained on none of them."


def show_animation(
    name: str, method: Method, reviews: Reviews, colour: AnimationColour, which: str
) -> None:
    """Draw the animation of a run at its chosen checkpoint, and what each checkpoint answers."""
    run_id, _, step = name.partition("/step-")
    run = find_run(run_id)
    with result("map"):
        shown, fresh = _current(run, _folders(run), reviews)
        if shown is None:
            return
        at = _stage(run, shown, int(step), method, colour, which, fresh=fresh)
    animation, reviews = shown.animation, shown.reviews
    show_curves(run.id, animation, reviews, shown.folders, at, shown.key)
    show_changes(animation, reviews, at)
    show_extremes_of_frame(animation, reviews, at)


def _folders(run: Run) -> list[Path]:
    return spread_checkpoints(kept_checkpoints(run.checkpoints))


def _current(run: Run, folders: list[Path], reviews: Reviews) -> tuple[ShownAnimation | None, bool]:
    kept, folder = st.session_state.get("travel_shown"), cache_folder()
    if kept is not None and kept.run != run.id:
        del st.session_state["travel_shown"]
    key = f"animation-{animation_key(folders, reviews)}"
    return newest(
        "travel_shown",
        key,
        f"An animation of {len(reviews):,} reviews through {len(folders)} checkpoints",
        lambda progress: animate_checkpoints(
            folders, reviews, cache=folder, progress=progress, device=choose_device()
        ),
        lambda made: ShownAnimation(key, run.id, made, reviews, tuple(folders)),
        quick=lambda older: older is not None or len(folders) * len(reviews) <= UNASKED,
        height=HEIGHT,
    )


def _stage(
    run: Run,
    shown: ShownAnimation,
    step: int,
    method: Method,
    colour: AnimationColour,
    which: str,
    *,
    fresh: bool,
) -> int:
    """The animation, and beside it the checkpoint in numbers; gives back the frame."""
    animation, reviews = shown.animation, shown.reviews
    at, chosen = animation.frame(step), st.session_state.get("travel_chosen")
    with st.container(horizontal=True, gap="small", key="map_stage"):
        with st.container(key="map_figure"):
            figure = kept_figure(
                (shown.key, method, colour, at, chosen),
                lambda: animation_figure(
                    animation.places(method),
                    animation.steps.tolist(),
                    animation.p_positive,
                    review_rows(reviews),
                    at=at,
                    colour_by=colour,
                    chosen=chosen,
                    height=HEIGHT,
                ),
            )
            _draw(run, shown, figure, at, which, fresh=fresh)
            if step not in animation.steps:
                st.caption(f"There is no frame at step {step:,}; the last one before it is shown.")
        with st.container(key="map_beside", width=350):
            show_frame(run.id, animation, reviews, at)
    return at


def _draw(
    run: Run, shown: ShownAnimation, figure: "go.Figure", at: int, which: str, *, fresh: bool
) -> None:
    """The animation, greyed where it is not the one asked for. A click opens a review's path; where
    it comes to rest moves the page's slider.
    """
    animation, name = shown.animation, f"{run.id}-time"
    sentence, steps = frame_sentence(animation, shown.reviews, at), animation.steps.tolist()
    plotly_chart(
        figure,
        key=CHART,
        on_select=_clicked,
        selection_mode="points",
        config={"displaylogo": False, "toImageButtonOptions": {"filename": name, "scale": 2}},
        alt=sentence,
        place=figure_container(fresh),
    )
    st.caption(escape_markdown(f"{sentence} {which}"))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        download_menu(
            CHART,
            figure,
            name,
            page=lambda: offline_page(figure, title=f"Checkpoints of {run.id}", words=sentence),
            bar=True,
            tables={"All frames": lambda: animation_table(animation, shown.reviews)},
        )
        follow_slider(CHART, steps, steps[at], lambda step: choose_step(run.id, step))
        explained = " and ".join(f"{100 * share:.0f} %" for share in animation.explained)
        note = f"The plane keeps {explained} of the variance of the last checkpoint."
        show_help("map", "checkpoint_animation", note=f"{note} {animation.note}".strip())


def follow_slider(chart: str, steps: Sequence[int], step: int, act: Callable[[int], None]) -> None:
    """Listen to the animation drawn under the key ``chart``; ``act`` gets the step at which it came
    to rest, if that is another than ``step``.
    """

    def other_step(sent: object) -> int | None:
        at = sent.get("step") if isinstance(sent, dict) else None
        return int(at) if isinstance(at, int | float) and at in steps and at != step else None

    listen(__file__, chart, other_step, act, step=step)


def _clicked() -> None:
    """A dot was chosen: its path is drawn. What is taken back by a change of the figure alone
    stays.
    """
    found = [
        point["customdata"]
        for point in st.session_state[CHART].selection.points
        if point.get("customdata")
    ]
    if found:
        st.session_state["travel_chosen"] = str(found[0][0])
