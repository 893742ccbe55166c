"""A sentence with masked words in, the words that a pretrained encoder would put there out.

This takes the language-model head that BERT is pretrained with (Devlin et al. 2019, section 3.1).
Fine-tuning drops it, and many encoders come without. For the built-in encoder one was trained here
(``assets/models/words``); where its folder is missing, no mask can be filled.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.errors import BadInput, BertsentError
from bertsent.models.backbone import backbone_folder, load_tokenizer
from bertsent.models.folders import SHIPPED_WORDS, WEIGHTS, inspect_folder
from bertsent.models.library_loading import MODEL_LOADING
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model, task_of
from bertsent.tasks.masked_words import MaskedWords
from bertsent.text.masked_sentence import (
    MASK,
    MaskedSentence,
    hide_words,
    typed_sentence,
    words_to_hide,
)
from bertsent.training.runs.run import find_run

if TYPE_CHECKING:
    import torch

    from bertsent.text.tokens import ReviewTokenizer

LEFT_ONLY = (
    "Left only: everything to the right of the gap is hidden from the encoder by its attention "
    "mask. That is all that a left-to-right model such as GPT has to go by. It is not what GPT "
    "would answer: this encoder was trained with both sides and never without the right one, so it "
    "guesses worse here than a model of its size that was trained left to right."
)
_SMALL = (0.01, 0.001, 0.0001)  # below each, a probability is written with one more digit
_HEADS = ("cls.predictions.transform.", "vocab_transform.")  # of BERT and of DistilBERT


def written_chance(p: float) -> str:
    """A probability in per cent, a small one with as many digits as tell."""
    places = 1 + sum(p < bound for bound in _SMALL)
    return f"{100 * p:.{places}f} %" if p >= 1e-6 else "< 0.0001 %"


@dataclass(frozen=True)
class FilledGap:
    """What belongs in one gap: word pieces with their probabilities, the likeliest first.

    Where the true piece is known, ``truth``, ``p_truth`` and ``rank`` (from 1) tell of it. An
    ``unknown`` one is a sign that the vocabulary does not have: no probability can be said of it.
    """

    place: int
    words: tuple[tuple[str, float], ...]
    truth: str = ""
    p_truth: float | None = None
    rank: int | None = None
    unknown: bool = False

    @property
    def loss(self) -> float | None:
        """The loss of masked-language modelling at this gap: −log p of the true piece."""
        if self.p_truth is None:
            return None
        return -math.log(self.p_truth) if self.p_truth > 0 else math.inf

    def arithmetic(self) -> str:
        """The loss worked out, in natural logarithms; empty where the true piece is not known."""
        if self.p_truth is None or self.loss is None:
            return ""
        return f"−log p(“{self.truth}”) = −log {self.p_truth:.4g} = {self.loss:.2f}"

    def sentence(self) -> str:
        """Which piece is likeliest, and how the true one fares."""
        word, p = self.words[0]
        likeliest = f"Likeliest is “{word}” ({written_chance(p)})."
        if self.unknown:
            return (
                f"{likeliest} The true sign is not in the vocabulary ({self.truth}): no "
                "probability, and so no loss, can be said of it."
            )
        if self.rank is None:
            return likeliest
        if self.rank == 1:
            return f"{likeliest[:-1]}, the true word: loss = {self.arithmetic()}."
        return f"{likeliest} “{self.truth}” has rank {self.rank:,}: loss = {self.arithmetic()}."


@dataclass(frozen=True)
class _Filler:
    """``logits`` takes ids and mask (B, T) and for each gap its row and place; gives (gaps, V)."""

    tokenizer: "ReviewTokenizer"
    most: int
    logits: "Callable[[torch.Tensor, torch.Tensor, list[int], list[int]], torch.Tensor]"


def folder_with_language_model_head(name: str) -> Path | None:
    """The folder that fills in words for the pretrained encoder behind a registry name: its own if
    it came with a language-model head, for the built-in encoder the one that was trained here; None
    if there is none, or the name is not known.
    """
    from safetensors import SafetensorError, safe_open

    with suppress(BertsentError, OSError, SafetensorError):
        folder = _pretrained(name)
        with safe_open(folder / WEIGHTS, "pt") as weights:
            # not a mapping
            if any(key.startswith(_HEADS) for key in weights.keys()):  # noqa: SIM118
                return folder
    return None


def fill_mask(folder: Path, text: str, n: int = 10) -> list[tuple[str, float]]:
    """The ``n`` likeliest word pieces for the one ``[MASK]`` of a text, with their probabilities,
    the likeliest first.

    Raises:
        BadInput: the text has no ``[MASK]``, or several, or it was cut off.
        BadCheckpoint: the folder is damaged.
    """
    gaps = fill_masks(folder, text, n)
    BadInput.raise_if(
        len(gaps) != 1,
        f"The sentence has {len(gaps)} {MASK}.",
        f"Write {MASK} once, in the place of a word.",
    )
    return list(gaps[0].words)


def fill_masks(
    folder: Path,
    text: str,
    n: int = 10,
    *,
    truths: Sequence[str] = (),
    left_only: bool = False,
) -> list[FilledGap]:
    """Every ``[MASK]`` of a text filled in, each by itself: what would stand in the other gaps is
    not known while one is filled.

    Args:
        folder: what ``folder_with_language_model_head`` found.
        text: a sentence with one ``[MASK]`` or several.
        n: words for each.
        truths: the true word of each, where it is known.
        left_only: hide what follows a gap (see ``LEFT_ONLY``).

    Raises:
        BadInput: as ``masked_sentence.typed_sentence`` says.
        BadCheckpoint: the folder is damaged.
    """
    filler = _loaded(folder)
    sentence = typed_sentence(text, filler.tokenizer, filler.most, truths)
    return _fill(filler, sentence, n, left_only)


def fill_hidden(
    folder: Path, text: str, chosen: Sequence[int], n: int = 10, *, left_only: bool = False
) -> list[FilledGap]:
    """The chosen words of a whole sentence hidden and filled in again; one gap a word piece, each
    with its truth.

    Raises:
        BadInput: no word is chosen, or too many.
        BadCheckpoint: the folder is damaged.
    """
    filler = _loaded(folder)
    sentence = hide_words(text, filler.tokenizer, filler.most, chosen)
    return _fill(filler, sentence, n, left_only)


def words_of(folder: Path, text: str) -> list[str]:
    """The words and signs of a sentence, of which ``fill_hidden`` hides some by their number."""
    filler = _loaded(folder)
    return words_to_hide(text, filler.tokenizer, filler.most)


def _fill(filler: _Filler, sentence: MaskedSentence, n: int, left_only: bool) -> list[FilledGap]:
    import torch

    gaps = len(sentence.places)
    rows = list(range(gaps)) if left_only else [0] * gaps
    ids = torch.tensor([sentence.ids] * (gaps if left_only else 1))
    mask = torch.ones_like(ids)
    if left_only:
        for row, place in enumerate(sentence.places):
            mask[row, place + 1 :] = 0
    with torch.inference_mode():
        logits = filler.logits(ids, mask, rows, list(sentence.places))
    probabilities = logits.double().softmax(-1)  # (gaps, V)
    gap_facts = zip(sentence.places, sentence.truths, probabilities, strict=True)
    return [_gap(filler.tokenizer, place, truth, p, n) for place, truth, p in gap_facts]


def _gap(
    tokenizer: "ReviewTokenizer", place: int, truth: int | None, p: "torch.Tensor", n: int
) -> FilledGap:
    best = p.topk(min(n, len(p)))
    pieces = tokenizer.fast.convert_ids_to_tokens(best.indices.tolist())
    words = tuple(zip(pieces, best.values.tolist(), strict=True))
    if truth is None:
        return FilledGap(place, words)
    piece = tokenizer.fast.convert_ids_to_tokens([truth])[0]
    if truth == tokenizer.unknown_id:
        return FilledGap(place, words, piece, unknown=True)
    rank = 1 + int((p > p[truth]).sum())
    return FilledGap(place, words, piece, float(p[truth]), rank)


def _pretrained(name: str) -> Path:
    if name in (BACKBONE, BUILTIN):
        return _builtin()
    found = find_model(name, folders=False)
    if isinstance(task_of(found), MaskedWords):
        return found.folder
    backbone = find_run(found.run).config.model if found.run else ""
    if backbone == BUILTIN:
        return _builtin()
    return backbone_folder(backbone) if backbone else found.folder


def _builtin() -> Path:
    shipped = (SHIPPED_WORDS / WEIGHTS).is_file()
    return SHIPPED_WORDS if shipped else backbone_folder(BUILTIN)


def _loaded(folder: Path) -> _Filler:
    from bertsent.models.language_model_head import has_language_model

    return _shipped(folder) if has_language_model(folder) else _library(folder)


def _shipped(folder: Path) -> _Filler:
    import torch

    from bertsent.models.language_model_head import load_language_model

    model = load_language_model(folder)

    def logits(
        ids: torch.Tensor, mask: torch.Tensor, rows: list[int], places: list[int]
    ) -> torch.Tensor:
        return model.word_logits(model.hidden(ids, mask)[rows, places])

    return _Filler(builtin_tokenizer(), model.bert.config.max_position_embeddings, logits)


@lru_cache(maxsize=1)
def builtin_tokenizer() -> "ReviewTokenizer":
    """That of the built-in encoder."""
    folder = backbone_folder(BUILTIN)
    return load_tokenizer(folder, inspect_folder(folder))


def why_no_head(name: str) -> str:
    """Why ``folder_with_language_model_head`` found none, and what to do."""
    with suppress(BertsentError):
        if _pretrained(name) == backbone_folder(BUILTIN):
            return (
                "The language-model heads of the built-in encoder are missing from "
                "assets/models/words. Get the whole repository again, or train them: "
                "python -m bertsent.recipe DATA --only words"
            )
    return (
        "Filling in a masked word needs the language-model head that a BERT is pretrained with. "
        "The encoder of this model came without one. Choose the built-in model, a run on the "
        "built-in encoder, or one on a backbone that has it, such as bert-base-uncased."
    )


@lru_cache(maxsize=1)
def _library(folder: Path) -> _Filler:
    import torch
    from transformers import BertForMaskedLM, DistilBertForMaskedLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    shape = inspect_folder(folder)
    kind = BertForMaskedLM if shape.family == "bert" else DistilBertForMaskedLM
    with MODEL_LOADING:
        model = kind.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, local_files_only=True
        )
    model = model.float().eval()

    def logits(
        ids: torch.Tensor, mask: torch.Tensor, rows: list[int], places: list[int]
    ) -> torch.Tensor:
        return model(input_ids=ids, attention_mask=mask).logits[rows, places]

    most = min(512, shape.positions)
    return _Filler(load_tokenizer(folder, shape), most, logits)
