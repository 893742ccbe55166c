"""The models of a task among which a tab lets one choose, and what stands there where none is."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BertsentError
from bertsent.probing.registry import (
    RegisteredModel,
    find_model,
    models_that_answer,
    task_of,
    tasks_of,
)
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.mixed import MixedTask
from bertsent.training.runs.run import find_run
from bertsent.ui.shared import (
    choose_review,
    escape_markdown,
    linked_choice,
    linked_name,
    loaded_model,
    result,
    run_title,
)
from bertsent.ui.shared.model_picker import MODEL
from bertsent.ui.shared.task_tabs import PROBE_TAB, Asked, TaskTab, tab_of

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

T = TypeVar("T")
Chosen: TypeAlias = "LoadedModel | None"


def task_row() -> DeltaGenerator:
    """The line on top of a tab: examples, the model and how good it is."""
    return st.container(horizontal=True, gap="small", vertical_alignment="center")


def review_row(examples: Mapping[str, str], key: str, label: str, tab: TaskTab) -> Chosen:
    """Draw the line of a tab that asks about the review; gives back the chosen model.

    Args:
        examples: names and texts, which become the review.
        key: of their menu.
        label: of the picker of models.
        tab: whose models are offered.

    Raises:
        BertsentError: the model is damaged.
    """
    with task_row():
        examples_menu(examples, choose_review, key, "More examples")
        return scored_model(label, tab)


def examples_menu(
    examples: Mapping[str, T], take: Callable[[T], None], key: str, label: str = "Examples"
) -> None:
    """A menu of examples by their names; ``take`` gets the chosen one before the page runs
    again.
    """
    st.menu_button(
        label,
        list(examples),
        key=key,
        type="tertiary",
        on_click=lambda: take(examples[st.session_state[key]]),
    )


def scored_model(label: str, tab: TaskTab) -> Chosen:
    """``choose_task_model``, and beside it what was measured of the model."""
    model = choose_task_model(label, tab)
    show_head_scores(model)
    return model


def task_choices(tab: TaskTab) -> dict[str, str]:
    """Registry names and titles of the models that are asked on a tab: that of the review bar where
    it is one, then the one that ships, runs newest first, the host's folders.
    """
    barred = str(st.session_state.get(MODEL) or "")
    own = [barred] if barred and _answers(barred, tab.asked) else []
    names = [model.name for model in models_that_answer(tab.asked, linked_name(tab.model))]
    whole = [name for name in names if own[:1] != [name] and _run_of(own) != name]
    return {name: _title(name) for name in (*own, *whole)}


def choose_task_model(label: str, tab: TaskTab, place: DeltaGenerator | None = None) -> Chosen:
    """The chosen model of a task, loaded; the picker is there where more than one is, in ``place``
    under its label where that is given. None where there is no model.

    Raises:
        BertsentError: it is damaged.
    """
    name = choose_task_name(label, tab, place)
    return load_task_model(name, tab) if name else None


def choose_task_name(label: str, tab: TaskTab, place: DeltaGenerator | None = None) -> str:
    """The registry name of that model; empty where there is none."""
    options = task_choices(tab)
    if not options:
        return ""
    _say_other(options, tab.model)
    if len(options) == 1:
        return next(iter(options))
    with place or st.container(width=290, key="task_picker"):
        shown = "collapsed" if place is None else "visible"
        return linked_choice(label, options, key=tab.model, label_visibility=shown)


def load_task_model(name: str, tab: TaskTab) -> "LoadedModel":
    """The model of that registry name; of one that learned several tasks at once, the part that is
    asked on ``tab``.

    Raises:
        BertsentError: it is gone or damaged.
    """
    model = loaded_model(name)
    if isinstance(model.task, MixedTask):
        return model.part(next(part.name for part in model.task.parts if tab.asked(part)))
    return model


def show_head_scores(*models: "LoadedModel | None") -> None:
    """A popover with what was measured of those models that ship; nothing where none does."""
    from bertsent.probing.tasks.head_scores import head_scores, heads_card

    tables = [table for model in models if model and (table := head_scores(model)) is not None]
    if tables:
        with st.popover("How good is it?", type="tertiary"):
            st.dataframe(pd.concat(tables), hide_index=True)
            st.caption(
                "Measured on rows it did not learn from, with 95 % intervals. Its card says what "
                "it learned from, on which terms, and where it errs."
            )
            st.download_button(
                "Download the card",
                heads_card,
                "bertsent-heads.md",
                "text/markdown",
                key="heads_card",
                on_click="ignore",
                type="tertiary",
            )


def offer_training(what: str, data: str = "a small set for it comes with bertsent") -> None:
    """What stands in place of a result where no model has learned the task; ``data`` says what it
    can learn from.
    """
    with result("none"):
        st.info(
            f"No model here has learned {what}. Train one: on Fine-tune, choose it under “What "
            f"shall it learn?”; {data}."
        )
        st.page_link("pages/2_Fine-tune.py", label="Fine-tune a model")


def offers_another_tab(name: str) -> bool:
    """Whether the model of the review bar answers another question than two labels; then this is
    said, with a button to the tab that asks it.
    """
    found = _found(name)
    tasks = tasks_of(found) if found else ()
    if not tasks or tasks == (SENTIMENT,):
        return False
    titles = ", ".join(task.title for task in tasks)
    with result("none"):
        st.info(
            escape_markdown(
                f"{_spoken(name)} answers another question: {titles}. This tab is about two "
                "labels: choose a model of sentiment in the bar above."
            )
        )
        with st.container(horizontal=True, gap="small"):
            for tab in dict.fromkeys(found.name for found in map(tab_of, tasks) if found):
                st.button(
                    f"Ask it on {tab}", key=f"ask_on_{tab}", type="primary", on_click=_open(tab)
                )
    return True


def _say_other(options: Mapping[str, str], key: str) -> None:
    """Say why the model that a link names is not the one that answers."""
    named = linked_name(key)
    if not named or named in options or named == _run_of([*options]):
        return
    try:
        task = task_of(find_model(named, folders=False))
        what = task.title if task else "unknown"
        asked = f"{_spoken(named)} answers another question: {what}."
    except BertsentError as error:
        asked = str(error)
    st.warning(escape_markdown(f"{asked} {_spoken(next(iter(options)))} answers instead."))


def _open(tab: str) -> Callable[[], None]:
    return lambda: st.session_state.update({PROBE_TAB: tab})


def _answers(name: str, asked: Asked) -> bool:
    found = _found(name)
    return found is not None and any(map(asked, tasks_of(found)))


def _found(name: str) -> RegisteredModel | None:
    try:
        return find_model(name, folders=False)
    except BertsentError:
        return None


def _run_of(names: list[str]) -> str:
    return names[0].partition("/")[0] if names and "/step-" in names[0] else ""


def _spoken(name: str) -> str:
    """A model inside a sentence."""
    found = _found(name)
    return f"Run {found.run}" if found and found.run else _title(name)


def _title(name: str) -> str:
    found = _found(name)
    if found is None or not found.run:
        return found.title if found else name
    step = f", step {found.step:,}" if found.step is not None and "/" in name else ""
    return run_title(find_run(found.run)) + step
