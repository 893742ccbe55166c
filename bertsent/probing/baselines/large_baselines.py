"""BERT-base and BERT-large (row 001-14): who of them is at hand, and how to get who is not; what a
model took and takes.
"""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.hub import downloaded_ids
from bertsent.data.splits import duplicate_key
from bertsent.errors import BertsentError
from bertsent.models.backbone import builtin_folder, weights_hash
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.registry import find_model, run_models, runs_with_checkpoints
from bertsent.training.events import Finished, Stopped
from bertsent.training.runs.run import Run, find_run

ELDERS = {"BERT-base": "bert-base-uncased", "BERT-large": "bert-large-uncased"}


def large_baselines(reviews: Reviews) -> tuple[list[Classifier], list[str]]:
    """The newest run of each that did not learn from ``reviews``, and a sentence for each that is
    missing.
    """
    found, notes = [], []
    for title, hub_id in ELDERS.items():
        try:
            runs = [
                run
                for run in runs_with_checkpoints()
                if run.config.model in (hub_id, f"google-bert/{hub_id}")
            ]
        except BertsentError:
            runs = []
        fair = [
            run
            for run in runs
            if not _learned_from(str(run.folder), run.id, reviews.sha256, reviews)
        ]
        if fair:
            found.append(_entrant(title, fair[0]))
        elif runs:
            notes.append(
                f"{title}: its run has learned from some of these reviews, so it is not compared "
                "on them."
            )
        elif hub_id in downloaded_ids("model"):
            notes.append(
                f"{title} is on this machine and not fine-tuned yet: python -m bertsent train "
                f"--data builtin --model {hub_id}"
            )
        else:
            notes.append(
                f"{title} is not on this machine. Get it once: python -m bertsent fetch model "
                f"{hub_id}, then"
                f" python -m bertsent train --data builtin --model {hub_id}"
            )
    return found, notes


def model_facts(name: str) -> tuple[float | None, int | None]:
    """Seconds of training, where a run knows them, and bytes of the weights with those of the
    backbone they lie on.
    """
    try:
        model = find_model(name, folders=False)
    except BertsentError:
        return None, None
    size = (model.folder / WEIGHTS).stat().st_size
    if inspect_folder(model.folder).base:
        size += (builtin_folder() / WEIGHTS).stat().st_size
    return _seconds(find_run(model.run), model.step) if model.run else None, size


def _seconds(run: Run, step: int | None) -> float | None:
    history = run.history()
    if isinstance(history.last, (Finished, Stopped)) and step in (None, history.step):
        return history.last.seconds
    return next(
        (s.seconds for s in reversed(history.steps) if step is None or s.step <= step), None
    )


def _entrant(title: str, run: Run) -> Classifier:
    model = run_models(run)[0]
    seconds, size = model_facts(model.name)
    return Classifier(
        f"{title}: {run.id}", weights_hash(model.folder / WEIGHTS), _late(model.name), seconds, size
    )


def _late(name: str) -> Callable[[Sequence[str]], np.ndarray]:
    """Answers of a model that is only loaded when it is asked."""
    loaded = []

    def answer(texts: Sequence[str]) -> np.ndarray:
        from bertsent.probing.loaded_model import load

        if not loaded:
            loaded.append(load(name))
        return loaded[0].probabilities(texts)[:, 1]

    return answer


@st.cache_data(max_entries=32, show_spinner=False)
def _learned_from(folder: str, run_id: str, sha256: str, _reviews: Reviews) -> bool:  # noqa: ARG001 - what is kept is found by them
    learned = {duplicate_key(e.text) for e in find_run(run_id).splits().train}
    return any(duplicate_key(e.text) in learned for e in _reviews)
