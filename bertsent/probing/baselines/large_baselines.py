"""BERT-base and BERT-large (row 001-14): which of them are here, how to get those that are not, and
what any model took to train and takes on disk.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.hub import downloaded_ids
from bertsent.data.splits import duplicate_key
from bertsent.errors import BertsentError
from bertsent.models.backbone import builtin_folder, weights_hash
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import find_model, run_models, runs_with_checkpoints
from bertsent.training.events import Finished, Stopped
from bertsent.training.runs.run import Run, find_run

LARGE_BASELINES = {"BERT-base": "bert-base-uncased", "BERT-large": "bert-large-uncased"}


def large_baselines(reviews: Reviews) -> tuple[list[Classifier], list[str]]:
    """The newest run of each that did not learn from ``reviews``, and a sentence for each that is
    missing. A run that cannot be read is passed over.
    """
    found, notes = [], []
    for title, hub_id in LARGE_BASELINES.items():
        runs = [run for run in runs_with_checkpoints() if _model_of(run).endswith(hub_id)]
        classifiers = filter(None, (_classifier(title, run, reviews) for run in runs))
        train = f"python -m bertsent train --data builtin --model {hub_id}"
        if classifier := next(classifiers, None):
            found.append(classifier)
        elif runs:
            notes.append(
                f"{title}: each of its runs has learned from some of these reviews or cannot be "
                "read, so it is not compared on them."
            )
        elif hub_id in downloaded_ids("model"):
            notes.append(f"{title} is on this machine and not fine-tuned yet: {train}")
        else:
            fetch = f"python -m bertsent fetch model {hub_id}"
            notes.append(f"{title} is not on this machine. Get it once: {fetch}, then {train}")
    return found, notes


def model_facts(name: str) -> tuple[float | None, int | None]:
    """Seconds of training, where a run knows them, and bytes of the weights with those of the
    backbone they lie on.
    """
    try:
        model = find_model(name, folders=False)
        size = (model.folder / WEIGHTS).stat().st_size
        if inspect_folder(model.folder).base:
            size += (builtin_folder() / WEIGHTS).stat().st_size
        return _seconds(find_run(model.run), model.step) if model.run else None, size
    except (BertsentError, OSError):
        return None, None


def _seconds(run: Run, step: int | None) -> float | None:
    history = run.history()
    if isinstance(history.last, (Finished, Stopped)) and step in (None, history.step):
        return history.last.seconds
    reached = (s.seconds for s in reversed(history.steps) if step is None or s.step <= step)
    return next(reached, None)


def _model_of(run: Run) -> str:
    """What a run was fine-tuned from; empty where that cannot be read."""
    try:
        model = run.config.model
    except BertsentError:
        return ""
    return model if model.removeprefix("google-bert/") in LARGE_BASELINES.values() else ""


def _classifier(title: str, run: Run, reviews: Reviews) -> Classifier | None:
    """The newest checkpoint of a run; None where it learned from ``reviews`` or is damaged."""
    try:
        if _learned_from(run.folder, (run.folder / "config.json").stat().st_mtime_ns, reviews):
            return None
        model = run_models(run)[0]
        seconds, size = model_facts(model.name)
        key = f"{weights_hash(model.folder / WEIGHTS)} {run.config.training.max_length}"
    except (BertsentError, OSError, IndexError):
        return None
    return Classifier(f"{title}: {run.id}", key, _loaded_when_asked(model.name), seconds, size)


@lru_cache(maxsize=32)
def _learned_from(folder: Path, created: int, reviews: Reviews) -> bool:
    """Whether a run learned from one of ``reviews``; ``created`` tells apart runs that had the same
    name one after the other.
    """
    learned = {duplicate_key(e.text) for e in Run(folder).splits().train}
    return not learned.isdisjoint(duplicate_key(e.text) for e in reviews)


def _loaded_when_asked(name: str) -> Callable[[Sequence[str]], np.ndarray]:
    """P(positive) by a model that is only loaded when it is first asked."""
    loaded = cache(partial(load, name))
    return lambda texts: loaded().probabilities(texts)[:, 1]
