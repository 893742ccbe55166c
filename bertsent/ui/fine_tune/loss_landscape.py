"""The Loss landscape tab: the loss around the weights that a run ended with, and the path that
training took.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import Reviews
from bertsent.figures.loss_surface import contour_figure, landscape_page, surface_figure
from bertsent.progress import Progress
from bertsent.settings import home
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.loss_landscape.landscape import (
    COUNTS,
    PLANES,
    SIDES,
    Landscape,
    LandscapeOptions,
    PlaneKind,
    compute_landscape,
    landscape_key,
    landscape_sentence,
    precision_sentence,
    recalled,
    sampled,
    spread_checkpoints,
)
from bertsent.training.precision import known_precision
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.run import choose_run, empty_state
from bertsent.ui.fine_tune.whole_number import whole_number
from bertsent.ui.shared import (
    BY_CONTENT,
    JobRequest,
    choose,
    escape_markdown,
    outcome,
    result,
    run_reader,
    run_splits,
    run_task,
    show_errors,
    show_figure,
    show_help,
)

HEIGHT = 480
PARTS = {"validation": "Validation", "train": "Training"}
REACHES = (0.1, 0.25, 0.5, 1.0)
STALE = "<style>.st-key-landscape_stale {opacity: 0.4; filter: grayscale(0.6)}</style>"
K = TypeVar("K")


class LandscapeView(NamedTuple):
    """A landscape on screen, and what it was made of."""

    key: str
    run: str
    landscape: Landscape
    plane: PlaneKind
    sentence: str


def loss_landscape(row: DeltaGenerator) -> None:
    """Draw the landscape of the chosen run, or what is missing."""
    run = choose_run(row)
    if run is None:
        empty_state("landscape", "The landscape appears here once there is a run.")
        return
    folders = list_checkpoints(run.checkpoints)
    if (task := run_task(run)) != SENTIMENT:
        with result("landscape"):
            words = (
                f"The landscape is drawn for sentiment in two labels; {run.id} learns something "
                f"else ({task.title}). Choose another run, or see its curves under Run."
            )
            st.info(escape_markdown(words))
        return
    if run_reader(run).look()[1].live:
        with result("landscape"):
            st.info("The landscape appears here once the run has ended or is paused.")
    elif len(folders) < 2:
        with result("landscape"):
            st.info(
                f"A landscape needs two checkpoints, and this run has {len(folders) or 'none'}. "
                "Resume it: there is one after each epoch."
            )
    else:
        with show_errors():
            _landscape(run, spread_checkpoints(folders))


def _landscape(run: Run, folders: list[Path]) -> None:
    options, part = _controls()
    with result("landscape"):
        _chosen_landscape(run, folders, options, part)


def _chosen_landscape(run: Run, folders: list[Path], options: LandscapeOptions, part: str) -> None:
    sample = _sample(run, part, options)
    key = f"landscape-{landscape_key(folders, sample, options, known_precision())}"
    shown: LandscapeView | None = st.session_state.get("landscape_shown")
    if shown is None or shown.key != key:
        shown = shown if shown is not None and shown.run == run.id else None
        made = recalled(_cache(), key.removeprefix("landscape-"))
        made = made or _computed(key, folders, sample, options, stale=shown is not None)
        if made is not None:
            words = landscape_sentence(made, options.plane, PARTS[part].lower())
            shown = LandscapeView(key, run.id, made, options.plane, words)
            st.session_state["landscape_shown"] = shown
    if shown is not None:
        _draw(shown, fresh=shown.key == key)


def _controls() -> tuple[LandscapeOptions, str]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        plane = _choose(
            "Plane",
            PLANES,
            "plane",
            "The training path, or how steep the loss is around the final weights.",
        )
        part = _choose("Reviews", PARTS, "part", "The reviews on which the loss is computed.")
        reviews = _choose(
            "How many", {n: str(n) for n in COUNTS}, "count", "A sample, chosen by the seed."
        )
        side = _choose(
            "Grid",
            {n: f"{n} × {n}" for n in SIDES},
            "side",
            "A finer grid takes longer: each point evaluates the whole sample.",
            1,
        )
        reach = 1.0
        if plane == "random":
            reach = _choose(
                "Reach",
                {r: f"{r:g}" for r in REACHES},
                "reach",
                "At 1, as in the paper, each row of weights moves by its own length.",
                1,
            )
        seed = whole_number(
            "Seed", 0, 2**32 - 1, 42, "landscape-seed", persist_state="session", width=110
        )
    return LandscapeOptions(plane=plane, side=side, reviews=reviews, reach=reach, seed=seed), part


def _choose(label: str, options: Mapping[K, str], key: str, note: str, usual: int = 0) -> K:
    default = list(options)[usual]
    return choose(label, options, f"landscape-{key}", default=default, help=note, bind=None)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_CONTENT)
def _sample(run: Run, part: str, options: LandscapeOptions) -> Reviews:
    return sampled(getattr(run_splits(run), part), options)


def _cache() -> Path:
    return home() / "cache" / "space"


def _computed(
    key: str, folders: list[Path], sample: Reviews, options: LandscapeOptions, *, stale: bool
) -> Landscape | None:
    points = f"{options.side**2:,} sets of weights"
    before = (
        "The settings have changed. Below is the previous landscape."
        if stale
        else f"The loss landscape appears here: {points} around the final ones, each evaluated on "
        f"{len(sample):,} reviews, with the path of training through {len(folders)} checkpoints."
    )
    with st.container(
        border=True, height="content" if stale else HEIGHT, vertical_alignment="center"
    ):
        return outcome(
            JobRequest(
                key,
                partial(_compute, folders, sample, options),
                f"Measuring the loss of {points}",
                "Compute the landscape",
                unasked=False,
                note=before,
                lane="long",
            )
        )


def _compute(
    folders: list[Path], sample: Reviews, options: LandscapeOptions, progress: Progress
) -> Landscape:
    from bertsent.training.precision import choose_device

    return compute_landscape(
        folders,
        sample,
        options,
        cache=_cache(),
        progress=progress,
        device=choose_device(),
        precision=known_precision(),
    )


def _draw(shown: LandscapeView, *, fresh: bool) -> None:
    if not fresh:
        st.html(STALE)
    landscape, words = shown.landscape, shown.sentence
    with st.container(key="landscape_fresh" if fresh else "landscape_stale"):
        for place, name, draw in zip(
            st.columns(2, gap="medium"),
            ("above", "surface"),
            (contour_figure, surface_figure),
            strict=True,
        ):
            with place:
                show_figure(
                    draw(landscape, shown.plane, height=HEIGHT),
                    f"landscape-{name}",
                    f"{shown.run}-landscape-{name}",
                    f"Loss landscape, {name}. {words}",
                    caption="",
                    tables={"Grid": landscape.table},
                    page=lambda: landscape_page(landscape, shown.plane, words),
                    bar=True,
                )
        st.caption(escape_markdown(words))
        show_help("fine_tune", "loss_landscape", precision=precision_sentence(landscape))
