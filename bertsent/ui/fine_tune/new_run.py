"""The form of a run to be: reviews, model and a few knobs in sight, the rest one click away, and
what it will amount to.
"""

import streamlit as st

from bertsent.data.hub import downloaded_ids, hub_id
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder
from bertsent.probing.registry import host_folders
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import start_run
from bertsent.ui.fine_tune.new_run_estimate import draw_schedule, make_plan, measure, preflight
from bertsent.ui.fine_tune.new_run_hyperparameters import basics, choose_settings
from bertsent.ui.fine_tune.new_run_reviews import Choice, choose_reviews
from bertsent.ui.shared.errors import show_error
from bertsent.ui.shared.hub_download import hub_download

BUILT_IN_MODEL, OTHER = "builtin", "A model of the Hub …"


def draft() -> Choice | None:
    """Draw the form and start the run when its button is pressed; gives back the reviews that are
    chosen.
    """
    choice = _told(choose_reviews)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        model = _told(_model)
    with right:
        known = basics()
    more = st.expander("More settings")
    with more:
        training, share, sentinels = _told(
            choose_settings, known, choice.usual_share if choice else 0.0
        ) or (None, 0.0, ())
    ready = choice is not None and model is not None and training is not None
    plan = _told(make_plan, choice, model, training, share, sentinels) if ready else None
    if plan:
        with more:
            _told(draw_schedule, plan)
        _told(preflight, plan)
    with st.container(horizontal=True, gap="small"):
        pressed = st.button("Start", type="primary", disabled=plan is None, key="start")
        if plan:
            _told(measure, plan)
    if pressed:
        _told(_start, choice, training, model, share, sentinels)
    return choice


def _told(step, *arguments):  # noqa: ANN001, ANN002, ANN202
    """Do one step of the form; when it fails say why and keep everything else on the page."""
    try:
        return step(*arguments)
    except BertsentError as error:
        show_error(error)
        return None


def _model() -> str | None:
    options = {BUILT_IN_MODEL: "Built-in (MiniLM, 6 layers)"} | {
        name: name for name in (*host_folders(), *downloaded_ids("model"))
    }
    name = st.selectbox(
        "Model",
        [*options, OTHER],
        format_func=lambda n: options.get(n, n),
        key="draft-model",
        persist_state="session",
        help="The pretrained encoder that a fresh head is put on.",
    )
    if name != OTHER:
        return str(host_folders().get(name, name))
    wanted = hub_id(
        st.text_input("Hub id of a model", value="bert-base-uncased", key="draft-hub-model") or ""
    )
    if wanted in downloaded_ids("model"):
        return wanted
    hub_download("model", wanted)
    return None


def _start(
    choice: Choice, training: TrainingConfig, model: str, share: float, sentinels: tuple[str, ...]
) -> None:
    backbone_folder(model)
    with st.spinner("Starting …"):
        run = start_run(
            choice.reviews(share),
            training,
            model=model,
            contrastive_share=share,
            sentinels=sentinels,
        )
    st.query_params["run"] = run.id
    st.session_state["run"] = run.id
    st.rerun()
