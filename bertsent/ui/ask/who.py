"""Who answers: the picker beside the specimen, and the loaded model behind it, shared by all viewers."""

import streamlit as st

from bertsent.data.hub import fetched
from bertsent.errors import NotAvailable
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.registry import BACKBONE, BUILTIN, NOT_SHIPPED, answering_runs, find_model, host_folders, run_models, shipped
from bertsent.training.runs.run import find_run
from bertsent.ui.linked import linked_choice
from bertsent.ui.running import run_title

LATEST = "latest"


@st.cache_resource(max_entries=3, show_spinner="Loading the model …")
def _load(name: str, weights: str):  # noqa: ANN202 - a Learner; torch is loaded on use
    from bertsent.probing.learners import load

    return load(name)


def learner(name: str):  # noqa: ANN201
    """The loaded model of that registry name, shared by everybody; at most three stay in memory.

    Raises:
        BertsentError: it is not there or damaged.
    """
    if name == BACKBONE:
        return _load(name, "")
    found = find_model(name, folders=False)
    return _load(found.name, weights_hash(found.folder / WEIGHTS))


def who_answers(*, needs_sentiment: bool = True) -> str | None:
    """Draw the picker; gives back the registry name of the chosen model, None when there is none yet (and says what to do)."""
    options = choices(needs_sentiment)
    if not options:
        _nobody()
        return None
    chosen = linked_choice("Who answers", options, key="model")
    if chosen not in {run.id for run in answering_runs()}:
        return chosen
    return _checkpoint(chosen)


def choices(needs_sentiment: bool) -> dict[str, str]:
    """Registry names and what to call them: the shipped model, runs newest first, the host's folders, fetched models, the backbone."""
    found = {BUILTIN: "Built-in"} if shipped() else {}
    found |= {run.id: run_title(run) for run in answering_runs()[:50]}
    found |= {name: name for name in (*host_folders(), *fetched("model"))}
    return found if needs_sentiment else {**found, BACKBONE: "Backbone, not fine-tuned"}


def _checkpoint(run_id: str) -> str:
    """A slider over the run's checkpoints; the newest one follows the run."""
    models = {f"step {m.step:,}": m.name for m in reversed(run_models(find_run(run_id)))}
    steps = [*models, LATEST]
    key = f"checkpoint-{run_id}"
    if st.session_state.get(key) not in steps:
        st.session_state.pop(key, None)
    wanted = f"step {int(st.query_params['step']):,}" if st.query_params.get("step", "").isdigit() else LATEST
    st.session_state.setdefault(key, wanted if wanted in steps else LATEST)
    step = st.select_slider(
        "Checkpoint", steps, key=key, persist_state="session", help="Step 0 is the pretrained encoder under a random head."
    )
    if step == LATEST:
        st.query_params.pop("step", None)
        newest = list(models)[-1]
        st.caption(f"Weights of {newest}, the newest there is.")
        return models[newest]
    st.query_params["step"] = models[step].rpartition("-")[2]
    return models[step]


def _nobody() -> None:
    st.info(f"{NOT_SHIPPED} Get the whole repository again, or fine-tune a model on the built-in reviews; its checkpoints answer at once.")
    st.page_link("pages/2_Fine-tune.py", label="Fine-tune a model")


def require(name: str | None) -> str:
    """The chosen name, or an end to this run of the page when nobody can answer."""
    if name is None:
        st.stop()
    if not name:
        raise NotAvailable("No model is chosen.", "Choose one.")
    return name
