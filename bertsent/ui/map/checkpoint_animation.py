"""The checkpoint animation of a run: its checkpoints and some validation reviews in, the map that
moves from checkpoint to checkpoint and what each checkpoint answers out.

The one slider that chooses a checkpoint everywhere (``bertsent.ui.shared.model_picker``) chooses
here, too; where the animation comes to rest moves that one along.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import LABELS, Reviews
from bertsent.figures.animated_map import AnimationColour, animation_figure, animation_page
from bertsent.progress import Progress
from bertsent.space.animation import (
    CheckpointAnimation,
    animate_checkpoints,
    animation_checkpoints,
    animation_key,
)
from bertsent.space.animation_frames import animation_table, frame_sentence
from bertsent.space.projection import SEED
from bertsent.space.projection_map import METHODS, Method
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.map.checkpoint_animation_curves import show_curves
from bertsent.ui.map.checkpoint_animation_frame import (
    show_changes,
    show_extremes_of_frame,
    show_frame,
)
from bertsent.ui.map.checkpoint_animation_slider import follow_slider
from bertsent.ui.map.map_settings import choose
from bertsent.ui.map.map_view import STALE_STYLE, cache_folder, map_outcome, map_request
from bertsent.ui.map.review_sample import draw
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.model_picker import choose_step

if TYPE_CHECKING:
    import plotly.graph_objects as go

ONE, ANIMATION = "one", "time"
VIEWS = {ONE: "One checkpoint", ANIMATION: "Checkpoint animation"}
_OLD_LINK = "Time machine"  # what links made before call it
COUNTS, USUAL = (50, 100, 200, 300, 500, 785), 200  # reviews
UNASKED = 2_500  # reviews times checkpoints that begin without a button
CHART, HEIGHT = "travel_film", 640
_COLOURS: dict[AnimationColour, str] = {"answer": "P(positive)", "label": "Truth"}


@dataclass(frozen=True)
class ShownAnimation:
    """A finished animation and what it was made of."""

    key: str
    run: str
    animation: CheckpointAnimation
    reviews: Reviews
    folders: tuple[Path, ...]


def show_checkpoint_animation(name: str | None, place: DeltaGenerator) -> bool:
    """Offer the animation in ``place`` where a run with checkpoints was chosen, and draw it below;
    False when it is not wanted.

    Args:
        name: the registry name of the model, ``run/step-N`` for a run.
        place: where the switch and the controls go.
    """
    run_id, _, step = (name or "").partition("/step-")
    if not step.isdecimal():
        return False
    run = find_run(run_id)
    folders = animation_checkpoints(kept_checkpoints(run.checkpoints))
    if len(folders) < 2:
        return False
    if st.query_params.get("travel_view") == _OLD_LINK:
        st.session_state.setdefault("travel_view", ANIMATION)
    with place:
        note = "The animation shows the same reviews under every checkpoint of this run."
        if choose("What to see", VIEWS, "travel_view", note) != ANIMATION:
            return False
        reviews, method, colour = _controls(run)
    _animated(run, folders, int(step), reviews, method, colour)
    return True


def _controls(run: Run) -> tuple[Reviews, Method, AnimationColour]:
    whole = _validation(str(run.folder), (run.folder / "config.json").stat().st_mtime)
    counts = [*(count for count in COUNTS if count < len(whole)), min(len(whole), COUNTS[-1])]
    if st.session_state.get("travel_count") not in counts:
        st.session_state.pop("travel_count", None)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        note = "PCA: one plane for all checkpoints. t-SNE: each layout starts from the previous "
        "one."
        method = choose("Method", METHODS, "travel_method", note)
        note = "The shape of a dot always shows the true label."
        colour = choose("Colour by", _COLOURS, "travel_colour", note)
    count = counts[0]
    if len(counts) > 1:
        usual = max(each for each in counts if each <= max(USUAL, counts[0]))
        count = st.select_slider(
            "How many reviews",
            counts,
            usual,
            key="travel_count",
            bind="query-params",
            persist_state="session",
        )
    which = f"All {len(whole):,} validation reviews of {run.id}"
    if count < len(whole):
        which = f"{count:,} of {which[4:]}, drawn at random with seed {SEED}"
    st.caption(escape_markdown(f"{which}: the run was trained on none of them."))
    return draw(whole, count), method, colour


@st.cache_resource(max_entries=6, show_spinner="Reading the reviews …")
def _validation(folder: str, created: float) -> Reviews:
    return Run(Path(folder)).splits().validation


def _animated(
    run: Run,
    folders: list[Path],
    step: int,
    reviews: Reviews,
    method: Method,
    colour: AnimationColour,
) -> None:
    """Everything below the controls, or the progress of making it."""
    shown, fresh = _current(run, folders, reviews)
    if shown is None:
        return
    animation, reviews = shown.animation, shown.reviews
    at, chosen = animation.frame(step), st.session_state.get("travel_chosen")
    left, right = st.columns([5, 2], gap="medium")
    with right:
        show_frame(animation, reviews, at)
    with left:
        figure = _figure(shown.key, method, colour, at, chosen, animation, reviews)
        _draw(run, shown, figure, at, fresh=fresh)
        if step not in animation.steps:
            st.caption(f"There is no frame at step {step:,}; the last one before it is shown.")
    show_curves(run.id, animation, reviews, shown.folders, at, shown.key)
    show_changes(animation, reviews, at)
    show_extremes_of_frame(animation, reviews, at)


def _current(run: Run, folders: list[Path], reviews: Reviews) -> tuple[ShownAnimation | None, bool]:
    """The animation to draw and whether it is the one asked for; says what is going on where it is
    not.
    """
    key = f"animation-{animation_key(folders, reviews)}"
    shown: ShownAnimation | None = st.session_state.get("travel_shown")
    if shown is not None and shown.run != run.id:
        shown = None
    if shown is None or shown.key != key:
        folder = cache_folder()

        def work(progress: Progress) -> CheckpointAnimation:
            from bertsent.training.precision import choose_device

            return animate_checkpoints(
                folders, reviews, cache=folder, progress=progress, device=choose_device()
            )

        request = map_request(
            key,
            work,
            f"An animation of {len(reviews):,} reviews through {len(folders)} checkpoints",
            unasked=len(folders) * len(reviews) <= UNASKED or shown is not None,
            older=shown is not None,
        )
        made = map_outcome(request, older=shown is not None, height=HEIGHT)
        if made is None:
            return shown, False
        shown = ShownAnimation(key, run.id, made, reviews, tuple(folders))
        st.session_state["travel_shown"] = shown
    return shown, True


@st.cache_resource(max_entries=12, show_spinner=False)
def _figure(
    key: str,
    method: Method,
    colour: AnimationColour,
    at: int,
    chosen: str | None,
    _animation: CheckpointAnimation,
    _reviews: Reviews,
) -> "go.Figure":
    labels = ["" if label is None else LABELS[label] for label in _reviews.labels]
    rows = {"id": [e.id for e in _reviews], "text": _reviews.texts, "label": labels}
    return animation_figure(
        _animation.places(method),
        _animation.steps.tolist(),
        _animation.p_positive,
        pd.DataFrame(rows),
        at=at,
        colour_by=colour,
        chosen=chosen,
        height=HEIGHT,
    )


def _draw(run: Run, shown: ShownAnimation, figure: "go.Figure", at: int, *, fresh: bool) -> None:
    """The animation, greyed where it is not the one asked for. A click opens a review's path; where
    it comes to rest moves the page's slider.
    """
    animation, name = shown.animation, f"{run.id}-time"
    sentence, steps = frame_sentence(animation, shown.reviews, at), animation.steps.tolist()
    if not fresh:
        st.html(STALE_STYLE)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure,
            key=CHART,
            on_select=_clicked,
            selection_mode="points",
            config={
                "displaylogo": False,
                "toImageButtonOptions": {"filename": name, "scale": 2},
            },
            alt=f"Checkpoint animation of {run.id} at step {steps[at]:,}",
        )
    follow_slider(CHART, steps, steps[at], lambda step: choose_step(run.id, step))
    st.caption(escape_markdown(sentence))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        download_menu(
            CHART,
            figure,
            name,
            page=lambda: animation_page(figure, f"Checkpoints of {run.id}", sentence),
            bar=True,
            tables={"All frames": lambda: animation_table(animation, shown.reviews)},
        )
        show_help("map", "checkpoint_animation")
    explained = " and ".join(f"{share:.0%}" for share in animation.explained)
    note = f"The plane keeps {explained} of the variance of the last checkpoint. {animation.note}"
    st.caption(escape_markdown(note.strip()))


def _clicked() -> None:
    """A dot was chosen: its path is drawn. What is taken back by a change of the figure alone
    stays.
    """
    points = st.session_state[CHART].selection.points
    found = [point["customdata"] for point in points if point.get("customdata")]
    if found:
        st.session_state["travel_chosen"] = str(found[0][0])
