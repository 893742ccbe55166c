"""The model picker, the checkpoint of a run, and the loaded model, which all
viewers share.
"""

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.data.hub import downloaded_ids
from bertsent.errors import BertsentError
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.registry import (
    BACKBONE,
    BUILTIN,
    NOT_SHIPPED,
    find_model,
    host_folders,
    offered_runs,
    run_models,
    runs_with_checkpoints,
    shipped,
    task_of,
)
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import Run, find_run
from bertsent.training.runs.status_sentences import weights_sentence
from bertsent.ui.shared.errors import show_errors
from bertsent.ui.shared.links import linked_choice, linked_name, set_in_link
from bertsent.ui.shared.live_runs import run_reader, run_title

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MODEL, LATEST = "bar_model", "latest"
EVERY = 2.0  # seconds between two looks at the age of the weights of a live run


@st.cache_resource(max_entries=8, show_spinner="Loading the model …")
def _load_head(name: str, weights: str) -> "LoadedModel":
    """One of the heads that ship, which all share one encoder: several cost hardly any memory."""
    from bertsent.probing.loaded_model import load

    return load(name)


@st.cache_resource(max_entries=3, show_spinner="Loading the model …")
def _load(name: str, weights: str) -> "LoadedModel":
    from bertsent.probing.loaded_model import load

    return load(name)


def loaded_model(name: str) -> "LoadedModel":
    """The loaded model of that registry name, shared by everybody; at most three stay in memory,
    beside the heads that ship.

    Raises:
        BertsentError: it is not there or damaged.
    """
    if name == BACKBONE:
        return _load(name, "")
    found = find_model(name, folders=False)
    load = _load_head if found.head else _load
    return load(found.name, weights_hash(found.folder / WEIGHTS))


def choose_model(*, needs_sentiment: bool = True, labelled: bool = False) -> None:
    """Draw the picker, or what is wrong; ``chosen_model`` tells what was chosen.

    Args:
        needs_sentiment: whether only models that classify are offered.
        labelled: whether the picker has its name above it.
    """
    with show_errors():
        st.session_state[MODEL] = _picked(needs_sentiment, "visible" if labelled else "collapsed")


def _picked(needs_sentiment: bool, label: str) -> str | None:
    """The registry name of the model in the picker; None when there is none."""
    options = model_choices(needs_sentiment)
    if not options:
        return None
    chosen = linked_choice("Model", options, key="model", label_visibility=label, width=230)
    return _checkpoint(chosen) if is_run(chosen) else chosen


def is_run(name: str) -> bool:
    """Whether that is the id of a run that has a checkpoint."""
    return name in {run.id for run in runs_with_checkpoints()}


def model_choices(needs_sentiment: bool) -> dict[str, str]:
    """Registry names and what to call them: the shipped model, runs newest first, the host's
    folders, fetched models, the backbone. A run that a link names is among them, however old. Where
    sentiment is needed, models of other tasks are left out, unless a link names them.
    """
    found = {BUILTIN: "Built-in"} if shipped() else {}
    named = linked_name("model")
    own = {run.id: run_title(run) for run in offered_runs(named)}
    own |= {name: name for name in host_folders()}
    found |= {
        name: title
        for name, title in own.items()
        if not needs_sentiment or name == named or answers_sentiment(name)
    }
    found |= {name: name for name in downloaded_ids("model")}
    return found if needs_sentiment else {**found, BACKBONE: "Backbone, not fine-tuned"}


def answers_sentiment(name: str) -> bool:
    """Whether a model answers with two labels; also where that cannot be read, which whoever opens
    it says.
    """
    with suppress(BertsentError):
        return task_of(find_model(name, folders=False)) in (SENTIMENT, None)
    return True


def _checkpoint(run_id: str) -> str:
    """A slider over the run's checkpoints, the same on every page; the newest one follows the
    run.
    """
    run = find_run(run_id)
    stay = set(kept_checkpoints(run.checkpoints))
    models = {
        m.step: m for m in reversed(run_models(run)) if m.folder in stay and m.step is not None
    }
    labels = {label_of(step): step for step in models}
    steps = [*labels, LATEST]
    key, linked = slider_key(run_id), st.query_params.get("step", "")
    kept = st.session_state.get(_kept(run_id)) or (
        label_of(int(linked)) if linked.isdecimal() and len(linked) < 10 else LATEST
    )
    label = st.session_state[key] = kept if kept in steps else LATEST
    step = list(models)[-1] if label == LATEST else labels[label]
    with st.popover(label_of(step).capitalize(), type="tertiary", key="checkpoint"):
        st.select_slider(
            "Checkpoint",
            steps,
            key=key,
            help="Step 0 is the pretrained encoder under a random head.",
            on_change=_keep_step,
            args=(run_id,),
        )
        live = run_reader(run).look()[1].live
        st.fragment(_weights_line, run_every=EVERY if live else None)(run, step)
    set_in_link("step", None if label == LATEST else str(step))
    return models[step].name


def _weights_line(run: Run, step: int) -> None:
    """From which step the weights in use are, how old they are, how far the run is meanwhile, and a
    button that takes the newest.
    """
    history, status = run_reader(run).look()
    folders, age = kept_checkpoints(run.checkpoints), None
    newest = int(folders[-1].name.removeprefix("step-")) if folders else step
    with suppress(OSError):  # they are gone
        written = (run.checkpoints / f"step-{step}" / WEIGHTS).stat().st_mtime
        age = max(0.0, time.time() - written)
    st.caption(weights_sentence(step, newest, history, status, age))
    if newest != step and st.button(
        f"Use the newest weights, step {newest:,}",
        key=f"newest-{run.id}",
        on_click=choose_step,
        args=(run.id, None),
        help="And keep following the run.",
    ):
        st.rerun(scope="app")


def label_of(step: int) -> str:
    """A checkpoint as the slider shows it."""
    return f"step {step:,}"


def slider_key(run_id: str) -> str:
    """The key of a run's slider."""
    return f"checkpoint-{run_id}"


def _kept(run_id: str) -> str:
    """Where the choice lives: the widget's own state does not reach the next page in time."""
    return f"kept-{slider_key(run_id)}"


def _keep_step(run_id: str) -> None:
    st.session_state[_kept(run_id)] = st.session_state[slider_key(run_id)]


def choose_step(run_id: str, step: int | None) -> None:
    """Move the slider of a run before it is drawn: to a checkpoint, or with None to whatever is
    newest.
    """
    st.session_state[_kept(run_id)] = LATEST if step is None else label_of(step)


def chosen_model() -> str:
    """The registry name of the model in the review bar. Where there is none, this run of the page
    ends here, with a way to get one.
    """
    name = st.session_state.get(MODEL)
    if name:
        return name
    if name is None:
        st.info(
            f"{NOT_SHIPPED} Get the whole repository again, or fine-tune a model on the built-in "
            "reviews; you can then use its checkpoints."
        )
        st.page_link("pages/2_Fine-tune.py", label="Fine-tune a model")
    st.stop()
