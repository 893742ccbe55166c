"""The models among which the parts of the experiment on three tasks let one choose: runs that
learned all three, and the heads that ship.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.registry import BUILTIN, find_model, offered_runs, shipped_heads, tasks_of
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.ui.shared import loaded_model, run_title, select

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

NAMES = tuple(part.name for part in THREE_TASKS.parts)


def choose_three_tasks_model(key: str, preferred: str = "") -> str:
    """Draw the choice; gives back the run, ``builtin``, or "" where there is none: then it says
    what to do.

    Args:
        key: of the widget.
        preferred: the run that is offered first.
    """
    runs = [run for run in offered_runs(preferred) if _learned_all(run.id)]
    options = {run.id: run_title(run) for run in sorted(runs, key=lambda run: run.id != preferred)}
    if set(NAMES) <= shipped_heads().keys():
        options[BUILTIN] = "The heads that ship"
    if not options:
        st.info(
            "No model here has learned all three tasks. Start a group of runs below with “Three "
            "tasks at once”; its first run will do."
        )
        return ""
    return select("Model of three tasks", options, key, width=300, bind=None)


def _learned_all(name: str) -> bool:
    return set(NAMES) <= {task.name for task in tasks_of(find_model(name, folders=False))}


def models_of(chosen: str) -> Mapping[str, "LoadedModel"]:
    """The model of each task by its name.

    Raises:
        BertsentError: it is gone or damaged.
    """
    if chosen == BUILTIN:
        return {name: loaded_model(f"{BUILTIN}/{name}") for name in NAMES}
    whole = loaded_model(chosen)
    return {name: whole.part(name) for name in NAMES}


def weights_of(chosen: str) -> str:
    """A hash of the weights that answer, for the keys of work."""
    name = f"{BUILTIN}/{NAMES[0]}" if chosen == BUILTIN else chosen
    return weights_hash(find_model(name, folders=False).folder / WEIGHTS)
