"""The time machine of a run: its checkpoints and some validation reviews in, a film of the map and
what each checkpoint makes of them out.

The one slider that chooses a checkpoint everywhere (``bertsent.ui.shared.model_picker``) chooses here, too;
letting go of the film's own
slider, or letting it play, moves that one along.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, Reviews
from bertsent.progress import Progress
from bertsent.space.animation import (
    CheckpointAnimation,
    animate_checkpoints,
    animation_checkpoints,
    animation_key,
)
from bertsent.space.animation_frames import animation_table
from bertsent.space.projection_map import METHODS, Method
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.map.checkpoint_animation_curves import show_curves
from bertsent.ui.map.checkpoint_animation_frame import (
    frame_sentence,
    show_changes,
    show_extremes_of_frame,
    show_frame,
)
from bertsent.ui.map.checkpoint_animation_slider import follow_slider
from bertsent.ui.map.map_view import STALE_STYLE, MapJob, cache_folder, map_outcome
from bertsent.ui.map.review_sample import SEED, draw
from bertsent.ui.shared.downloads import download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import choose_step

ONE, TIME = "one", "time"
VIEWS = {ONE: "One checkpoint", TIME: "Time machine"}
COUNTS, USUAL, AT_ONCE = (
    (50, 100, 200, 300, 500, 785),
    200,
    2_500,
)  # reviews; readings that begin without a button
CHART, HEIGHT = "travel_film", 640
_COLOURS = {"answer": "P(positive)", "label": "Truth"}
_HOW = r"""
- **The same reviews under every checkpoint**: validation reviews of this run, which it has not learned from, drawn once. Step 0 is the
  pretrained encoder under a random head. Checkpoints stay from the start, the end of each epoch, and about eight steps in all.
- **PCA**: one plane for all stops, fitted once on the *last* checkpoint, $x_t = (h_t - \bar h_T)\, V_2$, each direction turned so that
  its first loading is positive. So the axes mean the same at every stop: what training has made the most of. A plane fitted on all
  checkpoints together would spend its first direction on the drift of the whole cloud.
- **t-SNE**: the first stop starts from PCA; every other one starts from the layout before it, without early exaggeration
  (openTSNE, 500 iterations, perplexity 30, seed 42). Dots that keep their neighbours stay; without that, two maps would differ in
  rotation and arrangement at will (Rauber, Falcão and Telea 2016, *Visualizing Time-Dependent Data Using Dynamic t-SNE*).
- **Between two stops** the dots glide in a straight line. That is for the eye alone: only the stops are measured.
- **The interval of the accuracy** is Wilson's, 95 %. **Chance** at step 0 is the middle 99 % of a fair coin thrown once a review.
- **Moved** is the distance of a review's vector from where the stop before had it, in its full width, not on the map.
"""


@dataclass(frozen=True)
class ShownAnimation:
    """A finished journey and what it was made of."""

    key: str
    run: str
    journey: CheckpointAnimation
    reviews: Reviews
    folders: tuple[Path, ...]


def show_checkpoint_animation(name: str | None, place: DeltaGenerator) -> bool:
    """Offer the time machine in ``place`` where a run with checkpoints was chosen, and draw it
    below; False when it is not wanted.

    Args:
        name: the registry name of who answers, ``run/step-N`` for a run.
        place: where the switch and the controls go.
    """
    run_id, _, step = (name or "").partition("/step-")
    if not step.isdecimal():
        return False
    run = find_run(run_id)
    folders = animation_checkpoints(kept_checkpoints(run.checkpoints))
    if len(folders) < 2:
        return False
    with place:
        view = st.segmented_control(
            "What to see",
            list(VIEWS),
            default=ONE,
            required=True,
            format_func=VIEWS.get,
            key="travel_view",
            bind="query-params",
            persist_state="session",
            help="The time machine shows the same reviews under every checkpoint of this run.",
        )
    if view != TIME:
        return False
    with place:
        reviews, method, colour = _controls(run)
    _travelled(run, folders, int(step), reviews, method, colour)
    return True


def _controls(run: Run) -> tuple[Reviews, Method, str]:
    whole = _validation(str(run.folder), (run.folder / "config.json").stat().st_mtime)
    counts = [*(count for count in COUNTS if count < len(whole)), min(len(whole), COUNTS[-1])]
    if st.session_state.get("travel_count") not in counts:
        st.session_state.pop("travel_count", None)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        method = _one(
            "Method",
            METHODS,
            "method",
            "PCA: one plane for all checkpoints. t-SNE: each begins where the one before ended.",
        )
        colour = _one("Colour by", _COLOURS, "colour", "The shape of a dot is always the truth.")
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
    drawn = (
        f"{count:,} of {len(whole):,} validation reviews"
        if count < len(whole)
        else f"All {len(whole):,} validation reviews"
    )
    sampled = f", drawn at random with seed {SEED}" if count < len(whole) else ""
    st.caption(
        escape_markdown(f"{drawn} of {run.id}{sampled}: the run has learned from none of them.")
    )
    return draw(whole, count), method, colour


def _one(label: str, options: dict, name: str, note: str):  # noqa: ANN202 - a key of ``options``
    return st.segmented_control(
        label,
        list(options),
        default=next(iter(options)),
        required=True,
        format_func=options.get,
        key=f"travel_{name}",
        help=note,
        bind="query-params",
        persist_state="session",
    )


@st.cache_resource(max_entries=6, show_spinner="Reading the reviews …")
def _validation(folder: str, created: float) -> Reviews:
    return Run(Path(folder)).splits().validation


def _travelled(
    run: Run, folders: list[Path], step: int, reviews: Reviews, method: Method, colour: str
) -> None:
    """Everything below the controls, or the progress of making it."""
    shown, fresh = _current(run, folders, reviews)
    if shown is None:
        return
    at = shown.journey.stop(step)
    left, right = st.columns([5, 2], gap="medium")
    words = frame_sentence(shown.journey, shown.reviews, at)
    with right:
        show_frame(shown.journey, shown.reviews, at)
    with left:
        figure = _film(
            shown.key,
            method,
            colour,
            at,
            st.session_state.get("travel_chosen"),
            shown.journey,
            shown.reviews,
        )
        _draw(run, shown, figure, at, words, fresh=fresh)
        if step not in shown.journey.steps:
            st.caption(f"The film has no stop at step {step:,}; shown is the last one before it.")
        _take_away(run, shown, figure, words)
    show_curves(run.id, shown.journey, shown.reviews, shown.folders, at, shown.key)
    show_changes(shown.journey, shown.reviews, at)
    show_extremes_of_frame(shown.journey, shown.reviews, at)


def _current(run: Run, folders: list[Path], reviews: Reviews) -> tuple[ShownAnimation | None, bool]:
    """The journey to draw and whether it is the one asked for; says what is going on where it is
    not.
    """
    key = f"travel-{animation_key(folders, reviews)}"
    shown: ShownAnimation | None = st.session_state.get("travel_shown")
    if shown is not None and shown.run != run.id:
        shown = None
    if shown is None or shown.key != key:
        folder = cache_folder()

        def work(progress: Progress) -> CheckpointAnimation:
            from bertsent.training.trainer_state import choose_device

            return animate_checkpoints(
                folders, reviews, cache=folder, progress=progress, device=choose_device()
            )

        at_once = len(folders) * len(reviews) <= AT_ONCE or shown is not None
        order = MapJob(
            key, work, f"A film through {len(folders)} checkpoints", len(reviews), at_once, HEIGHT
        )
        journey: CheckpointAnimation | None = map_outcome(order, kept=shown is not None)
        if journey is None:
            return shown, False
        shown = st.session_state["travel_shown"] = ShownAnimation(
            key, run.id, journey, reviews, tuple(folders)
        )
    return shown, True


@st.cache_resource(max_entries=12, show_spinner=False)
def _film(
    key: str,
    method: str,
    colour: str,
    at: int,
    chosen: str | None,
    _journey: CheckpointAnimation,
    _reviews: Reviews,
):  # noqa: ANN202
    from bertsent.figures.animated_map import animation_figure

    labels = ["" if label is None else LABELS[label] for label in _reviews.labels]
    rows = {
        "id": [e.id for e in _reviews],
        "text": [clean_text(e.text) for e in _reviews],
        "label": labels,
    }
    places = _journey.places(method)
    return animation_figure(
        places,
        _journey.steps.tolist(),
        _journey.p_positive,
        pd.DataFrame(rows),
        at=at,
        colour_by=colour,
        chosen=chosen,
        height=HEIGHT,
    )


def _draw(run: Run, shown: ShownAnimation, figure, at: int, words: str, *, fresh: bool) -> None:  # noqa: ANN001 - a Plotly figure
    """The film, greyed where it is not the one asked for. A click opens a review's way; a slider
    let go of moves the page's.
    """
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
                "toImageButtonOptions": {"filename": f"{run.id}-time", "scale": 2},
            },
            alt=f"Film of {len(shown.reviews):,} reviews under {len(shown.journey.steps)} "
            f"checkpoints. {words}",
        )
    steps = shown.journey.steps.tolist()
    follow_slider(CHART, steps, steps[at], lambda step: choose_step(run.id, step))
    st.caption(escape_markdown(words))


def _clicked() -> None:
    """A dot was chosen: its way is drawn. What is taken back by a change of the figure alone
    stays.
    """
    found = [
        point["customdata"]
        for point in st.session_state[CHART].selection.points
        if point.get("customdata")
    ]
    if found:
        st.session_state["travel_chosen"] = str(found[0][0])


def _take_away(run: Run, shown: ShownAnimation, figure, words: str) -> None:  # noqa: ANN001
    from bertsent.figures.animated_map import animation_page

    name = f"{run.id}-time"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        download_menu(
            CHART,
            figure,
            name,
            page=lambda: animation_page(figure, f"Time machine of {run.id}", words),
            bar=True,
        )
        st.download_button(
            "All stops as CSV",
            lambda: safe_csv(animation_table(shown.journey, shown.reviews)),
            f"{name}.csv",
            "text/csv",
            key="travel_csv",
            on_click="ignore",
        )
        with st.popover("How is this computed?"):
            st.markdown(_HOW)
            explained = " and ".join(f"{100 * share:.0f} %" for share in shown.journey.explained)
            st.markdown(
                f"The plane keeps {explained} of the variance of the last checkpoint. "
                f"{shown.journey.note}"
            )
