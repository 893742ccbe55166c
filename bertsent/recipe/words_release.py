"""The weights of the training of the pretraining heads in, the folder that ships out: half
precision, measured on held-out texts, with a card.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.folders import WEIGHTS
from bertsent.models.language_model_head import (
    DELTA,
    LanguageModel,
    load_language_model,
    save_language_model,
)
from bertsent.probing.fill_mask import fill_masks
from bertsent.probing.shipped_word_scores import COLUMNS, SCORES_FILE
from bertsent.recipe.datasets import RecipeData
from bertsent.recipe.learned_rows import token_counts
from bertsent.recipe.words_card import words_card_text
from bertsent.recipe.words_plan import FOLLOWING, WORDS
from bertsent.recipe.words_scores import LONGEST, word_score_rows
from bertsent.recipe.words_sets import held_out_word_sets, learned_word_sets

CARD_FILE, LOG_FILE = "README.md", "training.jsonl"
EXAMPLES = (
    "The [MASK] is bright today.",
    "The cat sat on the [MASK].",
    "The movie was [MASK].",
    "I have never been so [MASK] in a cinema.",
    "She is the [MASK] of the film.",
)
SHOWN = 5  # guesses for each


def release_words(weights: Path, data: RecipeData, into: Path) -> Iterator[str]:
    """Write the heads to ``into``; yields a line for each score.

    Args:
        weights: the state dict of the training: ``bert.…``, ``heads.words.…`` and
            ``heads.following.…``. A ``.md`` file of the same name goes into the card, the log
            (``.jsonl``) beside the model.
        data: what was learned from, and what the scores are measured on.
        into: the folder; an older one there is replaced.

    Raises:
        BadInput: the weights are not those of such a training.
        NotAvailable: a data file is missing.
    """
    model = model_of(torch.load(weights, map_location="cpu", weights_only=True))
    learned = learned_word_sets(data)
    save_language_model(into, model)
    shipped = load_language_model(into)  # the very weights that ship
    rows = []
    for row in word_score_rows(
        shipped, held_out_word_sets(data), _counts(learned["reviews"].inputs)
    ):
        rows.append(row)
        yield f"{row['set']}, {row['model']}: {row['metric']} {row['value']:.4g} of {row['n']:,}"
    scores = pd.DataFrame(rows, columns=list(COLUMNS))
    path = weights.with_suffix(".md")
    card = words_card_text(
        scores,
        {name: len(each.inputs) for name, each in learned.items()},
        {text: fill_masks(into, text, SHOWN)[0] for text in EXAMPLES},
        _bytes(into),
        path.read_text(encoding="utf-8").strip() if path.is_file() else "",
    )
    beside = {SCORES_FILE: scores.round(5).to_csv(index=False), CARD_FILE: card}
    log = weights.with_suffix(".jsonl")
    if log.is_file():
        beside[LOG_FILE] = log.read_text(encoding="utf-8")
    save_language_model(into, model, {name: text.encode() for name, text in beside.items()})
    yield f"Written: {into}"


def model_of(state: Mapping[str, torch.Tensor]) -> LanguageModel:
    """The language model in the weights of its training.

    Raises:
        BadInput: there is none.
    """
    model = LanguageModel(load_backbone("builtin").model)
    named = {f"heads.{WORDS}.": "words.", f"heads.{FOLLOWING}.": "following.", "bert.": "bert."}
    own = {
        ours + name.removeprefix(theirs): value
        for name, value in state.items()
        for theirs, ours in named.items()
        if name.startswith(theirs)
    }
    BadInput.raise_if(
        own.keys() != model.state_dict().keys(),
        "These are not the weights of a language model.",
        "Give those that --only words makes.",
    )
    model.load_state_dict(own)
    return model.eval()


def _counts(inputs: Sequence[tuple[str, str]]) -> np.ndarray:
    tokenizer = load_backbone("builtin").tokenizer
    ids = tokenizer.input_ids(inputs, LONGEST)
    counts = token_counts(ids, len(tokenizer.fast))
    counts[tokenizer.fast.all_special_ids] = 0
    return counts


def _bytes(folder: Path) -> dict[str, int]:
    stored = load_file(folder / WEIGHTS)
    delta = sum(value.nbytes for name, value in stored.items() if name.startswith(DELTA))
    return {"heads": sum(value.nbytes for value in stored.values()) - delta, "delta": delta}
