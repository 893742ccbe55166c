"""The settings of a run to be that are one click away: widgets in, a checked ``TrainingConfig``
out.
"""

import streamlit as st

from bertsent.models.pooling import POOLINGS
from bertsent.settings import LIMITS
from bertsent.training.config import CLASS_WEIGHTS, TRAINS, TrainingConfig, check_sentinels
from bertsent.ui.shared.review_bar import PUZZLE

SENTINELS = f"{PUZZLE}\nThis is not a bad film\nBlew my mind how bad it was. What a waste."
WEIGHTS = {"none": "All reviews count alike", "balanced": "Balanced: a rare class counts more"}


def basics() -> dict[str, int]:
    """The three that everybody asks for."""
    first, second, third = st.columns(3)
    return {
        "epochs": first.number_input(
            "Epochs",
            1,
            100,
            3,
            key="draft-epochs",
            persist_state="session",
            help="Passes over the reviews.",
        ),
        "batch_size": second.number_input(
            "Batch size",
            1,
            512,
            16,
            key="draft-batch",
            persist_state="session",
            help="Read at once.",
        ),
        "max_length": third.number_input(
            "Max length",
            LIMITS.shortest_length,
            LIMITS.longest_length,
            128,
            8,
            key="draft-length",
            persist_state="session",
            help="Tokens; what is longer is cut.",
        ),
    }


def choose_settings(
    known: dict[str, int], usual_share: float
) -> tuple[TrainingConfig, float, tuple[str, ...]]:
    """Settings, share of contrastive reviews, sentinel sentences.

    Raises:
        BadInput: the sentinels are too many or too long.
    """
    chosen = {**known, **_rates(), **_strategy(), **_loss()}
    share = st.slider(
        "Share of contrastive reviews",
        0.0,
        50.0,
        round(100 * usual_share, 1),
        0.1,
        format="%.1f %%",
        key=f"draft-share-{usual_share}",
        help="Eight handcrafted sarcastic reviews in the training set: 0 leaves them out, 0.1 % "
        "has each once, more repeats them.",
    )
    lines = st.text_area(
        "Sentinel sentences, one a line",
        SENTINELS,
        key="draft-sentinels",
        persist_state="session",
        height=110,
        help="Their P(positive) is followed while the model learns. At most twelve.",
    )
    return TrainingConfig(**chosen), share / 100, check_sentinels(tuple((lines or "").splitlines()))


def _rates() -> dict:
    first, second, third, fourth = st.columns(4)
    rates = {"format": "%.0e", "min_value": 0.0, "max_value": 1.0, "persist_state": "session"}
    return {
        "encoder_lr": first.number_input(
            "Learning rate, encoder", value=5e-5, step=1e-5, key="draft-encoder-lr", **rates
        ),
        "head_lr": second.number_input(
            "Learning rate, head", value=1e-3, step=1e-4, key="draft-head-lr", **rates
        ),
        "layer_decay": third.slider(
            "Layer-wise decay",
            0.5,
            1.0,
            1.0,
            0.01,
            key="draft-layer-decay",
            help="Each layer learns by this factor slower than the one above it; 1 gives all the "
            "same rate (Howard & Ruder 2018).",
        ),
        "warmup_share": fourth.slider(
            "Warm-up share",
            0.0,
            0.5,
            0.1,
            0.01,
            key="draft-warmup",
            help="Share of all steps in which the rates rise to their peak.",
        ),
    }


def _strategy() -> dict:
    first, second, third, fourth = st.columns(4)
    trains = first.selectbox(
        "What trains", list(TRAINS), format_func=TRAINS.get, key="draft-trains"
    )
    layers = second.number_input(
        "Last layers that train", 1, 48, 2, key="draft-layers", disabled=trains != "last"
    )
    rank = third.number_input("LoRA rank", 1, 256, 8, key="draft-rank", disabled=trains != "lora")
    pooling = fourth.selectbox(
        "Pooling",
        POOLINGS,
        key="draft-pooling",
        help="How token vectors become one: [CLS], their mean, or their maximum.",
    )
    return {
        "trains": trains,
        "last_layers": int(layers),
        "lora_rank": int(rank),
        "pooling": pooling,
    }


def _loss() -> dict:
    first, second, third, fourth, fifth = st.columns([2, 2, 3, 2, 2])
    return {
        "accumulate": int(
            first.number_input(
                "Batches an update",
                1,
                64,
                1,
                key="draft-accumulate",
                help="Gradient accumulation: their gradients add up to those of one large batch, "
                "in the memory of a small one.",
            )
        ),
        "label_smoothing": second.slider(
            "Label smoothing",
            0.0,
            0.5,
            0.0,
            0.01,
            key="draft-smoothing",
            help="Share of the target that goes to both labels alike.",
        ),
        "class_weights": third.selectbox(
            "Class weights",
            CLASS_WEIGHTS,
            format_func=WEIGHTS.get,
            key="draft-class-weights",
            help="In the training loss. The validation loss counts every review alike.",
        ),
        "patience": int(
            fourth.number_input(
                "Patience, epochs",
                0,
                100,
                0,
                key="draft-patience",
                help="Ends the run after so many epochs without a lower validation loss; 0 never "
                "does.",
            )
        ),
        "seed": int(fifth.number_input("Seed", 0, 2**32 - 1, 42, key="draft-seed")),
    }
