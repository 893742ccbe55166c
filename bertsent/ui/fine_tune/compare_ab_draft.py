"""The form of twins to be: which reviews, which contrastive rows and how often, how many seeds; and
what both arms will amount to.
"""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertsent.data.hub import downloaded_ids
from bertsent.data.paired_splits import (
    HANDCRAFTED,
    ROWS,
    SARCASM,
    TOY,
    TOY_BATCH,
    TOY_EPOCHS,
    TOY_LENGTH,
    TOY_TIMES,
    paired_splits,
)
from bertsent.data.sources import host_files
from bertsent.errors import BertsentError
from bertsent.probing.registry import host_folders
from bertsent.settings import LIMITS
from bertsent.training.config import TRAINS, TrainingConfig
from bertsent.training.groups.ab import MOST_SEEDS, start_twins
from bertsent.training.lr_schedule import steps_per_epoch
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.review_bar import PRESETS, PUZZLE

BUILT_IN, IMDB = "builtin", "imdb"
SOURCES = {
    TOY: "Toy: the sizes of the published figures",
    BUILT_IN: "Built-in reviews",
    IMDB: "IMDb: the published recipe",
}
FAILURE = PRESETS[
    "Contrast"
]  # the sentence that the published model without contrastive reviews got wrong
SENTINELS = (FAILURE, PUZZLE, PRESETS["Negation"])
LABELS = {HANDCRAFTED: "Eight handcrafted reviews", SARCASM: "All built-in sarcasm reviews"}


@dataclass(frozen=True)
class Usual:
    """What a source is usually trained with."""

    times: int = 10
    epochs: int = 3
    batch_size: int = 16
    max_length: int = 128


USUAL = {
    TOY: Usual(TOY_TIMES, TOY_EPOCHS, TOY_BATCH, TOY_LENGTH),
    IMDB: Usual(max_length=256),
}


@dataclass(frozen=True)
class Wish:
    """What the form asks for."""

    source: str
    rows: str
    times: int
    seeds: int
    model: str
    training: TrainingConfig


def draft_twins() -> None:
    """Draw the form and start the twins when its button is pressed."""
    st.caption(
        "The same training twice: without and with contrastive reviews. Seed, split and validation "
        "reviews are the same; the training "
        "data differ in those rows alone. Several seeds show how much of a difference is luck."
    )
    try:
        wish = _form()
        _preflight(wish)
    except BertsentError as error:
        show_error(error)
        st.button("Train twins", type="primary", disabled=True, key="twins-start")
        return
    if st.button("Train twins", type="primary", key="twins-start"):
        _start(wish)


def _form() -> Wish:
    first, second, third = st.columns(3, gap="medium")
    sources = SOURCES | {str(path): name for name, path in host_files().items()}
    source = first.selectbox(
        "Reviews of both arms",
        list(sources),
        format_func=sources.get,
        key="twins-source",
        persist_state="session",
    )
    rows = second.selectbox(
        "Contrastive rows of one arm",
        list(ROWS),
        format_func=LABELS.get,
        key="twins-rows",
        persist_state="session",
    )
    usual = USUAL.get(source, Usual())
    options = sorted({1, 10, 50, usual.times})
    times = third.segmented_control(
        "Each of them",
        options,
        default=usual.times if rows == HANDCRAFTED else 1,
        format_func=lambda n: f"×{n}",
        key=f"twins-times-{source}-{rows}",
        required=True,
        help="How often each row is in the training data. ×7 doubles the toy set: 8 steps an epoch "
        "without, 16 with, as published.",
    )
    model, seeds, training = _knobs(source, usual)
    return Wish(source, rows, times, seeds, model, training)


def _knobs(source: str, usual: Usual) -> tuple[str, int, TrainingConfig]:
    places = st.columns(6, gap="small")
    models = {BUILT_IN: "Built-in (MiniLM)"} | {
        str(folder): name for name, folder in host_folders().items()
    }
    models |= {name: name for name in downloaded_ids("model")}
    model = places[0].selectbox(
        "Model", list(models), format_func=models.get, key="twins-model", persist_state="session"
    )
    seeds = places[1].number_input(
        "Seeds", 1, MOST_SEEDS, 1, key="twins-seeds", help="Two runs for each, from seed 42 on."
    )
    epochs = places[2].number_input("Epochs", 1, 100, usual.epochs, key=f"twins-epochs-{source}")
    batch = places[3].number_input(
        "Batch size", 1, 512, usual.batch_size, key=f"twins-batch-{source}"
    )
    length = places[4].number_input(
        "Max length",
        LIMITS.shortest_length,
        LIMITS.longest_length,
        usual.max_length,
        8,
        key=f"twins-length-{source}",
    )
    trains = places[5].selectbox(
        "What trains",
        list(TRAINS),
        format_func=TRAINS.get,
        key="twins-trains",
        help="Head only is the paper's untested claim: that it would be enough to train the "
        "classification head.",
    )
    training = TrainingConfig(
        epochs=int(epochs), batch_size=int(batch), max_length=int(length), trains=trains
    )
    return model, int(seeds), training


def _preflight(wish: Wish) -> None:
    path = Path(wish.source)
    without, having, validation = _sizes(
        wish.source, wish.rows, wish.times, path.stat().st_mtime if path.is_file() else 0.0
    )
    sizes = (("without", without), ("with", having))
    arms = [
        f"{name}: {rows:,} reviews, {steps_per_epoch(rows, wish.training):,} steps an epoch"
        for name, rows in sizes
    ]
    runs = f"{2 * wish.seeds} runs of {wish.training.epochs} epochs, one after the other"
    st.caption(
        escape_markdown(
            " · ".join([*arms, f"both judged on the same {validation:,} reviews", runs])
        )
    )


@st.cache_data(max_entries=32, show_spinner="Counting the reviews …")
def _sizes(source: str, rows: str, times: int, _changed: float) -> tuple[int, int, int]:
    found = paired_splits(source, rows, times)
    return len(found.without.train), len(found.having.train), len(found.without.validation)


def _start(wish: Wish) -> None:
    try:
        with st.spinner(f"Starting {2 * wish.seeds} runs …"):
            twins = start_twins(
                wish.source,
                wish.training,
                rows=wish.rows,
                times=wish.times,
                seeds=wish.seeds,
                model=wish.model,
                sentinels=SENTINELS,
            )
    except BertsentError as error:
        show_error(error)
        return
    st.query_params["twins"] = st.session_state["twins"] = twins.name
    st.rerun()
