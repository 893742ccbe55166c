"""Tokens, padding, attention mask and ids of a sentence, and a word that is split: by the tokenizer
of the model in use.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

PAD, NOT_THERE = "[PAD]", "not there"
SENTENCE = 120  # characters of a sentence
_BETWEEN = re.compile(r"[,\s]+")


def padded_sentence(model: "LoadedModel", sentence: str, length: int) -> Values:
    """The tokens of a sentence as they are typed and as they are read, padded to ``length`` or cut
    there, their mask (length,) and ids.
    """
    typed, pieces, ids = typed_tokens(model, sentence)
    room = length - len(pieces)
    mask = np.array([1] * min(length, len(pieces)) + [0] * max(0, room))
    _, _, with_stop = typed_tokens(model, f"{sentence.rstrip('.!? ')}.")
    return {
        "tokens": typed,
        "padded": _fitted(typed, length, PAD),
        "mask": mask,
        "ids": _fitted(ids, length, str(model.tokenizer.pad_id)),
        "read": pieces,
        "with_stop": with_stop,
    }


def typed_tokens(
    model: "LoadedModel", sentence: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Each token as it stands in the sentence, its piece, and its id as a word: ids are names."""
    clean, tokens = clean_text(sentence), model.tokens(sentence)
    spans = model.tokenizer.spans(sentence, model.max_length)
    typed = tuple(
        piece if marker else clean[start:end]
        for piece, marker, (start, end) in zip(tokens.pieces, tokens.special, spans, strict=True)
    )
    return typed, tokens.pieces, tuple(map(str, tokens.ids))


def word_split(model: "LoadedModel", word: str, pieces: tuple[str, ...]) -> Values:
    """The pieces of a word by the vocabulary in use, and whether it has those of an illustration.

    Raises:
        BadInput: there is not one word.
        NotAvailable: the tokenizer does not split words as BERT's does.
    """
    rules = model.tokenizer.rules
    splits = rules.trace(word).splits
    BadInput.raise_if(len(splits) != 1, f"This has {len(splits)} words.", "Give one word.")
    split = splits[0]
    spelled = tuple(rules.prefix * (place > 0) + piece for place, piece in enumerate(pieces))
    there = tuple(str(rules.vocabulary.get(piece, NOT_THERE)) for piece in spelled)
    return {
        "vocabulary": len(rules.vocabulary),
        "spelled": spelled,
        "there": there,
        "real": split.pieces,
        "real_ids": tuple(map(str, split.ids)),
        "trials": len(split.trials),
        "split": split,
    }


def _words(fewest: int, most: int) -> Callable[[str], tuple[str, ...]]:
    """A reader of words with commas or spaces in between."""

    def read(typed: str) -> tuple[str, ...]:
        found = tuple(word for word in _BETWEEN.split(typed) if word)
        BadInput.raise_if(
            not fewest <= len(found) <= most,
            f"{'1 piece is' if len(found) == 1 else f'{len(found)} pieces are'} typed here.",
            f"Give {fewest} to {most}, with commas in between.",
        )
        return found

    return read


def _fitted(row: tuple[str, ...], length: int, filling: str) -> tuple[str, ...]:
    """``row`` at ``length`` places; one that is too long keeps its last, [SEP]."""
    if len(row) > length:
        return (*row[: length - 1], row[-1])
    return row + (filling,) * (length - len(row))


def _padded_finding(found: Values) -> str:
    own, length = len(found["read"]), found["length"]
    if own > length:
        return (
            f"The sentence has {own} tokens with [CLS] and [SEP], so {own - length} of them are "
            f"cut off at {length}."
        )
    if own == length:
        return f"The sentence has exactly {own} tokens with [CLS] and [SEP]: nothing is padded."
    pads = length - own
    return (
        f"{own} tokens and {pads} [PAD]: the mask has {own} ones, and no token looks at the last "
        f"{'one' if pads == 1 else pads}."
    )


def _split_finding(found: Values) -> str:
    real = f"{' '.join(found['real'])}, found with {found['trials']} trials"
    spells, word = "".join(found["pieces"]), found["split"].word
    if spells != word:
        return f"The illustration spells “{spells}”; “{word}” is {real}."
    missing = [
        f"“{piece}”"
        for piece, there in zip(found["spelled"], found["there"], strict=True)
        if there == NOT_THERE
    ]
    if missing:
        none = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} no entry."
        return f"{none} The word is {real}."
    if found["spelled"] == found["real"]:
        return f"The illustration is what the tokenizer does: {real}."
    return f"All pieces of the illustration are entries, yet the longest match first gives {real}."


PARIS = WorkedExample(
    key="paris",
    rows=("003-01", "003-02", "003-03", "003-04"),
    title="“I love Paris”: tokens, padding, mask, ids",
    source="“Extract BERT Embeddings”, steps 1 to 4",
    says=(
        "A sentence becomes tokens with [CLS] and [SEP], is padded to a fixed length of 7, gets a "
        "mask with a 1 for each real token, and ids."
    ),
    inputs=(
        Input("sentence", "Sentence", "I love Paris", text(SENTENCE)),
        Input("length", "Fixed length", "7", whole(3, 32)),
    ),
    work=padded_sentence,
    quantities=(
        Quantity(
            "tokens",
            "tokens",
            "as they are typed, with [CLS] and [SEP]",
            said="[CLS] I love Paris [SEP]",
        ),
        Quantity(
            "padded",
            "padded",
            "[PAD] up to the fixed length",
            said="[CLS] I love Paris [SEP] [PAD] [PAD]",
        ),
        Quantity("mask", "attention mask", "1 for a real token", said="1, 1, 1, 1, 1, 0, 0"),
        Quantity(
            "ids",
            "ids",
            "places in the vocabulary",
            said="101, 1045, 2293, 3000, 102, 0, 0",
        ),
        Quantity(
            "with_stop",
            "ids with a full stop",
            "as the source writes the sentence",
            said="101, 1045, 2293, 3000, 102",
            why="(without the full stop)",
        ),
    ),
    finding=_padded_finding,
    slips=(
        Slip(
            "E-13",
            "The sentence of the source ends with a full stop, its tokens and ids do not: with it "
            "they are 101, 1045, 2293, 3000, 1012, 102.",
        ),
    ),
    of_model=True,
)

UNHAPPINESS = WorkedExample(
    key="unhappiness",
    rows=("002-18",),
    title="“unhappiness”: an illustration and the real pieces",
    source="“BERT Input Format”, WordPiece tokenizer",
    says="A new word is put together from known ones: “un”, “happi” and “ness”.",
    inputs=(
        Input("word", "Word", "unhappiness", text(60)),
        Input("pieces", "Pieces of the illustration", "un, happi, ness", _words(1, 12)),
    ),
    work=word_split,
    quantities=(
        Quantity("vocabulary", "vocabulary", "entries", said="30,522"),
        Quantity("spelled", "illustration", "spelled as entries: ## continues a word"),
        Quantity("there", "its ids", "looked up one by one"),
        Quantity(
            "real",
            "real pieces",
            "longest match first",
            said="un, happi, ness",
            why="(an illustration)",
        ),
        Quantity("real_ids", "their ids", "places in the vocabulary"),
    ),
    finding=_split_finding,
    slips=(
        Slip(
            "E-10",
            "The pieces are an illustration: the vocabulary of bert-base-uncased has no ##happi "
            "and gives un ##ha ##pp ##iness.",
        ),
    ),
    of_model=True,
)
