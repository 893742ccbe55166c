"""Understanding training: the norm of the gradient and the rates of any run, and the loss around
the weights it ended with.
"""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.figures.gradient_norm import gradient_charts
from bertsent.figures.gradient_norm import gradient_sentence as gradient_told
from bertsent.figures.loss_surface import contour_figure, landscape_page, surface_figure
from bertsent.progress import Progress
from bertsent.settings import home
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.loss_landscape.landscape import (
    COUNTS,
    PLANES,
    SIDES,
    Landscape,
    LandscapeOptions,
    compute_landscape,
    landscape_key,
    recalled,
    sampled,
    spread_checkpoints,
)
from bertsent.training.precision import known_precision
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.run import EVERY
from bertsent.ui.shared.downloads import download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.jobs import jobs, wait_for
from bertsent.ui.shared.live_runs import run_reader

HEIGHT = 480
HALVES = {"validation": "Validation", "train": "Training"}
REACHES = (0.1, 0.25, 0.5, 1.0)
GREY = "<style>.st-key-landscape_stale {opacity: 0.4; filter: grayscale(0.6)}</style>"
_HOW_HOOD = r"""
- **Norm of the gradient**: $\lVert g \rVert_2 = \sqrt{\sum_i g_i^2}$ over everything that trains, measured before it is clipped.
  A gradient longer than 1 is used as $g / \lVert g \rVert_2$ (Pascanu, Mikolov and Bengio 2013, https://arxiv.org/abs/1211.5063):
  its direction stays, a single odd batch cannot throw the weights far.
- **Learning rates** rise linearly while warming up, then fall linearly to 0 (Devlin et al. 2019, appendix A.3). The head begins with
  random weights, so its rate is larger than that of the pretrained encoder.
"""
_HOW = r"""
- **A point** of the picture is a whole set of weights $\theta^* + \alpha\,\delta + \beta\,\eta$: the final weights $\theta^*$ moved along
  two directions. Its **loss** is the mean cross-entropy over the sample, with dropout off and without label smoothing.
  Only what training moved is moved.
- **Through the checkpoints**: $\delta, \eta$ are the first two right singular vectors of the matrix
  $[\theta_0-\theta^*;\ \theta_1-\theta^*;\ \dots]$, made orthonormal (Gram-Schmidt). Unlike a PCA of centred checkpoints this plane goes
  through the final weights and holds three checkpoints exactly. Distances in the picture are distances of weights.
- **Random directions**: Gaussian noise, every row $i$ scaled to the row of the weights,
  $\delta_i \leftarrow \dfrac{\delta_i}{\lVert\delta_i\rVert}\,\lVert\theta^*_i\rVert$; biases and LayerNorm vectors stay. So 1 means
  "as long as the weights themselves", and models of different scale can be compared.
- **The path** is each checkpoint's shadow in the plane (least squares). A dot's label and height are the loss of the checkpoint itself,
  which need not be that of the plane below it: the plane keeps only a share of the way.
- **Colour and height** are logarithmic and end at twice the highest loss of the path (at least twice $\ln 2$, the loss of guessing).
- Two directions out of millions: a wall here may have a way around it that this plane does not show.

Source: Li, Xu, Taylor, Studer and Goldstein (2018), *Visualizing the Loss Landscape of Neural Nets*, sections 4 and 7,
https://arxiv.org/abs/1712.09913
"""


@dataclass(frozen=True)
class Shown:
    """A landscape on screen, and what it was made of."""

    key: str
    run: str
    landscape: Landscape
    plane: str
    half: str


def understanding(run: Run) -> None:
    """Draw what explains the training of a run: two closed boxes that compute nothing until they
    are opened.
    """
    st.subheader("Understanding training", anchor=False)
    live = run_reader(run).look()[1].live
    hood = st.expander(
        "Under the hood: gradient norm and learning rates", key="hood", on_change="rerun"
    )
    if hood.open:
        with hood:
            st.fragment(_hood, run_every=EVERY if live else None)(run)
    box = st.expander(
        "The loss landscape around the final weights", key="landscape", on_change="rerun"
    )
    if box.open:
        with box:
            _landscape(run, live)


def _hood(run: Run) -> None:
    history = run_reader(run).look()[0]
    steps = history.step_frame()
    if not history.started or not len(steps):
        st.caption("The curves will be here as soon as the first step is done.")
        return
    charts = gradient_charts(steps, total_steps=history.started.total_steps)
    st.altair_chart(
        charts.gradient,
        width="stretch",
        key=f"gradient-{run.id}",
        alt="Norm of the gradient over the steps",
    )
    st.altair_chart(
        charts.rates,
        width="stretch",
        key=f"rates-{run.id}",
        alt="Learning rates of encoder and head over the steps",
    )
    st.caption(gradient_told(steps))
    with st.popover("How is this computed?"):
        st.markdown(_HOW_HOOD)


def _landscape(run: Run, live: bool) -> None:
    folders = list_checkpoints(run.checkpoints)
    if live:
        st.info(
            "The landscape will be here when the run stands still: pause or stop it, or wait until "
            "it is finished."
        )
    elif len(folders) < 2:
        st.info(
            f"A landscape needs two checkpoints, and this run has {len(folders) or 'none'}. Resume "
            "it: there is one after each epoch."
        )
    else:
        _explored(run, spread_checkpoints(folders))


def _explored(run: Run, folders: list[Path]) -> None:
    options, half = _controls()
    sample = _sample(
        str(run.folder),
        (run.folder / "config.json").stat().st_mtime,
        half,
        options.reviews,
        options.seed,
    )
    key = f"landscape-{landscape_key(folders, sample, options, known_precision())}"
    shown: Shown | None = st.session_state.get("landscape_shown")
    if shown is None or shown.key != key:
        shown = shown if shown is not None and shown.run == run.id else None
        made = recalled(_cache(), key.removeprefix("landscape-")) or _worked(
            key, folders, sample, options, kept=shown is not None
        )
        if made is not None:
            shown = st.session_state["landscape_shown"] = Shown(
                key, run.id, made, options.plane, half
            )
    if shown is not None:
        _draw(shown, fresh=shown.key == key)


def _controls() -> tuple[LandscapeOptions, str]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        plane = _one(
            "Plane",
            PLANES,
            "landscape-plane",
            "The way training took, or how steep the surroundings of its end are.",
        )
        half = _one("Reviews", HALVES, "landscape-half", "Whose loss is drawn.")
        reviews = _one(
            "How many",
            {n: str(n) for n in COUNTS},
            "landscape-count",
            "A sample, chosen by the seed.",
        )
        side = _one(
            "Grid",
            {n: f"{n} × {n}" for n in SIDES},
            "landscape-side",
            "Finer takes longer: each point reads the whole sample.",
            1,
        )
        reach = 1.0
        if plane == "random":
            reach = _one(
                "Reach",
                {r: f"{r:g}" for r in REACHES},
                "landscape-reach",
                "At 1, as in the paper, rows move by their own length.",
                1,
            )
        seed = st.number_input(
            "Seed", 0, 2**32 - 1, 42, key="landscape-seed", persist_state="session", width=110
        )
    return LandscapeOptions(
        plane=plane, side=side, reviews=reviews, reach=reach, seed=int(seed)
    ), half


def _one(label: str, options: dict, key: str, note: str, usual: int = 0):  # noqa: ANN202 - a key of ``options``
    return st.segmented_control(
        label,
        list(options),
        default=list(options)[usual],
        required=True,
        format_func=options.get,
        key=key,
        help=note,
        persist_state="session",
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _sample(folder: str, created: float, half: str, reviews: int, seed: int) -> Reviews:
    return sampled(
        getattr(Run(Path(folder)).splits(), half), LandscapeOptions(reviews=reviews, seed=seed)
    )


def _cache() -> Path:
    return home() / "cache" / "space"


def _worked(
    key: str, folders: list[Path], sample: Reviews, options: LandscapeOptions, *, kept: bool
) -> Landscape | None:
    """The outcome of the background work; None where it is not there yet, and then its progress or
    its button is drawn.
    """
    job = jobs().find(key)
    if job is not None and job.state == "done":
        return job.result
    points = options.side**2
    with st.container(
        border=True, height="content" if kept else HEIGHT, vertical_alignment="center"
    ):
        if job is not None and not job.over:
            wait_for(key, f"Measuring the loss of {points:,} sets of weights")
            st.caption("The same landscape opens at once the next time.")
            return None
        if job is not None and job.state == "failed":
            show_error(BertsentError(job.error))
        elif job is not None:
            st.caption("Cancelled. Nothing half-made was kept.")
        elif kept:
            st.caption("The settings changed. Below is the landscape as it was before.")
        else:
            st.markdown(
                f"**The loss landscape will be here**: {points:,} sets of weights around the final "
                "ones, each judged on"
                f" {len(sample):,} reviews, with the path of training through {len(folders)} "
                "checkpoints."
            )
        if st.button(
            "Try again" if job is not None else "Compute the landscape",
            type="primary",
            key="landscape-start",
        ):
            jobs().start(key, _work(folders, sample, options))
            st.rerun()
    return None


def _work(folders: list[Path], sample: Reviews, options: LandscapeOptions):  # noqa: ANN202 - what a Job runs
    cache = _cache()

    def work(progress: Progress) -> Landscape:
        from bertsent.training.trainer_state import choose_device

        return compute_landscape(
            folders,
            sample,
            options,
            cache=cache,
            progress=progress,
            device=choose_device(),
            precision=known_precision(),
        )

    return work


def _draw(shown: Shown, *, fresh: bool) -> None:
    if not fresh:
        st.html(GREY)
    with st.container(key="landscape_fresh" if fresh else "landscape_stale"):
        left, right = st.columns(2, gap="medium")
        words = sentence(shown)
        for place, name, draw in (
            (left, "from above", contour_figure),
            (right, "as a surface", surface_figure),
        ):
            figure = draw(shown.landscape, shown.plane, height=HEIGHT)
            with place:
                st.plotly_chart(
                    figure,
                    key=f"landscape-{name}",
                    config={"displaylogo": False},
                    alt=f"Loss landscape {name}. {words}",
                )
                download_menu(
                    f"landscape-{name}",
                    figure,
                    f"{shown.run}-landscape-{name.split()[-1]}",
                    bar=True,
                )
        st.caption(escape_markdown(words))
        _take_away(shown, words)


def sentence(shown: Shown) -> str:
    """What the picture shows, from its numbers."""
    found = shown.landscape
    first, last = found.path_loss[0], found.path_loss[-1]
    known = found.loss[found.loss == found.loss]
    way = "fell" if last < first else "rose" if last > first else "stayed"
    ends = (
        f"On {found.reviews:,} {HALVES[shown.half].lower()} reviews the loss {way} from "
        f"{_loss(first)} at step {found.steps[0]:,}"
        f" to {_loss(last)} at step {found.steps[-1]:,}; the highest on this grid is "
        f"{_loss(known.max())}."
    )
    low, high = known.min(), found.span[1]
    lower = (
        f" The lowest point of the grid, {_loss(low)}, is not where training ended."
        if low < last - 0.005
        else ""
    )
    cut = f" Colour and height end at {_loss(high)}." if known.max() > high * 1.001 else ""
    return f"{ends}{lower}{cut} {_kept(shown)}"


def _kept(shown: Shown) -> str:
    found = shown.landscape
    share = f"{100 * found.kept:.3g} %"
    if shown.plane == "random":
        small = (
            " (that is usual: two random directions among millions miss almost all of it, so its "
            "dots lie on one another)"
            if found.kept < 0.05
            else ""
        )
        return f"The plane keeps {share} of the length of the path{small}."
    straight = (
        " All checkpoints lie on one line, so the second direction is a random one."
        if found.straight
        else ""
    )
    return (
        f"The plane keeps {share} of the length of the path from checkpoint to "
        f"checkpoint.{straight}"
    )


def _loss(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.3g}"


def _precision(found: Landscape) -> str:
    moved = f"Training moved {found.numbers:,} numbers; they are what moves here."
    if not found.rounding:
        return f"{moved} Every loss is in full precision."
    return (
        f"{moved} Checkpoints and final weights are measured in full precision, the rest of the "
        "grid in bfloat16, as in training;"
        f" at the final weights that changes the loss by {found.rounding:.1g}."
    )


def _take_away(shown: Shown, words: str) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = f"{shown.run}-landscape"
        st.download_button(
            "Figures as HTML",
            lambda: landscape_page(shown.landscape, shown.plane, words),
            f"{name}.html",
            "text/html",
            key="landscape-html",
            on_click="ignore",
            help="One file that turns and zooms without a network.",
        )
        st.download_button(
            "Grid as CSV",
            lambda: safe_csv(shown.landscape.table()),
            f"{name}.csv",
            "text/csv",
            key="landscape-csv",
            on_click="ignore",
        )
        with st.popover("How is this computed?"):
            st.markdown(_HOW)
            st.markdown(_precision(shown.landscape))
