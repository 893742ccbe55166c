"""The weights of the recipe in, the folder that ships out: calibrated, in half precision,
evaluated, with its card.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from bertsent import __version__
from bertsent.errors import BadInput
from bertsent.files import write_atomically
from bertsent.models.backbone import load_backbone, weights_hash
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_thin
from bertsent.models.folders import WEIGHTS
from bertsent.models.task_model import BertForTask
from bertsent.probing.calibration import least_error_temperature
from bertsent.probing.loaded_model import load_folder
from bertsent.probing.shipped_scores import CONFIDENCE_FILE, FILE
from bertsent.probing.subgroups.check import check_subgroups
from bertsent.probing.subgroups.summary import card_table
from bertsent.recipe.card import EXAMPLES, Facts, asked, card_text, story_in
from bertsent.recipe.datasets import RecipeData, builtin, one_liners, register
from bertsent.recipe.evaluation import answers_of, confidence_table, judging_sets, score_table
from bertsent.recipe.sentiment_plan import SENTIMENT_PLAN
from bertsent.recipe.sentiment_sources import story_of_plan
from bertsent.settings import machine

LOG_FILE = "training.jsonl"
LONGEST = 512  # tokens that it reads
CARD_FILE, SUBGROUPS_FILE = "README.md", "subgroups.md"
_HEAD = "heads.sentiment."


def release(weights: Path, data: RecipeData, into: Path) -> Iterator[str]:
    """Write the model to ``into``; yields a line for each thing done.

    Args:
        weights: the state dict of the training: ``bert.…`` and ``heads.sentiment.…``. Files of the
            same name that end in ``.md`` and ``.jsonl`` tell more of it on the card; the log is
            kept beside the model.
        data: what the temperature is fitted and the scores are measured on.
        into: the folder; an older model there is replaced.

    Raises:
        BadInput: the weights are not those of such a training.
    """
    model = model_of(torch.load(weights, map_location="cpu", weights_only=True))
    last = SENTIMENT_PLAN.stages[-1].steps
    card = CheckpointCard(max_length=LONGEST, backbone="builtin", step=last)
    save_thin(into, model, card)
    held_out = data.held_out()
    logits = load_folder(into).logits(held_out.texts)  # of the very weights that ship
    temperature = least_error_temperature(logits, np.array(held_out.labels))
    yield f"Temperature {temperature:.3f}, fitted on {len(held_out):,} held-out IMDb reviews"
    apply_temperature(model, temperature)
    save_thin(into, model, replace(card, temperature=temperature))
    write_atomically(into / LOG_FILE, log_of(weights, into).encode())
    yield from measure(into, data)
    yield from write_card(into, story_of_plan(data, weights))


def log_of(weights: Path, folder: Path) -> str:
    """The log of a training (``learn`` says what is in it), and in its last line what came of it:
    the SHA-256 of the weights in ``folder`` and what computed them, on which they depend.
    """
    log = weights.with_suffix(".jsonl")
    lines = log.read_text(encoding="utf-8") if log.is_file() else ""
    came = {WEIGHTS: weights_hash(folder / WEIGHTS), "torch": torch.__version__}
    came |= {"machine": machine().sentence()}
    return f"{lines}{json.dumps(came)}\n"


def measure(folder: Path, data: RecipeData) -> Iterator[str]:
    """Write the scores of the model in ``folder`` beside it, and how far its answers differ between
    groups of people; yields a line for each set.
    """
    model, temperature = load_folder(folder), load_checkpoint(folder).card.temperature
    answers = answers_of(model, judging_sets(data))
    confidence = confidence_table(model, answers, temperature)
    for row in confidence.dropna().itertuples():
        right = 100 * row.right / row.n
        yield f"{row.set}: {right:.1f} % of {row.n:,} right, calibration error {row.error:.3f}"
    tables = {CONFIDENCE_FILE: confidence.round(5), FILE: score_table(answers, data)}
    for name, table in tables.items():
        write_atomically(folder / name, table.to_csv(index=False).encode())
    subgroups = card_table(check_subgroups(model))
    write_atomically(folder / SUBGROUPS_FILE, f"{subgroups}\n")
    yield f"Written: {folder / FILE}"


def write_card(folder: Path, story: Mapping[str, str]) -> Iterator[str]:
    """Write the card of the model in ``folder`` from the scores beside it; yields a line.

    Args:
        folder: the model with what ``measure`` wrote.
        story: how it was made, a section a name (``story_before`` has those of an older card).
    """
    subgroups, found = folder / SUBGROUPS_FILE, load_folder(folder).predict(asked())
    facts = Facts(
        card=load_checkpoint(folder).card,
        story=story,
        scores=pd.read_csv(folder / FILE),
        confidence=pd.read_csv(folder / CONFIDENCE_FILE),
        subgroups=subgroups.read_text(encoding="utf-8") if subgroups.is_file() else "",
        answers=dict(zip(asked(), (each.p_positive for each in found), strict=True)),
        another=_like_the_first_sentence(),
        version=__version__,
        date=date.today().isoformat(),
    )
    write_atomically(folder / CARD_FILE, card_text(facts).encode())
    yield f"Written: {folder}"


def story_before(folder: Path) -> dict[str, str]:
    """How the model in ``folder`` was made, as its card has it."""
    return story_in((folder / CARD_FILE).read_text(encoding="utf-8"))


def _like_the_first_sentence() -> tuple[int, int]:
    """Negative and positive rows of this project that are learned from and begin like the sentence
    that the lab begins with.
    """
    begins = " ".join(EXAMPLES[1].lower().split()[:2])
    labels = [
        row.label
        for rows in (builtin("train"), one_liners("train"), register("train"))
        for row in rows
        if row.text.lower().startswith(begins)
    ]
    return labels.count(0), labels.count(1)


def model_of(state: Mapping[str, torch.Tensor]) -> BertForTask:
    """The classifier in the weights of a training with further heads.

    Raises:
        BadInput: there is none.
    """
    BadInput.raise_if(
        f"{_HEAD}weight" not in state,
        "These are not the weights of a sentiment model.",
        "Give those that the recipe made.",
    )
    model = BertForTask(load_backbone("builtin").model)
    own = {name: value for name, value in state.items() if name.startswith("bert.")}
    own |= {f"classifier.{part}": state[_HEAD + part] for part in ("weight", "bias")}
    model.load_state_dict(own)
    return model.eval()


def apply_temperature(model: BertForTask, temperature: float) -> None:
    """Divide the logits by ``temperature`` in the head, so that every reader of the weights gets
    calibrated answers.
    """
    with torch.no_grad():
        model.classifier.weight.div_(temperature)
        model.classifier.bias.div_(temperature)
