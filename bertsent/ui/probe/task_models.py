"""The models of a task among which a tab lets one choose, and what stands there where none is."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

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
from bertsent.tasks.task import Task
from bertsent.training.runs.run import find_run
from bertsent.ui.shared import (
    escape_markdown,
    linked_choice,
    linked_name,
    loaded_model,
    result,
    run_title,
)
from bertsent.ui.shared.model_picker import MODEL

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

Asked = Callable[[Task], bool]
TABS = "probe"  # the key of Probe's tabs


def task_choices(asked: Asked, key: str) -> dict[str, str]:
    """Registry names and titles of the models whose task is ``asked``: that of the review bar
    where it is one, then the one that ships, runs newest first, the host's folders. ``key`` is
    where the link names one.
    """
    barred = str(st.session_state.get(MODEL) or "")
    own = [barred] if barred and _answers(barred, asked) else []
    names = [model.name for model in models_that_answer(asked, linked_name(key))]
    whole = [name for name in names if own[:1] != [name] and _run_of(own) != name]
    return {name: _title(name) for name in (*own, *whole)}


def choose_task_model(
    label: str, asked: Asked, key: str, place: DeltaGenerator | None = None
) -> "LoadedModel | None":
    """The chosen model of a task, loaded; the picker is there where more than one is, in ``place``
    under its label where that is given. None where there is no model.

    Raises:
        BertsentError: it is damaged.
    """
    options = task_choices(asked, key)
    if not options:
        return None
    _say_other(options, key)
    name = next(iter(options))
    if len(options) > 1:
        with place or st.container(width=230):
            shown = "collapsed" if place is None else "visible"
            name = linked_choice(label, options, key=key, label_visibility=shown)
    return load_task_model(name, asked)


def load_task_model(name: str, asked: Asked) -> "LoadedModel":
    """The model of that registry name; of one that learned several tasks at once, the part that is
    ``asked`` for.

    Raises:
        BertsentError: it is gone or damaged.
    """
    model = loaded_model(name)
    if isinstance(model.task, MixedTask):
        return model.part(next(part.name for part in model.task.parts if asked(part)))
    return model


def show_head_scores(*models: "LoadedModel | None") -> None:
    """A popover with what was measured of those models that ship; nothing where none does."""
    from bertsent.probing.tasks.head_scores import head_scores

    tables = [table for model in models if model and (table := head_scores(model)) is not None]
    if tables:
        with st.popover("How good is it?", type="tertiary"):
            st.dataframe(pd.concat(tables), hide_index=True)
            st.caption(
                "Measured on rows it did not learn from, with 95 % intervals. The card in "
                "assets/models/tasks says what it learned from, on which terms, and where it errs."
            )


def offer_training(what: str) -> None:
    """What stands in place of a result where no model has learned the task."""
    with result("none"):
        st.info(
            f"No model here has learned {what}. Train one: on Fine-tune, choose it under “What "
            "shall it learn?”; a small set for it comes with bertsent."
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
                f"{_title(name)} answers another question: {titles}. This tab is about two "
                "labels: choose a model of sentiment in the bar above."
            )
        )
        with st.container(horizontal=True, gap="small"):
            for tab in dict.fromkeys(filter(None, map(tab_of, tasks))):
                st.button(
                    f"Ask it on {tab}", key=f"ask_on_{tab}", type="primary", on_click=_open(tab)
                )
    return True


def tab_of(task: Task) -> str:
    """The tab on which a model of that task is asked; empty where there is none."""
    from bertsent.probing.tasks.aspects import asks_of_aspects
    from bertsent.probing.tasks.feelings import asks_for_several
    from bertsent.probing.tasks.five_steps import asks_for_steps
    from bertsent.probing.tasks.two_texts import asks_how_alike, asks_whether_same

    tabs: Mapping[str, tuple[Asked, ...]] = {
        "Five steps": (asks_for_steps,),
        "Aspects": (asks_of_aspects,),
        "Feelings": (asks_for_several,),
        "Two texts": (asks_how_alike, asks_whether_same),
    }
    return next((tab for tab, kinds in tabs.items() if any(kind(task) for kind in kinds)), "")


def _say_other(options: Mapping[str, str], key: str) -> None:
    """Say why the model that a link names is not the one that answers."""
    named = linked_name(key)
    if not named or named in options:
        return
    try:
        task = task_of(find_model(named, folders=False))
        asked = f"{_title(named)} answers another question: {task.title if task else 'unknown'}."
    except BertsentError as error:
        asked = str(error)
    st.warning(escape_markdown(f"{asked} {next(iter(options.values()))} answers instead."))


def _open(tab: str) -> Callable[[], None]:
    return lambda: st.session_state.update({TABS: tab})


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


def _title(name: str) -> str:
    found = _found(name)
    if found is None or not found.run:
        return found.title if found else name
    step = f", step {found.step:,}" if found.step is not None and "/" in name else ""
    return run_title(find_run(found.run)) + step
