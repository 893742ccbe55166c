"""What an answer was made with, so that somebody can make it again: data and its hash, seed,
versions, device.
"""

import json
import platform
from importlib.metadata import PackageNotFoundError, version

from bertsent import __version__
from bertsent.errors import BertsentError
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS, folder_title
from bertsent.probing.registry import BACKBONE, BUILTIN, SHIPPED, find_model
from bertsent.settings import machine
from bertsent.tasks.measure import measure_of
from bertsent.training.config import TRAINS
from bertsent.training.runs.notes import run_label
from bertsent.training.runs.run import Run, find_run

_LIBRARIES = ("torch", "transformers", "tokenizers", "scikit-learn")


def machine_card() -> dict[str, str]:
    """The versions and the machine of this lab."""
    found = {"bertsent": __version__, "Python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "Machine": machine().sentence()}


def run_card(run: Run) -> dict[str, str]:
    """What decides a run: equal cards on equal machines give equal losses.

    Raises:
        BadCheckpoint: its configuration cannot be read.
    """
    config = run.config
    training, data = config.training, config.data
    evaluations = run.history().evaluations
    card = {
        "Run": run_label(run.folder),
        "Data": f"{data.source}, {data.train_rows:,} training and {data.validation_rows:,} "
        "validation reviews",
        "Data SHA-256": data.sha256,
        "Encoder": folder_title(config.model),
        "Encoder SHA-256": config.model_sha256,
        "Seed": str(training.seed),
        "Epochs": str(training.epochs),
        "Batch": f"{training.batch_size} reviews × {training.accumulate}",
        "Learning rates": f"encoder {training.encoder_lr:g}, head {training.head_lr:g}",
        "Trains": TRAINS[training.trains],
        "Device": config.device,
        "Versions": ", ".join(f"{name} {number}" for name, number in config.versions.items()),
    }
    if data.contrastive_share:
        card["Contrastive reviews"] = f"{100 * data.contrastive_share:.1f} % of the training part"
    if evaluations:
        last = evaluations[-1]
        measure = measure_of(config.task)
        name = f"Validation {measure.name}"
        card[name] = f"{measure.say(last.accuracy)} at step {last.step:,}"
    return card


def model_card(name: str) -> dict[str, str]:
    """What the model of that registry name is, with the card of its run where it has one; empty
    where it is gone.
    """
    try:
        if name == BACKBONE:
            return {"Model": "Backbone, not fine-tuned"}
        found = find_model(name, folders=False)
        card = {"Weights SHA-256": weights_hash(found.folder / WEIGHTS)}
        if found.run:
            step = {} if found.step is None else {"Checkpoint": f"step {found.step:,}"}
            return {**run_card(find_run(found.run)), **step, **card}
    except (BertsentError, OSError):
        return {}
    return {"Model": model_title(name), **(_recipe() if name == BUILTIN else {}), **card}


def model_title(name: str) -> str:
    """How a model is called on paper: with its run and its step, where it has such."""
    if name in (BUILTIN, BACKBONE):
        return "Built-in model" if name == BUILTIN else "Backbone, not fine-tuned"
    run, _, step = name.partition("/step-")
    if not step.isdecimal():
        return name
    try:
        return f"{run_label(find_run(run).folder)}, step {int(step):,}"
    except BertsentError:
        return f"{run}, step {int(step):,}"


def _recipe() -> dict[str, str]:
    """What the card of the built-in model says about its making."""
    try:
        values = json.loads((SHIPPED / "bertsent.json").read_text(encoding="utf-8"))
        return {"Step": f"{values['step']:,}", "Temperature": f"{values['temperature']:.4g}"}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
