"""The hyperparameters of a run to be: widgets in, a checked ``TrainingConfig`` out."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from bertsent.models.pooling import POOLINGS
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import FIVE_STEPS, SENTIMENT
from bertsent.tasks.followed import FollowedAnswer, followed_answer
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Task
from bertsent.text.masked_sentence import MASK, check_gaps
from bertsent.training.config import (
    CLASS_WEIGHTS,
    TRAINS,
    WORDS_HEAD_LR,
    TrainingConfig,
    check_sentinels,
)
from bertsent.ui.fine_tune.new_run_heads import choose_heads
from bertsent.ui.fine_tune.whole_number import whole_number
from bertsent.ui.shared import PUZZLE

SENTINELS = f"{PUZZLE}\nThis is not a bad film\nBlew my mind how bad it was. What a waste."
GAPS = "\n".join(
    (
        "The movie was [MASK].",
        "The acting is really [MASK].",
        "I would watch it [MASK].",
        "What a [MASK] of time!",
        "The cat sat on the [MASK].",
    )
)
CLASS_WEIGHT_NAMES = {
    "none": "All reviews count alike",
    "balanced": "Balanced: a rare class counts more",
}


@dataclass(frozen=True)
class Hyperparameters:
    """What the form asks for: ``share`` of contrastive reviews among those of training."""

    training: TrainingConfig
    share: float
    sentinels: tuple[str, ...]
    no_opinion: bool = False  # texts that judge nothing are learned from as neutral


def main_settings(
    key: str = "draft", epochs: int = 3, batch_size: int = 16, max_length: int = 128
) -> dict[str, int]:
    """Epochs, batch size and length: what everybody asks for.

    Args:
        key: begins the keys of the widgets; the other arguments are what stands there at first.
    """
    first, second, third = st.columns(3)
    kept: dict[str, Any] = {"persist_state": "session"}
    with first:
        chosen = {
            "epochs": whole_number(
                "Epochs", 1, 100, epochs, f"{key}-epochs", help="Passes over the reviews.", **kept
            )
        }
    with second:
        chosen["batch_size"] = whole_number(
            "Batch size", 1, 512, batch_size, f"{key}-batch", help="Reviews per batch.", **kept
        )
    with third:
        chosen["max_length"] = whole_number(
            "Max length",
            LIMITS.shortest_length,
            LIMITS.longest_length,
            max_length,
            f"{key}-length",
            step=8,
            help="In tokens; longer reviews are cut.",
            **kept,
        )
    return chosen


def choose_hyperparameters(
    known: dict[str, int], contrastive: tuple[float, bool] = (0.0, False), task: Task = SENTIMENT
) -> Hyperparameters:
    """The hyperparameters that are one click away.

    Args:
        known: those of ``main_settings``.
        contrastive: the share of contrastive reviews to begin with, and whether it cannot be
            changed, because the reviews are those of another run.
        task: what is learnt; contrastive reviews are for two labels alone, sentinels for tasks
            whose answers can be followed.

    Raises:
        BadInput: a value is impossible, or the sentinels are too many or too long.
    """
    words = isinstance(task, MaskedWords)
    chosen = {**known, **_rates(words=words), **_strategy(pools=not words)}
    chosen |= _loss(one_label=isinstance(task, OneLabel))
    chosen |= choose_heads() if isinstance(task, MixedTask) else {}
    training = TrainingConfig(**chosen)  # type: ignore[arg-type]
    followed = followed_answer(task)
    share = _contrastive_share(*contrastive) if task == SENTIMENT else 0.0
    neutral = task == FIVE_STEPS and _no_opinion(disabled=contrastive[1])
    sentinels: tuple[str, ...] = ()
    if words:
        sentinels = _gaps()
    elif followed:
        sentinels = _sentinels(followed)
    return Hyperparameters(training, share, sentinels, neutral)


def _contrastive_share(usual: float, fixed: bool) -> float:
    share = st.slider(
        "Share of contrastive reviews",
        0.0,
        50.0,
        round(100 * usual, 1),
        0.1,
        format="%.1f %%",
        key=f"draft-share-{usual}",
        disabled=fixed,
        help="Eight handcrafted sarcastic reviews in the training set: 0 leaves them out, 0.1 % "
        "includes each once, larger shares repeat them.",
    )
    return usual if fixed else share / 100


def _no_opinion(*, disabled: bool) -> bool:
    return st.checkbox(
        "Add texts that judge nothing, as neutral",
        key="draft-no-opinion",
        disabled=disabled,
        help="About 350 plots, questions and messages join the training reviews, not those of "
        "validation. Neutral becomes a frequent label then: balanced class weights make up for it.",
    )


def _sentinels(followed: FollowedAnswer) -> tuple[str, ...]:
    ours = followed.task in (SENTIMENT, FIVE_STEPS)
    lines = st.text_area(
        "Sentinels, one sentence per line",
        SENTINELS if ours else "",
        key="draft-sentinels" if ours else "draft-own-sentinels",
        persist_state="session",
        height=110,
        help=f"Their answers are tracked during training: {followed.title}. At most twelve.",
    )
    return check_sentinels(tuple((lines or "").splitlines()))


def _gaps() -> tuple[str, ...]:
    lines = st.text_area(
        f"Sentinels with a gap, one sentence per line, each with one {MASK}",
        GAPS,
        key="draft-gaps",
        persist_state="session",
        height=110,
        help="What the model puts into the gaps is tracked during training. At most twelve.",
    )
    found = check_sentinels(tuple((lines or "").splitlines()))
    check_gaps(found)
    return found


def _rates(*, words: bool = False) -> dict[str, float]:
    first, second, third, fourth = st.columns(4)
    rates: dict[str, Any] = {"format": "%.0e", "persist_state": "session"}
    return {
        "encoder_lr": first.number_input(
            "Learning rate, encoder", 0.0, 1.0, 5e-5, 1e-5, key="draft-encoder-lr", **rates
        ),
        "head_lr": second.number_input(
            "Learning rate, head",
            0.0,
            1.0,
            WORDS_HEAD_LR if words else 1e-3,
            1e-4,
            key="draft-words-head-lr" if words else "draft-head-lr",
            **rates,
        ),
        "layer_decay": third.slider(
            "Layer-wise decay",
            0.5,
            1.0,
            1.0,
            0.01,
            key="draft-layer-decay",
            help="Each layer's learning rate is this fraction of that of the layer above; 1 gives "
            "all layers the same (Howard & Ruder 2018).",
        ),
        "warmup_share": fourth.slider(
            "Warm-up",
            0.0,
            0.5,
            0.1,
            0.01,
            key="draft-warmup",
            help="Share of all steps in which the learning rates rise to their peak.",
        ),
    }


def _strategy(*, pools: bool = True) -> dict[str, str | int]:
    first, second, third, fourth = st.columns(4)
    trains = first.selectbox(
        "Trained parts", list(TRAINS), format_func=TRAINS.__getitem__, key="draft-trains"
    )
    with second:
        layers = whole_number("Last layers", 1, 48, 2, "draft-layers", disabled=trains != "last")
    with third:
        rank = whole_number("LoRA rank", 1, 256, 8, "draft-rank", disabled=trains != "lora")
    pooling = fourth.selectbox(
        "Pooling",
        POOLINGS,
        key="draft-pooling",
        disabled=not pools,
        help="How token vectors become one vector: [CLS], their mean or their maximum.",
    )
    return {"trains": trains, "last_layers": layers, "lora_rank": rank} | {
        "pooling": pooling if pools else POOLINGS[0]
    }


def _loss(*, one_label: bool) -> dict[str, str | int | float]:
    first, second, third, fourth, fifth = st.columns([2, 2, 3, 2, 2])
    with first:
        accumulate = whole_number(
            "Gradient accumulation",
            1,
            64,
            1,
            "draft-accumulate",
            help="Batches per update: their gradients add up to those of one large batch, in the "
            "memory of a small one.",
        )
    smoothing = second.slider(
        "Label smoothing",
        0.0,
        0.5,
        0.0,
        0.01,
        key="draft-smoothing",
        disabled=not one_label,
        help="Share of the target that is spread over all labels.",
    )
    weights = third.selectbox(
        "Class weights",
        CLASS_WEIGHTS,
        format_func=CLASS_WEIGHT_NAMES.__getitem__,
        key="draft-class-weights",
        disabled=not one_label,
        help="In the training loss. The validation loss counts every review equally.",
    )
    with fourth:
        patience = whole_number(
            "Patience, epochs",
            0,
            100,
            0,
            "draft-patience",
            help="Ends the run after this many epochs without a lower validation loss; 0 never "
            "does.",
        )
    with fifth:
        seed = whole_number("Seed", 0, 2**32 - 1, 42, "draft-seed")
    return {
        "accumulate": accumulate,
        "label_smoothing": smoothing if one_label else 0.0,
        "class_weights": weights if one_label else CLASS_WEIGHTS[0],
        "patience": patience,
        "seed": seed,
    }
