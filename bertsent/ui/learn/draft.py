"""The form of a run to be: reviews, model and a few knobs in sight, the rest one click away, and what it will amount to."""

import math

import streamlit as st

from bertsent.data.hub import fetched, hub_id
from bertsent.data.splits import mix_contrastive, split
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder
from bertsent.models.pooling import POOLINGS
from bertsent.probing.registry import host_folders
from bertsent.settings import LIMITS
from bertsent.training.config import TRAINS, TrainingConfig, check_sentinels
from bertsent.training.runs.jobs import start_run
from bertsent.ui.ask.specimen import PUZZLE
from bertsent.ui.fetching import fetch_box
from bertsent.ui.frame import say
from bertsent.ui.learn.reviews import Choice, choose_reviews

BUILT_IN_MODEL, OTHER = "builtin", "A model of the Hub …"
SENTINELS = f"{PUZZLE}\nThis is not a bad film\nBlew my mind how bad it was. What a waste."


def draft() -> None:
    """Draw the form and start the run when its button is pressed."""
    choice = _told(choose_reviews)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        model = _told(_model)
    with right:
        basics = _basics()
    with st.expander("More settings"):
        training, share, sentinels = _told(_settings, basics, choice.usual_share if choice else 0.0) or (None, 0.0, ())
    ready = choice is not None and model is not None and training is not None
    if ready:
        ready = _told(_preflight, choice, share, training) or False
    if st.button("Start", type="primary", disabled=not ready, key="start"):
        _told(_start, choice, training, model, share, sentinels)


def _told(step, *arguments):  # noqa: ANN001, ANN002, ANN202
    """Do one step of the form; when it fails say why and keep everything else on the page."""
    try:
        return step(*arguments)
    except BertsentError as error:
        say(error)
        return None


def _model() -> str | None:
    options = {BUILT_IN_MODEL: "Built-in (MiniLM, 6 layers)"} | {name: name for name in (*host_folders(), *fetched("model"))}
    name = st.selectbox(
        "Model", [*options, OTHER], format_func=lambda n: options.get(n, n), key="draft-model", persist_state="session",
        help="The pretrained encoder that a fresh head is put on.",
    )  # fmt: skip
    if name != OTHER:
        return str(host_folders().get(name, name))
    wanted = hub_id(st.text_input("Hub id of a model", value="bert-base-uncased", key="draft-hub-model") or "")
    if wanted in fetched("model"):
        return wanted
    fetch_box("model", wanted)
    return None


def _basics() -> dict[str, int]:
    first, second, third = st.columns(3)
    return {
        "epochs": first.number_input("Epochs", 1, 100, 3, key="draft-epochs", persist_state="session", help="Passes over the reviews."),
        "batch_size": second.number_input("Batch size", 1, 512, 16, key="draft-batch", persist_state="session", help="Reviews per update."),
        "max_length": third.number_input(
            "Max length", LIMITS.shortest_length, LIMITS.longest_length, 128, 8, key="draft-length", persist_state="session",
            help="Tokens; what is longer is cut.",
        ),
    }  # fmt: skip


def _settings(basics: dict[str, int], usual_share: float) -> tuple[TrainingConfig, float, tuple[str, ...]]:
    first, second, third = st.columns(3)
    rates = {"format": "%.0e", "min_value": 0.0, "max_value": 1.0, "persist_state": "session"}
    encoder_lr = first.number_input("Learning rate, encoder", value=5e-5, step=1e-5, key="draft-encoder-lr", **rates)
    head_lr = second.number_input("Learning rate, head", value=1e-3, step=1e-4, key="draft-head-lr", **rates)
    warmup = third.slider(
        "Warm-up share", 0.0, 0.5, 0.1, 0.01, key="draft-warmup", help="Share of all steps in which the rates rise to their peak."
    )
    pooling = first.selectbox(
        "Pooling", POOLINGS, key="draft-pooling", help="How token vectors become one: [CLS], their mean, or their maximum."
    )
    trains = second.selectbox("What trains", list(TRAINS), format_func=TRAINS.get, key="draft-trains")
    seed = third.number_input("Seed", 0, 2**32 - 1, 42, key="draft-seed")
    layers = first.number_input("Last layers that train", 1, 48, 2, key="draft-layers", disabled=trains != "last")
    rank = second.number_input("LoRA rank", 1, 256, 8, key="draft-rank", disabled=trains != "lora")
    share = third.slider(
        "Share of contrastive reviews", 0.0, 50.0, round(100 * usual_share, 1), 0.1, format="%.1f %%", key=f"draft-share-{usual_share}",
        help="Eight handcrafted sarcastic reviews in the training set: 0 leaves them out, 0.1 % has each once, more repeats them.",
    )  # fmt: skip
    lines = st.text_area(
        "Sentinel sentences, one a line", SENTINELS, key="draft-sentinels", persist_state="session", height=110,
        help="Their P(positive) is followed while the model learns. At most twelve.",
    )  # fmt: skip
    training = TrainingConfig(
        **basics, encoder_lr=encoder_lr, head_lr=head_lr, warmup_share=warmup, pooling=pooling, trains=trains, seed=int(seed),
        last_layers=int(layers), lora_rank=int(rank),
    )  # fmt: skip
    return training, share / 100, check_sentinels(tuple((lines or "").splitlines()))


def _preflight(choice: Choice, share: float, training: TrainingConfig) -> bool:
    train, validation = _sizes(choice.plain.sha256, share, training.seed, choice)
    steps = math.ceil(train / training.batch_size) * training.epochs
    st.caption(f"{train:,} training and {validation:,} validation reviews · {steps:,} steps")
    return True


@st.cache_data(max_entries=32, show_spinner=False)
def _sizes(sha256: str, share: float, seed: int, _choice: Choice) -> tuple[int, int]:
    splits = mix_contrastive(split(_choice.reviews(share), seed=seed), share)
    return len(splits.train), len(splits.validation)


def _start(choice: Choice, training: TrainingConfig, model: str, share: float, sentinels: tuple[str, ...]) -> None:
    backbone_folder(model)
    with st.spinner("Starting …"):
        run = start_run(choice.reviews(share), training, model=model, contrastive_share=share, sentinels=sentinels)
    st.query_params["run"] = run.id
    st.session_state["run"] = run.id
    st.rerun()
