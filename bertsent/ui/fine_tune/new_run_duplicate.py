"""A run's configuration in, the form of a new run filled with it out; what the form cannot hold is
said.
"""

from dataclasses import fields
from pathlib import Path

import streamlit as st

from bertsent.data.asked_columns import key_of
from bertsent.data.hub import downloaded_ids
from bertsent.data.sources import IMDB, host_files
from bertsent.models.folders import folder_title
from bertsent.probing.registry import host_folders, pretrained_encoders
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import matching_source
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.new_run import BUILT_IN_MODEL, OTHER
from bertsent.ui.fine_tune.new_run_reviews import BUILT_IN, EARLIER, HOST, HUB, NATURAL_SHARE
from bertsent.ui.fine_tune.new_run_task import set_task

KEYS = {
    "epochs": "draft-epochs",
    "batch_size": "draft-batch",
    "max_length": "draft-length",
    "encoder_lr": "draft-encoder-lr",
    "head_lr": "draft-head-lr",
    "layer_decay": "draft-layer-decay",
    "warmup_share": "draft-warmup",
    "trains": "draft-trains",
    "last_layers": "draft-layers",
    "lora_rank": "draft-rank",
    "pooling": "draft-pooling",
    "accumulate": "draft-accumulate",
    "label_smoothing": "draft-smoothing",
    "class_weights": "draft-class-weights",
    "patience": "draft-patience",
    "seed": "draft-seed",
}
_OF_SEVERAL_TASKS = {  # drawn for a run of several tasks alone
    "heads": "draft-heads",
    "difference": "draft-difference",
    "jaccard": "draft-jaccard",
    "share_pairs": "draft-share-pairs",
    "epoch_rows": "draft-epoch-rows",
}
_BOUNDS = {  # narrower in the form than in a configuration
    "max_length": (LIMITS.shortest_length, LIMITS.longest_length),
    "encoder_lr": (0, 1),
    "head_lr": (0, 1),
    "layer_decay": (0.5, 1),
    "warmup_share": (0, 0.5),
    "label_smoothing": (0, 0.5),
}


def fill_form(run: Run) -> str:
    """Set the form's widgets, before they are drawn, to what a run was asked to do; gives back what
    there is to say about it.

    Raises:
        BadCheckpoint: the configuration of the run is damaged.
    """
    config, left_out, keys = run.config, [], KEYS | _OF_SEVERAL_TASKS
    for each in fields(TrainingConfig):
        value = getattr(config.training, each.name)
        low, high = _BOUNDS.get(each.name, (value, value))
        if each.name in keys and (isinstance(value, str) or low <= value <= high):
            st.session_state[keys[each.name]] = value
        elif value != each.default:
            left_out.append(f"{each.name.replace('_', ' ')} {value}")
    sentinels = "\n".join(" ".join(text.split()) for text in config.sentinels)
    st.session_state["draft-sentinels"] = st.session_state["draft-own-sentinels"] = sentinels
    st.session_state["draft-gaps"] = sentinels
    st.session_state["draft-words-head-lr"] = min(1.0, config.training.head_lr)
    share = min(50.0, round(100 * config.data.contrastive_share, 2))
    for usual in (0.0, NATURAL_SHARE):
        st.session_state[f"draft-share-{usual}"] = share
    lost = f" Not in the form, and therefore left out: {', '.join(left_out)}." if left_out else ""
    if not _fill_model(config.model):
        lost += (
            f" Its model, {folder_title(config.model)}, is not offered here: choose another one."
        )
    set_task(key_of(config.task))
    _fill_reviews(run)
    return f"The form has the settings of {config.id}. Change what you like and press Start.{lost}"


def _fill_model(model: str) -> bool:
    """Choose the model of the run; False where it is a folder that is not offered."""
    named = {str(folder.resolve()): name for name, folder in host_folders().items()}
    named |= {str(folder): name for name, folder in pretrained_encoders().items()}
    known = named.get(model, model)
    if Path(known).is_absolute():
        return False
    if known in (BUILT_IN_MODEL, *named.values(), *downloaded_ids("model")):
        st.session_state["draft-model"] = known
    else:
        st.session_state["draft-model"], st.session_state["draft-hub-model"] = OTHER, known
    return True


def _fill_reviews(run: Run) -> None:
    """Choose the source whose reviews are those of the run, by their hash; the run's own copy where
    none is.
    """
    config, files = run.config, host_files()
    name = config.data.source
    sources = {BUILT_IN: "builtin"}
    if name in files:
        sources[HOST] = str(files[name])
    hub = IMDB[-1] if "imdb" in name.lower() else name
    if hub in downloaded_ids("dataset"):
        sources[HUB] = hub
    kind = matching_source(config, sources)
    of_hub = "hub" if config.task == SENTIMENT else f"hub-{key_of(config.task)}"
    for of, box, value in ((HOST, "host", name), (HUB, of_hub, hub), (None, "run", run.id)):
        if kind == of:
            st.session_state[f"reviews-{box}"] = value
    st.session_state["reviews-kind"] = kind or EARLIER
