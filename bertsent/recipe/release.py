"""The last checkpoints in, the folder that ships out: averaged, calibrated, in half precision,
evaluated, with its card.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy.special import expit

from bertsent.models.checkpoint import Checkpoint, load_checkpoint, save_thin
from bertsent.models.task_model import BertForTask
from bertsent.probing.calibration import expected_calibration_error, least_error_temperature
from bertsent.probing.loaded_model import load_folder
from bertsent.probing.shipped_scores import FILE
from bertsent.recipe.card import Facts, card_text
from bertsent.recipe.datasets import RecipeData
from bertsent.recipe.evaluation import score_table
from bertsent.training.runs.run import Run


def release(
    shares: Mapping[Path, float], runs: tuple[Run, ...], data: RecipeData, into: Path
) -> Iterator[str]:
    """Write the model to ``into``; yields a line for each thing done.

    Args:
        shares: what is averaged, and how much of each.
        runs: all stages, for the card.
        data: what the temperature is fitted and the scores are measured on.
        into: the folder; an older model there is replaced.
    """
    found = averaged(shares)
    card = replace(found.card, backbone="builtin", run="", temperature=1.0)
    save_thin(into, found.model, card)
    held_out = data.held_out()
    labels = np.array(held_out.labels)
    logits = load_folder(into).logits(held_out.texts)  # of the very weights that ship
    temperature = least_error_temperature(logits, labels)
    yield f"Temperature {temperature:.3f}, fitted on {len(labels):,} held-out IMDb reviews"
    apply_temperature(found.model, temperature)
    card = replace(card, temperature=temperature)
    save_thin(into, found.model, card)
    difference = logits[:, 1].astype(float) - logits[:, 0]
    before, after = expit(difference), expit(difference / temperature)
    table = score_table(load_folder(into), data, after)
    first, last = (expected_calibration_error(each, labels) for each in (before, after))
    facts = Facts(card, (first, last), tuple(run.config for run in runs), table)
    beside = {FILE: table.to_csv(index=False), "README.md": card_text(facts)}
    save_thin(into, found.model, card, {name: text.encode() for name, text in beside.items()})
    yield f"Expected calibration error {first:.3f} before, {last:.3f} after"
    yield f"Written: {into}"


def keep_average(shares: Mapping[Path, float], folder: Path) -> Path:
    """Write the mean of some checkpoints into ``folder``, unless it exists."""
    if not folder.exists():
        found = averaged(shares)
        save_thin(
            folder, found.model, replace(found.card, backbone="builtin", run="", temperature=1.0)
        )
    return folder


def averaged(shares: Mapping[Path, float]) -> Checkpoint:
    """The weighted mean of several stages of one training (Wortsman et al. 2022, "Model soups"),
    with the card of the last.

    Args:
        shares: how much of each checkpoint; they add up to 1.
    """
    found = {folder: load_checkpoint(folder) for folder in shares}
    (begin, _), *others = [
        (each.model.state_dict(), shares[folder]) for folder, each in found.items()
    ]
    # as steps from the first, so that what all share (the input vectors) stays the same bit for bit
    mean = {
        name: begin[name] + sum(share * (state[name] - begin[name]) for state, share in others)
        for name in begin
    }
    last = list(found.values())[-1]
    last.model.load_state_dict(mean)
    return last


def apply_temperature(model: BertForTask, temperature: float) -> None:
    """Divide the logits by ``temperature`` in the head, so that every reader of the weights gets
    calibrated answers.
    """
    with torch.no_grad():
        model.classifier.weight.div_(temperature)
        model.classifier.bias.div_(temperature)
