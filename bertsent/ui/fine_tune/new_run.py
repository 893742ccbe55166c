"""The New run tab: reviews, model and the main hyperparameters in sight, the others one click away,
and what the run will amount to.
"""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.hub import downloaded_ids, hub_id
from bertsent.errors import BertsentError
from bertsent.probing.registry import host_folders, pretrained_encoders
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.run import delete_run
from bertsent.ui.fine_tune.new_run_estimate import (
    RunDraft,
    draw_schedule,
    estimate,
    expected,
    make_draft,
    measure_button,
)
from bertsent.ui.fine_tune.new_run_hyperparameters import choose_hyperparameters, main_settings
from bertsent.ui.fine_tune.new_run_reviews import (
    ReviewsChoice,
    choose_kind,
    choose_reviews,
    show_reviews,
)
from bertsent.ui.fine_tune.new_run_task import choose_task
from bertsent.ui.fine_tune.opening import RUN, go_to
from bertsent.ui.shared import (
    check_may_start,
    escape_markdown,
    hub_download,
    result,
    select,
    show_errors,
    visitor,
    why_not_start,
)

BUILT_IN_MODEL, OTHER = "builtin", "A model of the Hub …"
T = TypeVar("T")


def new_run(row: DeltaGenerator) -> None:
    """Draw what will be read, the form beside it, and start the run when its button is pressed."""
    task, kind = _task_and_kind()
    left, right = st.columns([3, 2], gap="large")
    with left, result("reviews"):
        choice = _shown(choose_reviews, "reviews", kind, task)
        if choice:
            show_reviews(choice.reviews)
    with right:
        model = _shown(choose_backbone, "draft")
        known = main_settings()
        buttons, about = st.container(horizontal=True, gap="small"), st.container()
    draft, more = None, st.expander("More settings")
    with more:
        chosen = _shown(choose_hyperparameters, known, _contrastive(choice), _task(choice))
    if choice and model and chosen:
        draft = _shown(make_draft, choice, model, chosen)
    if draft:
        with more:
            _shown(draw_schedule, draft)
        with about:
            _shown(estimate, draft)
    with buttons:
        refused = why_not_start(expected(draft)) if draft else ""
        pressed = st.button(
            "Start",
            type="primary",
            disabled=draft is None or bool(refused),
            help=refused or None,
            key="start",
        )
        if draft:
            _shown(measure_button, draft)
    if refused:
        about.warning(escape_markdown(refused))
    if pressed and draft:
        _shown(_start, draft)


def _task_and_kind() -> tuple[str, str]:
    """What the run shall learn, and where its reviews come from."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        return choose_task(), choose_kind("reviews")


def _contrastive(choice: ReviewsChoice | None) -> tuple[float, bool]:
    """The usual share of contrastive reviews, and whether it cannot be changed."""
    return (choice.usual_share, choice.fixed is not None) if choice else (0.0, False)


def _task(choice: ReviewsChoice | None) -> Task:
    return choice.reviews.task if choice else SENTIMENT


def _shown(step: Callable[..., T], *args: object) -> T | None:
    """Do one step of the form; when it fails say why and keep everything else on the page."""
    with show_errors():
        return step(*args)
    return None


def choose_backbone(key: str) -> str | None:
    """The pretrained encoder; None while it has to be downloaded first.

    Args:
        key: begins the keys of the widgets.
    """
    options = {BUILT_IN_MODEL: "Built-in (MiniLM, 6 layers)"}
    pretrained = pretrained_encoders(st.session_state.get(f"{key}-model", ""))
    options |= {name: f"{name}, pretrained further" for name in pretrained}
    options |= {name: name for name in (*host_folders(), *downloaded_ids("model"), OTHER)}
    about = "The pretrained encoder that gets a new head; masked words keep the one there is."
    name = select("Model", options, f"{key}-model", bind=None, help=about)
    if name in pretrained:
        return str(pretrained[name])
    if name != OTHER:
        return str(host_folders().get(name, name))
    wanted = hub_id(
        st.text_input("Hub id of a model", value="bert-base-uncased", key=f"{key}-hub-model") or ""
    )
    if wanted in downloaded_ids("model"):
        return wanted
    hub_download("model", wanted)
    return None


def _start(draft: RunDraft) -> None:
    with st.spinner("Starting …"):
        run = prepare_split_run(
            draft.splits,
            draft.training,
            source=draft.source,
            model=draft.model,
            contrastive_share=draft.share,
            sentinels=draft.sentinels,
            owner=visitor().id,
            expected=expected(draft),
        )
        try:
            check_may_start([run])
        except BertsentError:
            delete_run(run)
            raise
        launch(run)
    st.query_params["run"] = st.session_state["run"] = run.id
    go_to(RUN)
    st.rerun()
