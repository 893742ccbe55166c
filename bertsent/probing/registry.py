"""Which models can answer, and where they are: the shipped one, runs and their checkpoints, folders
that the host lists, downloads from the Hub.

What a viewer picks is looked up here by name; a name is never turned into a path. Loads no torch.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bertsent.data.hub import is_hub_id, model_path
from bertsent.errors import BertsentError, NotAvailable
from bertsent.models.folders import WEIGHTS, local_folder
from bertsent.models.heads_card import CARD, read_heads_card
from bertsent.settings import ASSETS, home
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task, task_of_dict
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import RunConfig
from bertsent.training.runs.run import Run, find_run, list_runs

BUILTIN, BACKBONE = "builtin", "backbone"
SHIPPED = ASSETS / "models" / "sentiment"
SHIPPED_HEADS = ASSETS / "models" / "tasks"  # heads of further tasks over one encoder
LISTED_RUNS = 50  # runs that a list of models offers without being asked for one by name
NOT_SHIPPED = "The built-in sentiment model is missing from assets/models."


@dataclass(frozen=True)
class RegisteredModel:
    """A model that can be loaded by ``name``; for a checkpoint of a run, which run and step, and
    which ``head`` of a folder that holds several.
    """

    name: str
    title: str
    folder: Path
    run: str = ""
    step: int | None = None
    head: str = ""


def shipped() -> bool:
    """True where the sentiment model that ships with bertsent is in its place."""
    return (SHIPPED / WEIGHTS).is_file()


def shipped_heads() -> dict[str, RegisteredModel]:
    """The heads of further tasks that ship with bertsent, by the name of their task; none where
    their folder is missing or damaged.
    """
    with suppress(BertsentError):
        return {
            head: RegisteredModel(
                f"{BUILTIN}/{head}", f"Built-in ({task.title})", SHIPPED_HEADS, head=head
            )
            for head, task in read_heads_card(SHIPPED_HEADS).heads.items()
            if (SHIPPED_HEADS / WEIGHTS).is_file()
        }
    return {}


def models_that_answer(asked: Callable[[Task], bool], named: str = "") -> list[RegisteredModel]:
    """The models whose task, or one of whose tasks, is the one that is ``asked`` for: the head that
    ships, runs newest first (the ``named`` one, however old it is) and the host's folders.
    """
    folders = [RegisteredModel(name, name, folder) for name, folder in host_folders().items()]
    runs = [RegisteredModel(run.id, run.id, run.folder, run.id) for run in offered_runs(named)]
    found = [*shipped_heads().values(), *runs, *folders]
    return [model for model in found if any(map(asked, tasks_of(model)))]


def tasks_of(model: RegisteredModel) -> tuple[Task, ...]:
    """All that a model answers: its task, or those that it learned at once."""
    task = task_of(model)
    if isinstance(task, MixedTask):
        return task.parts
    return () if task is None else (task,)


def task_of(model: RegisteredModel) -> Task | None:
    """What a model answers; None where its card or its run's configuration cannot be read."""
    try:
        if model.head:
            return read_heads_card(model.folder).heads.get(model.head)
        if model.run:
            return task_of_run(find_run(model.run))
        card = model.folder / CARD
        values = json.loads(card.read_bytes()) if card.is_file() else {}
        return task_of_dict(values["task"]) if "task" in values else SENTIMENT
    except (BertsentError, OSError, ValueError, TypeError):
        return None


def task_of_run(run: Run) -> Task:
    """What a run learns; its configuration is read once.

    Raises:
        BertsentError: it cannot be read.
    """
    path = run.folder / "config.json"
    return _task_of_config(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=256)
def _task_of_config(path: Path, _mtime: int) -> Task:
    return RunConfig.load(path).task


def host_folders() -> dict[str, Path]:
    """Model folders the host offers: those in ``BERTSENT_HOME/models`` and those listed in
    ``BERTSENT_MODELS``, by name.
    """
    listed = [
        Path(p).expanduser() for p in os.environ.get("BERTSENT_MODELS", "").split(os.pathsep) if p
    ]
    found = [*sorted((home() / "models").glob("*")), *listed]
    return {folder.name: folder for folder in found if (folder / WEIGHTS).is_file()}


def run_models(run: Run) -> list[RegisteredModel]:
    """A run's checkpoints, newest first."""
    steps = {int(f.name.removeprefix("step-")): f for f in list_checkpoints(run.checkpoints)}
    return [
        RegisteredModel(f"{run.id}/{folder.name}", f"{run.id}, step {step:,}", folder, run.id, step)
        for step, folder in reversed(steps.items())
    ]


def runs_with_checkpoints() -> list[Run]:
    """Runs with at least one checkpoint, newest first."""
    return [run for run in list_runs() if list_checkpoints(run.checkpoints)]


def offered_runs(named: str = "") -> list[Run]:
    """What a list of models offers: the newest runs with a checkpoint, and the one that is
    ``named``, however old it is.
    """
    runs = runs_with_checkpoints()
    return [run for place, run in enumerate(runs) if place < LISTED_RUNS or run.id == named]


def pretrained_encoders(named: str = "") -> dict[str, Path]:
    """Runs that learned masked words and do not train at the moment, newest first, with their
    newest weights: encoders that a run can begin with. The ``named`` one is among them, however old
    it is.
    """
    found = {}
    for run in offered_runs(named):
        with suppress(BertsentError):
            if isinstance(task_of_run(run), MaskedWords) and not run.alive():
                found[run.id] = list_checkpoints(run.checkpoints)[-1].resolve()
    return found


def find_model(name: str, *, folders: bool = True) -> RegisteredModel:
    """Look a model up.

    Args:
        name: ``builtin``, ``builtin/`` and the name of a task, a run id, ``run/step-N``, the name
            of a host's folder, a fetched Hub id; a path when ``folders``.
        folders: whether ``name`` may be a path; never for what a viewer typed.

    Raises:
        NotAvailable: there is nothing of that name; the text says what to do.
    """
    if name == BUILTIN:
        return _builtin()
    if name.startswith(f"{BUILTIN}/"):
        return _head(name)
    NotAvailable.raise_if(
        not name.strip(), "No model is named.", "Use builtin, a run, a folder or a Hub id."
    )
    if name in host_folders():
        return RegisteredModel(name, name, host_folders()[name])
    run_id, _, step = name.partition("/")
    folder = local_folder(name) if folders else None
    fetched = is_hub_id(name) and ("/" in name or model_path(name).is_dir())
    if step.startswith("step-") or not (folder or fetched):
        return _checkpoint(find_run(run_id), step)
    if folder:
        return RegisteredModel(name, folder.resolve().name, folder)
    if model_path(name).is_dir():
        return RegisteredModel(name, name, model_path(name))
    raise NotAvailable(
        f"The model {name} is not on this machine.",
        f"Fetch it once: python -m bertsent fetch model {name}",
    )


def origin(name: str) -> str | None:
    """The registry name of the untouched encoder that a model was fine-tuned from; None where that
    is not the built-in one, or not known.

    Raises:
        NotAvailable: there is no model of that name.
        BadCheckpoint: what its run was asked to do cannot be read.
    """
    run = "" if name == BACKBONE else find_model(name, folders=False).run
    return BACKBONE if (find_run(run).config.model if run else name) == BUILTIN else None


def before_training(name: str) -> str | None:
    """The registry name of what a model was before its fine-tuning: the untouched encoder, or step
    0 of its run; None where that is not on this machine.

    Raises:
        NotAvailable: there is no model of that name.
        BadCheckpoint: what its run was asked to do cannot be read.
    """
    found = origin(name)
    if found is not None or name == BACKBONE:
        return found
    run = find_model(name, folders=False).run
    models = run_models(find_run(run)) if run else []
    return next((model.name for model in models if model.step == 0), None)


def _builtin() -> RegisteredModel:
    if shipped():
        return RegisteredModel(BUILTIN, "Built-in", SHIPPED)
    remedy = (
        "Get the whole repository again, or fine-tune one: python -m bertsent train --data builtin"
    )
    runs = [f"Use a run of yours: --model {run.id}" for run in runs_with_checkpoints()]
    raise NotAvailable(NOT_SHIPPED, runs[0] if runs else remedy)


def _head(name: str) -> RegisteredModel:
    head, found = name.removeprefix(f"{BUILTIN}/"), shipped_heads()
    NotAvailable.raise_if(
        not found,
        "The built-in heads of further tasks are missing from assets/models.",
        "Get the whole repository again, or train one on Fine-tune.",
    )
    NotAvailable.raise_if(
        head not in found,
        f"There is no built-in model of the task “{head[:40]}”.",
        f"There are {', '.join(f'{BUILTIN}/{name}' for name in found)}.",
    )
    return found[head]


def _checkpoint(run: Run, step: str) -> RegisteredModel:
    models = run_models(run)
    chosen = [m for m in models if m.name == f"{run.id}/{step}"] if step else models[:1]
    NotAvailable.raise_if(
        not chosen,
        f"Run {run.id} has no checkpoint{f' {step}' if step else ''} yet.",
        "Wait for its first one, or choose another.",
    )
    return chosen[0]
