"""The form of a new group of runs: A/B runs without and with contrastive reviews, a grid of
hyperparameters, or three tasks at once.
"""

import time
from functools import partial

import streamlit as st

from bertsent.data.examples import Reviews, Splits
from bertsent.data.paired_splits import (
    HANDCRAFTED,
    ROWS,
    SARCASM,
    TOY_BATCH,
    TOY_EPOCHS,
    TOY_LENGTH,
    TOY_TIMES,
    paired_splits,
)
from bertsent.models.pooling import POOLINGS
from bertsent.training.config import TRAINS, TrainingConfig
from bertsent.training.groups.ab import MAX_SEEDS, start_ab_runs
from bertsent.training.groups.grid import combinations, sample_splits, start_grid
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.training.runs.status_sentences import epochs_in_words
from bertsent.ui.fine_tune.compare_three_tasks_draft import Start, three_tasks_form
from bertsent.ui.fine_tune.new_run import choose_backbone
from bertsent.ui.fine_tune.new_run_hyperparameters import main_settings
from bertsent.ui.fine_tune.new_run_reviews import (
    HUB,
    KINDS,
    TOY,
    choose_kind,
    choose_reviews,
)
from bertsent.ui.fine_tune.whole_number import whole_number
from bertsent.ui.shared import (
    BY_CONTENT,
    PRESETS,
    PUZZLE,
    check_may_start,
    choose,
    escape_markdown,
    visitor,
)

AB, GRID = "Without and with contrastive reviews (A/B)", "Hyperparameter grid"
TASKS = "Three tasks at once"
STARTED = "groups_started"  # in this session: the newest is brought into sight
# the first is the sentence that the published model without contrastive reviews got wrong
SENTINELS = (PRESETS["Contrast"], PUZZLE, PRESETS["Negation"])
ROW_NAMES = {HANDCRAFTED: "Eight handcrafted reviews", SARCASM: "All built-in sarcasm reviews"}
POOLING_NAMES = {"cls": "[CLS]", "mean": "Mean of tokens", "max": "Maximum of tokens"}
_RATES = (1e-5, 5e-5, 1e-4, 1e-3)
_COUNTING = "Counting the reviews …"
_ROWS = (200, 400, 800, 1_600)


def group_form() -> None:
    """Draw the form and start the runs when its button is pressed.

    Raises:
        BertsentError: the choices do not fit together; then there is no button.
    """
    kind = choose("Compare", (AB, GRID, TASKS), "group-compare", bind=None)
    start = three_tasks_form() if kind == TASKS else _of_reviews(kind)
    if start and st.button("Start all runs", type="primary", key="group-start"):
        bar, began = st.progress(0.0, "Preparing the runs"), time.monotonic()

        def progress(share: float) -> None:
            left = (time.monotonic() - began) * (1 - share) / share
            far = f"Preparing the runs: {100 * share:.0f} % · {left:.0f} s left"
            bar.progress(share, far if share < 1 else "Starting them")

        group = start(owner=visitor().id, admit=check_may_start, progress=progress)
        st.query_params["group"] = st.session_state["group"] = group.name
        st.session_state[STARTED] = st.session_state.get(STARTED, 0) + 1
        st.rerun()


def _of_reviews(kind: str) -> Start | None:
    """What starts a group of sentiment; None while reviews or a model have to be fetched."""
    choice = choose_reviews("group", choose_kind("group", (TOY, *KINDS)))
    model = choose_backbone("group")
    if choice is None or model is None:
        return None
    return (_ab_runs if kind == AB else _grid)(choice.reviews, choice.kind, model)


def _main_settings(group: str, kind: str, epochs: int) -> dict[str, int]:
    """Epochs, batch size and length, with the published values for the toy reviews."""
    key = f"group-{group}-{kind}"
    if kind == TOY:
        return main_settings(key, TOY_EPOCHS if group == "ab" else epochs, TOY_BATCH, TOY_LENGTH)
    length = 64 if group == "grid" else 256 if kind == HUB else 128
    return main_settings(key, epochs, max_length=length)


def _ab_runs(reviews: Reviews, kind: str, model: str) -> Start:
    st.caption(
        "The same training twice, without and with contrastive reviews. Seed, split and validation "
        "reviews are the same; the training reviews differ in those rows alone. Several seeds "
        "show how much of a difference is due to chance."
    )
    first, second, third, fourth = st.columns(4, gap="medium")
    rows = first.selectbox(
        "Contrastive reviews of one arm",
        list(ROWS),
        format_func=ROW_NAMES.__getitem__,
        key="group-rows",
        persist_state="session",
    )
    usual = TOY_TIMES if kind == TOY else 10
    times = second.segmented_control(
        "Each of them",
        sorted({1, 10, 50, usual}),
        default=usual if rows == HANDCRAFTED else 1,
        format_func=lambda n: f"×{n}",
        key=f"group-times-{kind}-{rows}",
        required=True,
        help="How often each one appears in the training part. ×7 doubles the toy reviews: 8 "
        "steps per "
        "epoch without, 16 with, as published.",
    )
    with third:
        seeds = whole_number(
            "Seeds", 1, MAX_SEEDS, 1, "group-seeds", help="Two runs per seed, starting at seed 42."
        )
    trains = fourth.selectbox(
        "Trained parts",
        list(TRAINS),
        format_func=TRAINS.__getitem__,
        key="group-trains",
        help="“Head only” tests the paper's claim that training only the classification head is "
        "enough.",
    )
    main = _main_settings("ab", kind, 3)
    training = TrainingConfig(**main, trains=trains)  # type: ignore[arg-type]
    without, having, validation = _arm_sizes(reviews, rows, times)
    arms = [
        f"{name}: {size:,} reviews, {steps_per_epoch(size, training):,} steps per epoch"
        for name, size in (("without", without), ("with", having))
    ]
    runs = f"{2 * seeds} runs of {epochs_in_words(training.epochs)}, one after the other"
    arms += [f"both evaluated on the same {validation:,} reviews", runs]
    st.caption(escape_markdown(" · ".join(arms)))
    return partial(
        start_ab_runs,
        reviews,
        training,
        rows=rows,
        times=times,
        seeds=seeds,
        model=model,
        sentinels=SENTINELS,
    )


@st.cache_resource(max_entries=32, show_spinner=_COUNTING, hash_funcs=BY_CONTENT)
def _arm_sizes(reviews: Reviews, rows: str, times: int) -> tuple[int, int, int]:
    found = paired_splits(reviews, rows, times)
    return len(found.without.train), len(found.having.train), len(found.without.validation)


def _grid(reviews: Reviews, kind: str, model: str) -> Start:
    st.caption(
        "One run for every combination of the chosen levels, on the same reviews: how much do "
        "pooling, layers and learning rates matter?"
    )
    left, right = st.columns(2, gap="medium")
    with left:
        poolings = st.multiselect(
            "Pooling",
            list(POOLINGS),
            ["cls", "mean", "max"],
            format_func=POOLING_NAMES.__getitem__,
            key="group-pooling",
        )
        trains = st.multiselect(
            "Trained parts",
            list(TRAINS),
            ["everything", "head"],
            format_func=TRAINS.__getitem__,
            key="group-grid-trains",
        )
    with right:
        rates = st.multiselect(
            "Encoder learning rate", _RATES, [5e-5], format_func="{:g}".format, key="group-rates"
        )
        seeds = st.slider("Seeds", 1, 3, 1, key="group-grid-seeds")
        rows = st.select_slider("Training reviews", _ROWS, 400, key="group-grid-rows")
    main = _main_settings("grid", kind, 2)
    training = TrainingConfig(**main, kept_checkpoints=0)  # type: ignore[arg-type]
    levels: dict[str, list] = {
        "pooling": poolings,
        "trains": trains,
        "encoder_lr": rates,
        "seed": list(range(42, 42 + seeds)),
    }
    runs = len(combinations(training, levels))
    splits = _sample(reviews, rows)
    train = f"{len(splits.train):,}"
    st.caption(
        f"{runs} runs of {epochs_in_words(training.epochs)} on {train} reviews, evaluated on "
        f"{len(splits.validation):,} others. They train one after another and are listed under All "
        "runs; with 400 short reviews one took 18 s on two cores."
    )
    return partial(
        start_grid, splits, training, levels, source=f"{train} of {reviews.name}", model=model
    )


@st.cache_resource(max_entries=8, show_spinner=_COUNTING, hash_funcs=BY_CONTENT)
def _sample(reviews: Reviews, rows: int) -> Splits:
    return sample_splits(reviews, rows)
